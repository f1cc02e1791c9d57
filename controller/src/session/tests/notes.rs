//! Notes without a session: what a cache shows, what is replaced, and what is dropped.

use std::sync::Arc;

use informer_runtime::{ResourceVersion, Uid};
use tokio::time::Instant;

use crate::session::notes::{
    Found, FoundObject, Note, NotePlace, NoteTarget, Notes, Resolved, Selected, Sight,
};
use crate::session::write::{Concern, OwnWrite};

const URL: &str = "/api/v1/namespaces/a/configmaps";

fn note(verb: &'static str, name: &str, version: &str, target: NoteTarget) -> Note {
    let write = OwnWrite {
        verb,
        resource: "configmaps".into(),
        namespace: "a".into(),
        name: Some(name).filter(|name| !name.is_empty()).map(Arc::from),
        uid: Some(Uid::new("u")).filter(|_| target != NoteTarget::Unknown),
        resource_version: ResourceVersion::new(version),
    };
    Note {
        target,
        ..Note::new(write, URL)
    }
}

fn sight(note: &Note, version: &str, entry: Option<&str>) -> Sight {
    let (version, uid) = (ResourceVersion::new(version), entry.map(Uid::new));
    // The stored object is as old as the cache.
    note.sight(1, &version, Instant::now(), || {
        uid.as_ref()
            .is_some_and(|uid| note.means(Some(uid), &version))
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
        let write = note("create", "x", "10", NoteTarget::Version);
        assert_eq!(sight(&write, stored, None), expected, "{stored}");
    }
    let write = note("create", "x", long, NoteTarget::Version);
    assert_eq!(sight(&write, "99999", None), Sight::Missing);
    let write = note("create", "x", "v7", NoteTarget::Version);
    assert_eq!(sight(&write, "v7", None), Sight::Seen);
}

#[test]
fn n02_a_cache_shows_a_deletion_when_it_knew_the_object_and_dropped_it() {
    let write = note("delete", "x", "10", NoteTarget::Gone);
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
    let mut write = note("patch", "x", "10", NoteTarget::Version);
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
        key: informer_runtime::object::ObjectKey::namespaced("a", name),
    };
    let concerning = |mut note: Note, name| {
        note.concerns.insert(owner(name));
        note
    };
    notes.add(concerning(
        note("create", "x", "10", NoteTarget::Version),
        "one",
    ));
    notes.add(concerning(
        note("patch", "x", "12", NoteTarget::Version),
        "two",
    ));
    // An answer that was overtaken.
    notes.add(concerning(
        note("patch", "x", "11", NoteTarget::Version),
        "two",
    ));
    assert_eq!(notes.len(), 1);
    // N-10. A server that was restored: the earlier write is lost.
    let mut restored = Notes::default();
    restored.add(note("patch", "x", "12", NoteTarget::Version));
    let mut later = note("patch", "x", "9", NoteTarget::Version);
    later.ahead = vec![(1, ResourceVersion::new("40"))];
    restored.add(later);
    let (_, kept) = restored.all().next().unwrap();
    let version = kept.write.resource_version.to_string();
    assert_eq!(
        (restored.len(), version.as_str(), kept.ahead.len()),
        (1, "9", 1)
    );
    for name in ["one", "two"] {
        let owner = owner(name);
        let (_, note) = notes.concerning([&owner]).next().unwrap();
        let version = &note.write.resource_version;
        assert_eq!(*version, ResourceVersion::new("12"), "{name}");
    }
    notes.add(note("delete", "x", "12", NoteTarget::Gone));
    let (_, deletion) = notes.of_place("configmaps", Some("a")).next().unwrap();
    assert_eq!(deletion.target, NoteTarget::Gone);
    // Another object, and versions that cannot be compared.
    notes.add(note("create", "y", "13", NoteTarget::Version));
    notes.add(note("patch", "y", "v14", NoteTarget::Version));
    assert_eq!(notes.len(), 3);
}

/// All notes are checked whenever their number has doubled.
#[test]
fn notes_that_are_seen_are_dropped_from_all_maps() {
    let mut notes = Notes::default();
    let names: Vec<String> = (0..200).map(|number| format!("x{number}")).collect();
    let full = names.iter().map(|name| {
        let full = notes.add(note("create", name, "10", NoteTarget::Version));
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

/// N-12. Until a cache has reached the server's version, it shows a deletion as long as it does not
/// hold the object.
#[test]
fn n12_a_cache_shows_an_absence_while_it_does_not_hold_the_object() {
    let mut write = note("delete", "x", "20", NoteTarget::Absent);
    write.write.uid = None;
    for (stored, entry, expected) in [
        ("9", None, Sight::Clear),
        ("9", Some("u"), Sight::Missing),
        ("20", None, Sight::Seen),
        // Another object with its name, which the server has made later.
        ("21", Some("later"), Sight::Seen),
    ] {
        assert_eq!(sight(&write, stored, entry), expected, "{stored} {entry:?}");
    }
    // An earlier object with its name, which had gone before: the deletion of another uid is not shown.
    let write = note("delete", "x", "20", NoteTarget::Absent);
    assert_eq!(sight(&write, "9", Some("earlier")), Sight::Missing);
    // Of a collection, what the server still had may be held.
    let mut write = note("deletecollection", "", "20", NoteTarget::Absent);
    write.write.uid = None;
    write.remaining = Arc::new([Uid::new("kept")].into());
    assert_eq!(sight(&write, "9", Some("kept")), Sight::Clear);
    assert_eq!(sight(&write, "9", Some("gone")), Sight::Missing);
}

/// N-10. The version of a cache counts only after it has gone back to the history of the server.
#[test]
fn n10_a_cache_of_a_lost_history_shows_no_write() {
    for target in [NoteTarget::Version, NoteTarget::Gone, NoteTarget::Absent] {
        let mut write = note("patch", "x", "9", target);
        write.ahead = vec![(1, ResourceVersion::new("38"))];
        assert_eq!(sight(&write, "38", None), Sight::Missing);
        assert_eq!(sight(&write, "40", None), Sight::Missing);
        assert_eq!(sight(&write, "9", None), Sight::Seen);
        let other = write.sight(2, &ResourceVersion::new("38"), Instant::now(), || false);
        assert_eq!(other, Sight::Seen);
        // It does not hold an object outside of its selectors, in no history.
        write.left_out = vec![1];
        assert_eq!(sight(&write, "38", None), Sight::Seen);
    }
}

/// Verb, known version, and target of a note; what it waits for after each answer of the server: no
/// object, the object, or another one with its name; then the same answers of a server that is
/// behind the write. `v15` is a version to be reached, `g12` the end of an object of that version,
/// `a20` an absence at that version. `=` is what was waited for before.
const ANSWERS: [&str; 8] = [
    "create -  Unknown: done v15 v15 done v5 v5",
    "patch  -  Unknown: a20  v15 v15 a8   v5 v5",
    "delete -  Unknown: a20  v15 v15 a8   v5 v5",
    "delete 12 Unknown: g12  v15 v15 a8   v5 v5",
    // The last write before the end of an object by rules of its own.
    "patch  12 Unknown: g12  v15 v15 a8   v5 v5",
    "patch  12 Version: =    =   =   a8   v5 v5",
    "delete 12 Gone:    =    v15 =   a8   v5 v5",
    "delete 12 Absent:  =    v15 =   a8   v5 v5",
];

fn answers() -> impl Iterator<Item = Found> {
    let bounds = [("20", "15"), ("8", "5")].into_iter();
    bounds.flat_map(|(bound, version)| {
        [None, Some("u"), Some("other")].map(|uid| Found {
            bound: ResourceVersion::new(bound),
            object: uid.map(|uid| FoundObject {
                version: ResourceVersion::new(version),
                uid: Some(Uid::new(uid)),
            }),
            remaining: Arc::default(),
        })
    })
}

/// N-10, N-12.
#[test]
fn n12_a_note_waits_for_what_the_server_tells() {
    for row in ANSWERS {
        let (head, expected) = row.split_once(':').unwrap();
        let [verb, version, target] = head.split_whitespace().collect::<Vec<_>>()[..] else {
            panic!("{row}")
        };
        let verb = ["create", "patch", "delete"]
            .into_iter()
            .find(|known| *known == verb);
        let targets = [
            NoteTarget::Unknown,
            NoteTarget::Version,
            NoteTarget::Gone,
            NoteTarget::Absent,
        ];
        let target = targets
            .into_iter()
            .find(|known| format!("{known:?}") == target);
        let version = version.trim_matches('-');
        for (found, expected) in answers().zip(expected.split_whitespace()) {
            let mut note = note(verb.unwrap(), "x", version, target.unwrap());
            note.write.uid = (!version.is_empty()).then(|| Uid::new("u"));
            let shown = match note.resolve(&found) {
                Resolved::Done => "done".to_owned(),
                Resolved::Unchanged => "=".to_owned(),
                Resolved::Changed => {
                    let kind = format!("{:?}", note.target).to_lowercase();
                    format!("{}{}", &kind[..1], note.write.resource_version)
                }
            };
            assert_eq!(shown, expected, "{row}: {found:?}");
        }
    }
}

/// N-13. One note stands for many that no cache can show, and keeps nothing of each.
#[test]
fn n13_folded_notes_are_one_with_the_latest_version() {
    let mut notes = Notes::default();
    for (number, version) in [(0, "10"), (1, "30"), (2, "20")] {
        notes.add(note(
            "create",
            &format!("x{number}"),
            version,
            NoteTarget::Version,
        ));
    }
    notes.add(note("delete", "y", "", NoteTarget::Unknown));
    for number in 0..4 {
        notes.fold(number);
    }
    assert_eq!(notes.len(), 1);
    let (_, folded) = notes.folded().next().unwrap();
    assert_eq!(
        folded.write.to_string(),
        "writes of configmaps in namespace \"a\" at resourceVersion \"30\""
    );
    assert_eq!(sight(folded, "20", None), Sight::Missing);
    assert_eq!(sight(folded, "30", None), Sight::Seen);
    // What a selector leaves out is not what it contains.
    let mut left_out = note("create", "z", "40", NoteTarget::Version);
    left_out.left_out = vec![1];
    notes.add(left_out);
    notes.fold(4);
    assert_eq!(notes.len(), 2);
    for number in notes.of_url(URL, |_, _| true) {
        notes.remove(number);
    }
    assert_eq!((notes.len(), notes.folded().count()), (0, 0));
}

/// The deletion of a collection without an answer replaces that of an earlier one.
#[test]
fn n12_a_later_list_of_a_place_replaces_an_earlier_one() {
    let mut notes = Notes::default();
    for version in ["10", "30", "20"] {
        let mut absent = note("deletecollection", "", version, NoteTarget::Absent);
        absent.write.uid = None;
        absent.remaining = Arc::new([Uid::new(version)].into());
        notes.add(absent);
    }
    assert_eq!(notes.len(), 1);
    let (_, note) = notes.all().next().unwrap();
    assert!(note.remaining.contains(&Uid::new("30")));
    assert_eq!(note.write.resource_version, ResourceVersion::new("30"));
}

/// N-02. A cache has events of an object until the object leaves its selectors.
#[test]
fn n02_the_place_of_an_object_in_a_cache() {
    let exit = |version: &str| NotePlace::Exits(ResourceVersion::new(version));
    let known = note("patch", "x", "10", NoteTarget::Version);
    let unknown = note("patch", "x", "10", NoteTarget::Unknown);
    let stays = note("create", "x", "7", NoteTarget::Version);
    let mut leaves = note("patch", "x", "8", NoteTarget::Version);
    leaves.exits = vec![(1, ResourceVersion::new("8"))];
    for (write, selected, awaited, expected) in [
        (&known, Some(Selected::Yes), None, NotePlace::Shown),
        (&known, Some(Selected::Unsure), None, NotePlace::Unsure),
        (&known, Some(Selected::No), None, NotePlace::LeftOut),
        // The cache will show the earlier write, and then that the object leaves.
        (&known, Some(Selected::No), Some(&stays), exit("10")),
        (&known, Some(Selected::No), Some(&leaves), exit("8")),
        (
            &unknown,
            Some(Selected::No),
            Some(&leaves),
            NotePlace::Shown,
        ),
        // The object is as the earlier write made it.
        (&known, None, Some(&stays), NotePlace::Shown),
        (&known, None, Some(&leaves), exit("8")),
        (&unknown, None, Some(&leaves), NotePlace::Shown),
    ] {
        let awaited: Vec<_> = awaited.into_iter().cloned().map(Arc::new).collect();
        let place = write.place(1, selected, &awaited);
        assert_eq!(place, expected, "{selected:?} {awaited:?}");
    }
}
