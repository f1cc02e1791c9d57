//! Notes without a session: what a cache shows, what is replaced, and what is dropped.

use std::sync::Arc;

use crate::object::{ResourceVersion, Uid};
use crate::session::notes::{Found, Note, Notes, Sight, Target};
use crate::session::write::{Concern, OwnWrite};

fn note(verb: &'static str, name: &str, version: &str, target: Target) -> Note {
    Note {
        write: OwnWrite {
            verb,
            resource: "configmaps".into(),
            namespace: "a".into(),
            name: Some(name).filter(|name| !name.is_empty()).map(Arc::from),
            uid: Some(Uid::new("u")).filter(|_| target != Target::Unknown),
            resource_version: ResourceVersion::new(version),
            object: None,
        },
        target,
        concerns: std::collections::BTreeSet::new(),
        left_out: Vec::new(),
        exits: Vec::new(),
        url: "/api/v1/namespaces/a/configmaps".into(),
    }
}

fn sight(note: &Note, version: &str, entry: Option<&str>) -> Sight {
    let (version, uid) = (ResourceVersion::new(version), entry.map(Uid::new));
    note.sight(1, &version, || {
        uid.as_ref().is_some_and(|uid| note.may_be(Some(uid)))
    })
}

/// N-01, N-02. Versions are numbers of any length, and compared as such.
#[test]
fn n02_a_cache_shows_a_write_when_it_has_reached_its_version() {
    let long = "100000000000000000000000";
    for (stored, expected) in [
        ("", Sight::Missing),
        ("9", Sight::Missing),
        ("10", Sight::Seen),
        ("11", Sight::Seen),
        (long, Sight::Seen),
        ("v11", Sight::Incomparable),
    ] {
        let write = note("create", "x", "10", Target::Version);
        assert_eq!(sight(&write, stored, None), expected, "{stored}");
    }
    let write = note("create", "x", long, Target::Version);
    assert_eq!(sight(&write, "99999", None), Sight::Missing);
    let write = note("create", "x", "v7", Target::Version);
    assert_eq!(sight(&write, "v7", None), Sight::Seen);
}

#[test]
fn n02_a_cache_shows_a_deletion_when_it_knew_the_object_and_dropped_it() {
    let write = note("delete", "x", "10", Target::Gone);
    for (stored, entry, expected) in [
        // Not yet created in this cache.
        ("9", None, Sight::Missing),
        ("10", Some("u"), Sight::Missing),
        ("12", Some("u"), Sight::Missing),
        ("12", None, Sight::Seen),
        // Another object with its name.
        ("12", Some("other"), Sight::Seen),
    ] {
        assert_eq!(sight(&write, stored, entry), expected, "{stored} {entry:?}");
    }
}

#[test]
fn n02_an_object_that_is_left_out_blocks_only_while_the_cache_holds_it() {
    let mut write = note("patch", "x", "10", Target::Version);
    write.left_out = vec![1];
    assert_eq!(sight(&write, "9", None), Sight::LeftOut);
    assert_eq!(sight(&write, "9", Some("u")), Sight::Missing);
    assert_eq!(sight(&write, "10", None), Sight::Seen);
}

#[test]
fn a_later_write_of_an_object_replaces_the_note_and_inherits_what_it_concerns() {
    let mut notes = Notes::default();
    let owner = |name| Concern {
        of: "Foo.example.com".into(),
        key: crate::object::ObjectKey::namespaced("a", name),
    };
    let concerning = |mut note: Note, name| {
        note.concerns.insert(owner(name));
        note
    };
    notes.add(concerning(
        note("create", "x", "10", Target::Version),
        "one",
    ));
    notes.add(concerning(note("patch", "x", "12", Target::Version), "two"));
    // An answer that was overtaken.
    notes.add(concerning(note("patch", "x", "11", Target::Version), "two"));
    assert_eq!(notes.len(), 1);
    for name in ["one", "two"] {
        let owner = owner(name);
        let (_, note) = notes.concerning([&owner]).next().unwrap();
        let version = &note.write.resource_version;
        assert_eq!(*version, ResourceVersion::new("12"), "{name}");
    }
    notes.add(note("delete", "x", "12", Target::Gone));
    let (_, deletion) = notes.of_place("configmaps", Some("a")).next().unwrap();
    assert_eq!(deletion.target, Target::Gone);
    // Another object, and versions that cannot be compared.
    notes.add(note("create", "y", "13", Target::Version));
    notes.add(note("patch", "y", "v14", Target::Version));
    assert_eq!(notes.len(), 3);
}

/// All notes are checked whenever their number has doubled.
#[test]
fn notes_that_are_seen_are_dropped_from_all_maps() {
    let mut notes = Notes::default();
    let names: Vec<String> = (0..200).map(|number| format!("x{number}")).collect();
    let full = names.iter().map(|name| {
        let full = notes.add(note("create", name, "10", Target::Version));
        full.len()
    });
    let full: Vec<usize> = full.filter(|full| *full > 0).collect();
    assert_eq!(full, [64, 128]);
    let numbers = notes
        .of_place("configmaps", Some("a"))
        .map(|(number, _)| number);
    for number in numbers.collect::<Vec<_>>() {
        notes.remove(number).unwrap();
    }
    assert_eq!(notes.len(), 0);
    assert_eq!(
        format!("{notes:?}").matches("configmaps").count(),
        0,
        "{notes:?}"
    );
}

#[test]
fn an_unknown_outcome_is_resolved_by_what_the_server_has() {
    let version = ResourceVersion::new("20");
    let object = Found::Object(ResourceVersion::new("15"), Some(Uid::new("u")));
    let nothing = Found::Nothing(version.clone());
    let bound = Found::Bound(version.clone());
    for (verb, known, found, expected) in [
        ("create", "", &object, Some((Target::Version, "15"))),
        ("create", "", &nothing, None),
        ("create", "", &bound, Some((Target::Version, "20"))),
        ("delete", "", &object, Some((Target::Version, "15"))),
        ("delete", "", &nothing, Some((Target::Version, "20"))),
        ("delete", "12", &nothing, Some((Target::Gone, "12"))),
    ] {
        let mut notes = Notes::default();
        notes.add(note(verb, "x", known, Target::Unknown));
        let unknown = notes.unknown("/api/v1/namespaces/a/configmaps");
        assert_eq!(unknown, [0]);
        let mut note = Arc::unwrap_or_clone(notes.remove(0).unwrap());
        assert_eq!(sight(&note, "99", None), Sight::Missing);
        let resolved = note.resolve(found).then_some(&note);
        let resolved = resolved.map(|note| (&note.target, &note.write.resource_version));
        let expected = expected.map(|(target, version)| (target, ResourceVersion::new(version)));
        assert_eq!(
            resolved,
            expected.as_ref().map(|(target, version)| (target, version)),
            "{verb} {found:?}"
        );
        notes.put(0, note);
        assert!(notes.unknown("/api/v1/namespaces/a/configmaps").is_empty());
    }
}
