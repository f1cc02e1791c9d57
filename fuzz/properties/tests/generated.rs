//! The properties hold for generated documents: valid ones, and damaged ones.

use informer_fuzz_properties::{json_list, json_object, json_watch, protobuf_encode};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use serde_json::{Map, Value, json};

/// Names of members; one needs escapes, one needs a quoted key.
const NAMES: [&str; 5] = ["a", "b", "c", "d.e", "\u{e9}\""];

/// Generates any text, preferring characters with a meaning in JSON.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        select(&NAMES).prop_map(str::to_owned),
        "[\"\\\\{}\\[\\],:nu0\u{e9}\u{1f600}\n]{0,12}",
        any::<String>(),
        r#"[a-z\\"{}\[\]]{60,200}"#,
    ]
}

fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        // Fractions that survive a round trip.
        any::<i16>().prop_map(|number| json!(f64::from(number) / 8.0)),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => vec((text(), inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

/// Generates objects with the member `x` beside their metadata.
fn object() -> impl Strategy<Value = Value> {
    let labels = vec((select(&NAMES), "[a-z\"]{0,4}"), 0..6);
    let metadata = (
        "[a-z\u{e9}\"/]{1,8}",
        option::of("[a-z]{0,4}"),
        option::of("[0-9]{1,4}"),
        option::of(value()),
        option::of(labels),
    );
    (metadata, value(), vec((text(), value()), 0..3)).prop_map(|(metadata, x, others)| {
        let (name, namespace, version, managed, labels) = metadata;
        let mut meta = Map::new();
        meta.insert("name".into(), name.into());
        meta.extend(namespace.map(|namespace| ("namespace".into(), namespace.into())));
        meta.extend(version.map(|version| ("resourceVersion".into(), version.into())));
        meta.extend(managed.map(|managed| ("managedFields".into(), managed)));
        meta.extend(labels.map(|labels| {
            let labels = labels.into_iter();
            let labels = labels.map(|(key, value)| (key.to_owned(), value));
            ("labels".into(), labels.collect::<Value>())
        }));
        let mut object: Map<String, Value> = others.into_iter().collect();
        object.insert("metadata".into(), meta.into());
        object.insert("x".into(), x);
        object.into()
    })
}

fn path() -> impl Strategy<Value = String> {
    vec(select(&NAMES), 0..4).prop_map(|names| {
        let keys: Vec<_> = names.iter().map(|name| format!("['{name}']")).collect();
        format!("x{}\n", keys.concat())
    })
}

/// Generates replacements of bytes, mostly none.
fn edits() -> impl Strategy<Value = Vec<(Index, u8)>> {
    prop_oneof![Just(Vec::new()), vec(any::<(Index, u8)>(), 1..4)]
}

fn damaged(text: String, edits: Vec<(Index, u8)>) -> Vec<u8> {
    let mut bytes = text.into_bytes();
    for (place, byte) in edits {
        let at = place.index(bytes.len());
        if let Some(changed) = bytes.get_mut(at) {
            *changed = byte;
        }
    }
    bytes
}

proptest! {
    /// W-02, W-03, W-04, W-16.
    #[test]
    fn w02_a_list_splits_into_the_same_objects_in_any_spelling_and_framing(
        objects in vec(object(), 0..6),
        other in value(),
        edits in edits(),
    ) {
        let list = json!({
            "kind": "FooList",
            "other": other,
            "metadata": {"resourceVersion": "7", "continue": "\u{e9}"},
            "items": objects,
        });
        json_list(&damaged(list.to_string(), edits));
    }

    /// W-17, W-02.
    #[test]
    fn w17_a_watch_splits_into_the_same_events_in_any_spelling_and_framing(
        objects in vec(object(), 0..6),
        separator in select(vec!["", "\n", "\r\n", "\n\n"]),
        edits in edits(),
    ) {
        let events = objects.into_iter().map(|object| json!({"type": "MODIFIED", "object": object}));
        let events = events.map(|event| event.to_string() + separator);
        json_watch(&damaged(events.collect::<String>() + " ", edits));
    }

    /// W-03, X-06, I-15, S-09: cuts and reads of paths do not depend on the spelling, and are those
    /// of the document.
    #[test]
    fn x06_paths_in_bytes_are_those_of_the_document(
        object in object(),
        paths in vec(path(), 0..4),
        edits in edits(),
    ) {
        let mut input = paths.concat().into_bytes();
        input.extend(damaged(object.to_string(), edits));
        json_object(&input);
    }

    #[test]
    fn any_object_is_encoded_and_decoded_or_an_error(object in object()) {
        protobuf_encode(object.to_string().as_bytes());
    }
}

/// W-02: a header that is read before the end of its object is known must imply the same end as a
/// scan of the whole object, which happens if the object spans frames.
#[test]
fn w02_a_broken_scalar_in_metadata_gives_the_same_objects_in_every_framing() {
    for odd in ["\"", "{", "[", "\\", "\u{e9}", "]"] {
        let broken = format!(r#"{{"metadata":{{"name":"a","odd":tr{odd}ue,"b":"}}]"}},"c":1}}"#);
        let body = format!(r#"{{"kind":"List","items":[{broken},{{"metadata":{{"name":"d"}}}}]}}"#);
        json_list(body.as_bytes());
    }
}
