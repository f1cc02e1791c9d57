//! Paths over bytes: cut and read without decoding.

use serde_json::{Value, json};

use crate::wire::{DropFields, RawObject};

fn parse(bytes: &[u8]) -> Value {
    serde_json::from_slice(bytes).unwrap()
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

/// X-06: an object keeps the fields that are listed, and those by which it is found.
#[test]
fn x06_all_but_the_listed_fields_are_cut() {
    let text = r#"{"kind":"Foo","apiVersion":"v1","metadata":{"uid":"u","annotations":{"a":"1","b":"2"},
        "labels":{"l":"1"},"managedFields":[{}],"name":"n","finalizers":["f"],"ownerReferences":[{"uid":"o"}],
        "namespace":"a","deletionTimestamp":null,"resourceVersion":"7","generation":3},
        "spec":{"parts":[{"image":"i","env":[{"a":"b"}]},{"env":[]},7],"x":1},"status":{"y":{"z":2},"w":[1]}}"#;
    let raw = RawObject::json(text).unwrap();
    let found = r#""uid":"u","labels":{"l":"1"},"name":"n","finalizers":["f"],"ownerReferences":[{"uid":"o"}],
        "namespace":"a","deletionTimestamp":null,"resourceVersion":"7""#;
    for (paths, metadata, rest) in [
        (&[][..], "", ""),
        (&["metadata.labels['l']", "none.at.all"], "", ""),
        (&["status.y"], "", r#","status":{"y":{"z":2}}"#),
        (
            &["spec.parts[*].image", "metadata.annotations['b']"],
            r#","annotations":{"b":"2"}"#,
            r#","spec":{"parts":[{"image":"i"},{},7]}"#,
        ),
    ] {
        let cut = raw.without(&DropFields::all_but(paths).unwrap());
        let expected =
            format!(r#"{{"kind":"Foo","apiVersion":"v1","metadata":{{{found}{metadata}}}{rest}}}"#);
        assert_eq!(parse(cut.bytes()), parse(expected.as_bytes()), "{paths:?}");
        assert_eq!(cut.header(), raw.header());
    }
    let all = DropFields::all_but(["metadata", "spec", "status"]).unwrap();
    assert_eq!(raw.without(&all).bytes(), raw.bytes());
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
    let kept = DropFields::all_but(["spec.parts[*].name"]).unwrap();
    let error = raw.without(&kept).decode::<Foo>().unwrap_err();
    assert_eq!(
        error.message,
        "missing field `image`: `spec.parts.image` was dropped by `drop_fields`"
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
