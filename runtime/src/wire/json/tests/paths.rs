//! Compares paths over bytes, both cut and read, with the same paths over a decoded document.

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use serde_json::{Map, Value, json};

use super::{default, split_list, split_watch};
use crate::fuzzing::{Speller, remove, scalars};
use crate::wire::{DropFields, FieldPath, RawEvent, RawObject};

/// Names of members; one needs escapes, one needs a quoted key.
const NAMES: [&str; 5] = ["a", "b", "c", "d.e", "\u{e9}\""];

/// Generates documents that contain paths of `NAMES`.
fn value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i32>().prop_map(Value::from),
        // Fractions that survive a round trip.
        any::<i16>().prop_map(|number| json!(f64::from(number) / 8.0)),
        "[a-z\"\\\\\u{e9}]{0,6}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 4, |inner| {
        prop_oneof![
            1 => vec(inner.clone(), 0..4).prop_map(Value::from),
            3 => vec((select(&NAMES), inner), 0..5).prop_map(members),
        ]
    })
}

fn members(members: Vec<(&str, Value)>) -> Value {
    let members = members.into_iter();
    members
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn path() -> impl Strategy<Value = FieldPath> {
    vec(select(&NAMES), 1..4).prop_map(|names| {
        let keys: Vec<_> = names.iter().map(|name| format!("['{name}']")).collect();
        format!("x{}", keys.concat()).parse().unwrap()
    })
}

/// Returns an object with the member `x` beside its metadata.
fn object(x: &Value, managed: &Value) -> Value {
    json!({"metadata": {"name": "n", "managedFields": managed}, "x": x})
}

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
}

proptest! {
    /// X-06: cuts do not depend on the spelling; the splitter also cuts `metadata.managedFields`.
    #[test]
    fn x06_cutting_paths_equals_removing_them(
        x in value(),
        managed in value(),
        paths in vec(path(), 0..4),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        let spelt = speller.value(&object(&x, &managed));
        let drop = DropFields::of_paths(paths.clone()).unwrap();
        let mut expected = object(&x, &managed);
        for path in &paths {
            remove(&mut expected, &path.names().collect::<Vec<_>>());
        }
        let raw = RawObject::json(spelt.clone()).unwrap();
        let cut = raw.without(&drop);
        prop_assert_eq!(parse(cut.bytes()), expected.clone());
        if expected == object(&x, &managed) {
            prop_assert_eq!(cut.bytes().as_ptr(), raw.bytes().as_ptr(), "no copy");
        }

        let options = default().drop_fields(drop.clone());
        let keep = options.clone().keep_managed_fields(true);
        let list = format!("{{\"items\":[{spelt}]}}");
        let (items, _) = split_list(speller.frames(list.as_bytes()), &keep);
        prop_assert_eq!(parse(items[0].as_ref().unwrap().bytes()), expected.clone());
        if let Some(Value::Object(metadata)) = expected.get_mut("metadata") {
            metadata.remove("managedFields");
        }
        let (items, end) = split_list(speller.frames(list.as_bytes()), &options);
        prop_assert_eq!(parse(items[0].as_ref().unwrap().bytes()), expected.clone());
        prop_assert!(end.unwrap().1.copies <= 1, "all cuts are one copy");
        let event = format!("{{\"type\":\"ADDED\",\"object\":{spelt}}}");
        let (events, _) = split_watch(speller.frames(event.as_bytes()), &options);
        let RawEvent::Added(added) = &events[0] else {
            return Err(TestCaseError::fail(format!("{events:?}")));
        };
        prop_assert_eq!(parse(added.bytes()), expected);
    }

    /// I-15: indices over paths read the bytes.
    #[test]
    fn i15_values_read_from_bytes_are_those_of_the_document(
        x in value(),
        path in path(),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        let document = object(&x, &Value::Null);
        let raw = RawObject::json(speller.value(&document)).unwrap();
        let names: Vec<_> = path.names().collect();
        prop_assert_eq!(raw.values_at(&path).ok(), scalars(&document, &names));
    }

    /// I-15, S-09: labels and owner that are read from the bytes equal those of the decoded object.
    #[test]
    fn i15_labels_read_from_bytes_are_those_of_the_document(
        labels in vec((select(&NAMES), "[a-z\"]{0,4}"), 0..6),
        seed in any::<u64>(),
    ) {
        let mut speller = Speller::with_seed(seed);
        // Keys may occur twice.
        let spelt = labels.iter().map(|(key, value)| {
            (key.to_string(), speller.value(&Value::from(value.as_str())))
        });
        let spelt: Vec<_> = spelt.collect();
        let spelt = speller.object(spelt);
        let document = format!("{{\"metadata\":{{\"name\":\"n\",\"labels\":{spelt}}}}}");
        let raw = RawObject::json(document.clone()).unwrap();
        let read = raw.related().labels;
        let read = read.iter().map(|(key, value)| (key.to_string(), Value::from(value.as_ref())));
        let read: Vec<_> = read.collect();
        let expected = parse(document.as_bytes())["metadata"]["labels"].clone();
        let keys: Vec<_> = read.iter().map(|(key, _)| key.clone()).collect();
        prop_assert!(keys.is_sorted());
        prop_assert_eq!(keys.len(), expected.as_object().unwrap().len());
        prop_assert_eq!(Value::Object(read.into_iter().collect::<Map<_, _>>()), expected);
    }

    /// X-06, W-16: malformed text is cut or left alone, and never panics.
    #[test]
    fn x06_broken_text_never_panics(
        x in value(),
        path in path(),
        edits in vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut spelt = object(&x, &Value::Null).to_string().into_bytes();
        // The header stays intact.
        let start = spelt.iter().position(|&byte| byte == b'x').unwrap();
        for (place, byte) in edits {
            let at = start + place.index(spelt.len() - start);
            spelt[at] = byte;
        }
        let drop = DropFields::of_paths(vec![path.clone()]).unwrap();
        let raw = RawObject::json(spelt).unwrap();
        let _ = raw.values_at(&path);
        let _ = raw.without(&drop).decode::<Value>();
    }
}

/// W-04, X-06: all other bytes stay unchanged.
#[test]
fn x06_every_other_byte_stays() {
    let cut = |text: &str, paths: &[&str]| {
        let raw = RawObject::json(text.to_owned()).unwrap();
        let drop = DropFields::new(paths).unwrap();
        String::from_utf8(raw.without(&drop).bytes().to_vec()).unwrap()
    };
    let text = r#"{ "metadata" : {"name":"n"} , "a" : 1 , "b" : [ {"c":1, "d":2}, {"d":3} ] }"#;
    assert_eq!(
        cut(text, &["a"]),
        r#"{ "metadata" : {"name":"n"}  , "b" : [ {"c":1, "d":2}, {"d":3} ] }"#
    );
    assert_eq!(
        cut(text, &["b[*].d"]),
        r#"{ "metadata" : {"name":"n"} , "a" : 1 , "b" : [ {"c":1}, {} ] }"#
    );
    assert_eq!(
        cut(text, &["a", "b.c", "b.d"]),
        r#"{ "metadata" : {"name":"n"}  , "b" : [ { }, {} ] }"#
    );
    assert_eq!(cut(text, &["a", "b"]), r#"{ "metadata" : {"name":"n"}   }"#);
    let first = r#"{"a":1 , "b":2, "metadata":{"name":"n"}}"#;
    assert_eq!(cut(first, &["a", "b"]), r#"{  "metadata":{"name":"n"}}"#);
    assert_eq!(cut(first, &["b.c", "x", "metadata.labels"]), first);
}

/// W-04, X-06: arrays that are nested too deeply are left to the decoder, which rejects them.
#[test]
fn x06_deep_arrays_do_not_exhaust_the_stack() {
    let deep = format!(
        r#"{{"metadata":{{"name":"n"}},"x":{}{}}}"#,
        "[".repeat(100_000),
        "]".repeat(100_000)
    );
    let raw = RawObject::json(deep).unwrap();
    let drop = DropFields::new(["x.a"]).unwrap();
    assert_eq!(raw.without(&drop).bytes(), raw.bytes());
    let error = raw.values_at(&"x.a".parse().unwrap()).unwrap_err();
    assert_eq!(error.to_string(), "`x.a`: arrays are nested too deeply");
    assert!(raw.decode::<Value>().is_err());
}

/// X-06, I-15: malformed text is neither cut nor read; the decoder reports the error.
#[test]
fn x06_malformed_text_is_left_to_the_decoder() {
    for x in [
        r#"[{"a":1} {"a":2}]"#,
        r#"[{"a":1},]"#,
        r#"[,{"a":1}]"#,
        r#"{"a":1 "b":2}"#,
        r#"{"a":1,}"#,
        r#"{,"a":1}"#,
        r#"{"a" 1}"#,
    ] {
        let text = format!(r#"{{"metadata":{{"name":"n"}},"x":{x}}}"#);
        let raw = RawObject::json(text).unwrap();
        let drop = DropFields::new(["x.a"]).unwrap();
        assert_eq!(raw.without(&drop).bytes(), raw.bytes(), "{x}");
        assert!(raw.values_at(&"x.a".parse().unwrap()).is_err(), "{x}");
        assert!(raw.decode::<Value>().is_err(), "{x}");
    }
}

/// X-06: the error of a decoder that misses a field states that the field was dropped.
#[test]
fn x06_an_error_names_the_required_field_that_was_dropped() {
    #[derive(Debug, serde::Deserialize)]
    struct Spec {
        #[expect(dead_code, reason = "the test only decodes")]
        parts: Vec<Part>,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Part {
        #[expect(dead_code, reason = "the test only decodes")]
        image: String,
    }
    #[derive(Debug, serde::Deserialize)]
    struct Foo {
        #[expect(dead_code, reason = "the test only decodes")]
        spec: Spec,
    }
    let text = r#"{"metadata":{"name":"n"},"spec":{"parts":[{"image":"a"}]}}"#;
    let raw = RawObject::json(text).unwrap();
    let error = |path: &str| {
        let drop = DropFields::new([path]).unwrap();
        raw.without(&drop).decode::<Foo>().unwrap_err().to_string()
    };
    assert!(
        error("spec.parts[*].image").ends_with(
            "spec.parts[0]: missing field `image`: `spec.parts.image` was dropped by `drop_fields`"
        ),
        "{}",
        error("spec.parts[*].image")
    );
    assert!(
        error("spec").ends_with(".: missing field `spec`: `spec` was dropped by `drop_fields`")
    );
    let missing = RawObject::json(r#"{"metadata":{"name":"n"}}"#).unwrap();
    let other = DropFields::new(["status"]).unwrap();
    let error = missing.without(&other).decode::<Foo>().unwrap_err();
    assert_eq!(error.message, "missing field `spec`");
}

/// I-15: a value that is not a scalar, or is malformed, is an error.
#[test]
fn i15_a_value_that_is_not_a_scalar_is_an_error() {
    for (x, expected) in [
        ("{}", "`x`: the path ends at an object, not at a scalar"),
        ("trux", "`x`: a number is malformed"),
        ("falsy", "`x`: a number is malformed"),
        ("1-2", "`x`: a number is malformed"),
    ] {
        let raw = RawObject::json(format!(r#"{{"metadata":{{"name":"n"}},"x":{x}}}"#)).unwrap();
        let error = raw.values_at(&"x".parse().unwrap()).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

/// I-15: a null label is skipped, and the other labels are read.
#[test]
fn i15_a_null_label_is_left_out() {
    let text = r#"{"metadata":{"name":"n","labels":{"a":null,"b":"1"}}}"#;
    let raw = RawObject::json(text).unwrap();
    let related = raw.related();
    let labels: Vec<_> = related
        .labels
        .iter()
        .map(|(key, value)| (&**key, &**value))
        .collect();
    assert_eq!(labels, [("b", "1")]);
}

/// I-15: an index over booleans has the values `true` and `false`.
#[test]
fn i15_booleans_read_as_json_spells_them() {
    let text = r#"{"metadata":{"name":"n"},"x":[true,false,null,true]}"#;
    let raw = RawObject::json(text).unwrap();
    let values = raw.values_at(&"x".parse().unwrap()).unwrap();
    assert_eq!(values, ["true", "false", "true"]);
}

/// I-15: among members with the same name, the last one counts, as in decoders.
#[test]
fn i15_the_last_of_equal_members_counts() {
    let text = r#"{"metadata":{"name":"n"},"x":{"a":["1","2"],"a":"3"},"x":{"a":"4","a":[5]}}"#;
    let raw = RawObject::json(text).unwrap();
    assert_eq!(raw.values_at(&"x.a".parse().unwrap()).unwrap(), ["5"]);
    assert_eq!(parse(text.as_bytes())["x"]["a"], json!([5]));
}
