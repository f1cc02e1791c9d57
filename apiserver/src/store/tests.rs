use serde_json::{Value, json};

use super::{ResourceId, Store, Stored};
use crate::document::{MAX_DEPTH, Members, is_too_deep};

fn members(document: &Value) -> Members {
    document.as_object().cloned().unwrap()
}

fn path(text: &str) -> Vec<String> {
    text.split('.').map(str::to_owned).collect()
}

#[test]
fn a_stored_object_keeps_its_content() {
    let document = json!({
        "metadata": { "name": "a", "labels": { "app": "web" }, "resourceVersion": "1" },
        "spec": { "n": 5, "f": 0.1, "deep": [{ "text": "\u{1F980} \"quoted\" \n" }], "nothing": null },
        "data": {},
    });
    let object = Stored::new("x", "a", 7, members(&document));
    let mut expected = members(&document);
    expected["metadata"]["resourceVersion"] = "7".into();
    assert_eq!(object.members(), expected);
    let deleted = object.at(9);
    expected["metadata"]["resourceVersion"] = "9".into();
    assert_eq!(deleted.members(), expected);
}

#[test]
fn the_header_has_the_values_that_are_read_without_decoding() {
    let object = Stored::new(
        "x",
        "a",
        7,
        members(&json!({ "metadata": {
        "uid": "u", "deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["f", 5, "g"],
        "labels": { "app": "web", "odd": 5 },
        "ownerReferences": [{ "kind": "Pod", "uid": "o", "blockOwnerDeletion": true }, "odd"],
    } })),
    );
    assert_eq!(object.uid(), "u");
    assert!(object.is_deleting());
    assert_eq!(object.finalizers().collect::<Vec<_>>(), ["f", "g"]);
    assert_eq!(object.header.label("app"), Some("web"));
    assert_eq!(object.header.label("odd"), None);
    let owners = &object.header.owners;
    assert_eq!(
        (&*owners[0].kind, &*owners[0].uid, owners[0].blocks),
        ("Pod", "o", true)
    );
    assert_eq!((&*owners[1].uid, owners[1].blocks), ("", false));
    // An injected object may have any members.
    let raw = Stored::new("x", "a", 7, members(&json!({ "metadata": 5 })));
    assert_eq!((raw.uid(), raw.is_deleting()), ("", false));
}

#[test]
fn a_field_is_found_in_the_bytes_and_in_the_cache() {
    let object = Stored::new(
        "x",
        "a",
        7,
        members(&json!({
            "metadata": { "name": "a" },
            "spec": { "node": "n1", "on": true, "n": -5, "f": 1.5, "none": null, "list": ["a"], "key\"s": "q" },
        })),
    );
    for _ in 0..2 {
        for (at, expected) in [
            ("spec.node", Some("n1")),
            ("spec.on", Some("true")),
            ("spec.n", Some("-5")),
            ("spec.f", Some("1.5")),
            ("spec.key\"s", Some("q")),
            ("metadata.resourceVersion", Some("7")),
            ("spec", None),
            ("spec.none", None),
            ("spec.list", None),
            ("spec.list.0", None),
            ("spec.node.more", None),
            ("status.phase", None),
        ] {
            object.with_field(&path(at), |found| assert_eq!(found, expected, "{at}"));
        }
    }
}

/// Every object that is stored can be decoded.
#[test]
fn documents_at_the_maximum_depth_can_be_decoded() {
    let nested = |levels: usize| (1..levels).fold(json!([]), |inner, _| json!([inner]));
    assert!(!is_too_deep(&nested(MAX_DEPTH)));
    assert!(is_too_deep(&nested(MAX_DEPTH + 1)));
    let deep = members(&json!({ "spec": nested(MAX_DEPTH - 1) }));
    assert_eq!(
        Stored::new("x", "a", 1, deep.clone()).members()["spec"],
        deep["spec"]
    );
}

/// Large objects leave the log before the number of events is reached.
#[test]
fn the_log_is_bounded_in_bytes() {
    let mut store = Store::new(10_000);
    let id = ResourceId(1);
    store.open(id);
    let text = "x".repeat(16 * 1024 * 1024);
    for _ in 0..17 {
        let document = json!({ "metadata": { "name": "a" }, "data": text });
        store.put(id, "", "a", members(&document));
    }
    assert_eq!(store.log.after(id, 0).count(), 15);
    assert_eq!(store.log.compacted(), 2);
    store.log.compact();
    store.put(id, "", "a", members(&json!({ "metadata": {} })));
    assert_eq!(store.log.after(id, 0).count(), 1);
}
