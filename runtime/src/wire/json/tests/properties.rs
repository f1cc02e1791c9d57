//! Compares the splitter with a naive oracle, for generated documents, spellings and frame
//! boundaries.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::{Map, Value};

use super::{Items, default, split_list, split_watch};
use crate::fuzzing::{Speller, json_list};
use crate::wire::RawEvent;

/// Generates any text, preferring characters with a meaning in JSON.
fn text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z]{1,12}",
        "[\"\\\\{}\\[\\],:nu0\u{e9}\u{1f600}\n]{0,12}",
        any::<String>(),
        "[a-z]{30,90}",
        r#"[a-z\\"{}\[\]]{60,200}"#,
    ]
}

pub(in crate::wire::json) fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        text().prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 24, 4, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..4).prop_map(Value::from),
            vec((text(), inner), 0..4).prop_map(|members| members.into_iter().collect()),
        ]
    })
}

fn object() -> impl Strategy<Value = Value> {
    let metadata = (
        "[a-z\u{e9}\"/]{1,8}",
        option::of("[a-z]{0,4}"),
        option::of("[0-9]{1,4}"),
        option::of(value()),
        option::of(value()),
    );
    (metadata, vec((text(), value()), 0..3)).prop_map(|(metadata, others)| {
        let (name, namespace, version, managed, labels) = metadata;
        let mut meta = Map::new();
        meta.insert("name".into(), name.into());
        meta.extend(namespace.map(|namespace| ("namespace".into(), namespace.into())));
        meta.extend(version.map(|version| ("resourceVersion".into(), version.into())));
        meta.extend(managed.map(|managed| ("managedFields".into(), managed)));
        meta.extend(labels.map(|labels| ("labels".into(), labels)));
        let mut object: Map<String, Value> = others.into_iter().collect();
        object.insert("metadata".into(), meta.into());
        object.remove("kind");
        object.remove("apiVersion");
        object.into()
    })
}

/// Returns the expected object.
fn without_managed_fields(object: &Value) -> Value {
    let mut object = object.clone();
    if let Some(Value::Object(metadata)) = object.get_mut("metadata") {
        metadata.remove("managedFields");
    }
    object
}

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

fn string_at(object: &Value, path: &str) -> String {
    object
        .pointer(path)
        .and_then(Value::as_str)
        .unwrap_or_default()
        .to_owned()
}

/// Returns the observable content of split items.
fn visible(items: &Items) -> Vec<String> {
    let show = |item: &Result<_, _>| match item {
        Ok(object) => {
            let object: &crate::wire::RawObject = object;
            format!("{:?} {:?}", object.header(), object.bytes())
        }
        Err(rejected) => format!("{rejected:?}"),
    };
    items.iter().map(show).collect()
}

/// W-02: a header that is read before the end of its object is known must imply the same end as a
/// scan of the whole object, which happens if the object spans frames.
#[test]
fn w02_a_broken_scalar_in_metadata_gives_the_same_objects_in_every_framing() {
    for odd in ["\"", "{", "[", "\\", "\u{e9}", "]"] {
        let broken = format!(r#"{{"metadata":{{"name":"a","odd":tr{odd}ue,"b":"}}]"}},"c":1}}"#);
        let body = format!(r#"{{"items":[{broken},{{"metadata":{{"name":"d"}}}}]}}"#);
        let (whole, whole_end) = split_list([body.as_bytes()], &default());
        for size in 1..body.len() {
            let (framed, framed_end) = split_list(body.as_bytes().chunks(size), &default());
            assert_eq!(visible(&whole), visible(&framed), "{body} by {size}");
            assert_eq!(whole_end.is_ok(), framed_end.is_ok(), "{body} by {size}");
        }
    }
}

proptest! {
    /// W-02, W-03, W-04.
    #[test]
    fn w02_a_list_splits_into_the_same_objects_in_any_spelling_and_framing(
        objects in vec(object(), 0..6),
        other in value(),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        let spelt: Vec<_> = objects.iter().map(|object| speller.value(object)).collect();
        let items = speller.array(&spelt);
        let other = speller.value(&other);
        let meta = speller.value(&serde_json::json!({"resourceVersion": "7", "continue": "é"}));
        let body = speller.object(vec![
            ("kind".into(), "\"FooList\"".into()),
            ("other".into(), other),
            ("metadata".into(), meta),
            ("items".into(), items),
        ]);
        for keep in [false, true] {
            let options = default().keep_managed_fields(keep);
            let (items, end) = split_list(speller.frames(body.as_bytes()), &options);
            let (meta, stats) = end.unwrap();
            prop_assert_eq!(meta.resource_version.to_string(), "7");
            prop_assert_eq!(meta.continue_token.as_deref(), Some("é"));
            prop_assert_eq!(items.len(), objects.len());
            prop_assert!(stats.copies <= stats.objects);
            for ((item, object), spelt) in items.iter().zip(&objects).zip(&spelt) {
                let item = item.as_ref().unwrap();
                if keep {
                    prop_assert_eq!(item.bytes(), spelt.as_bytes());
                }
                let whole = if keep { object.clone() } else { without_managed_fields(object) };
                prop_assert_eq!(parse(item.bytes()), whole);
                prop_assert_eq!(item.key().name(), string_at(object, "/metadata/name"));
                prop_assert_eq!(
                    item.key().namespace().unwrap_or_default(),
                    string_at(object, "/metadata/namespace")
                );
                prop_assert_eq!(
                    item.resource_version().to_string(),
                    string_at(object, "/metadata/resourceVersion")
                );
            }
        }
    }

    /// W-17, W-02.
    #[test]
    fn w17_a_watch_splits_into_the_same_events_in_any_spelling_and_framing(
        objects in vec(object(), 0..6),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        let mut body = String::new();
        for object in &objects {
            let object = speller.value(object);
            body += &speller.object(vec![
                ("type".into(), "\"MODIFIED\"".into()),
                ("object".into(), object),
            ]);
            body += speller.choose(&["", "\n", "\r\n", "\n\n"]);
        }
        let (events, end) = split_watch(speller.frames(body.as_bytes()), &default());
        prop_assert_eq!(end.unwrap().objects, objects.len() as u64);
        prop_assert_eq!(events.len(), objects.len());
        for (event, object) in events.iter().zip(&objects) {
            let RawEvent::Modified(found) = event else {
                return Err(TestCaseError::fail(format!("{event:?}")));
            };
            prop_assert_eq!(parse(found.bytes()), without_managed_fields(object));
        }
    }

    /// W-02, W-16: a malformed body fails at the same offset in every framing, and never panics.
    #[test]
    fn w02_a_broken_body_gives_the_same_objects_in_every_framing(
        objects in vec(object(), 0..4),
        edits in vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        let mut body = speller.value(&serde_json::json!({"items": objects})).into_bytes();
        for (place, byte) in edits {
            let at = place.index(body.len());
            body[at] = byte;
        }
        json_list(&body);
    }
}
