use std::collections::BTreeMap;

use k8s_openapi::api::core::v1::{Pod, Secret};
use serde::Deserialize;
use serde_json::{Value, json};

use crate::wire::{DecodeError, RawObject};

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Strict {
    #[serde(rename = "metadata")]
    _metadata: Value,
    #[serde(default, rename = "mode")]
    _mode: Option<Mode>,
    #[serde(default, rename = "count")]
    _count: Option<u8>,
    #[serde(default, rename = "pair")]
    _pair: Option<(u8, u8)>,
    #[serde(default, rename = "custom")]
    _custom: Option<Custom>,
    #[serde(default, rename = "map")]
    _map: BTreeMap<String, u8>,
    #[serde(default, rename = "either")]
    _either: Option<Either>,
}

#[derive(Debug, Deserialize)]
enum Mode {
    On,
    Off,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
#[expect(dead_code, reason = "the test only decodes")]
enum Either {
    Number(u8),
    Flag(bool),
}

#[derive(Debug, Deserialize)]
#[serde(try_from = "String")]
struct Custom;

impl TryFrom<String> for Custom {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Err(format!("cannot read {text}"))
    }
}

fn fail<K: serde::de::DeserializeOwned>(mut fields: Value) -> DecodeError {
    fields["metadata"] = json!({"namespace": "a", "name": "b", "resourceVersion": "7"});
    let raw = RawObject::from_value(&fields).unwrap();
    raw.decode::<K>().err().expect("it does not decode")
}

#[test]
fn w12_an_error_names_key_version_and_path() {
    let error = fail::<Pod>(json!({"spec": {"containers": [{"name": "c", "ports": "s3cret"}]}}));
    assert_eq!(
        error.to_string(),
        "a/b at resourceVersion \"7\" does not decode: spec.containers[0].ports: \
         invalid type: string, expected a sequence"
    );
}

/// `rejected.txt` has fields of an object, the path of the error and its message.
#[test]
fn w20_a_decode_error_never_quotes_a_value() {
    for line in include_str!("rejected.txt").lines() {
        let [fields, path, message] = line.split(" | ").collect::<Vec<_>>().try_into().unwrap();
        let error = fail::<Strict>(serde_json::from_str(fields).unwrap());
        assert_eq!((&*error.path, &*error.message), (path, message));
    }
    let error = fail::<Strict>(json!({"s3cret": 1}));
    assert!(
        error.message.starts_with("unknown field, expected one of"),
        "{error}"
    );
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Bare {}

#[derive(Debug, Deserialize)]
struct Choice {
    #[serde(rename = "choice")]
    _choice: Never,
}

#[derive(Debug, Deserialize)]
enum Never {}

/// W-20: a type without names has no list of expected names, so such a list in the message comes
/// from the document.
#[test]
fn w20_a_name_that_looks_like_an_expected_list_is_not_shown() {
    let error = fail::<Bare>(json!({"a, expected s3cret": 1}));
    assert_eq!(error.message, "unknown field");
    let error = fail::<Choice>(json!({"choice": "a, expected s3cret"}));
    assert_eq!(error.message, "unknown variant");
    let error = fail::<Strict>(json!({"a, there are no fields, expected s3cret": 1}));
    assert!(!error.message.contains("s3cret"), "{error}");
}

#[test]
fn w20_a_broken_secret_is_reported_without_its_data() {
    let error = fail::<Secret>(json!({"data": {"password": "s3cret!"}}));
    assert_eq!(error.path, "data.password");
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
    let error = fail::<Secret>(json!({"kind": "s3cret"}));
    assert!(!format!("{error} {error:?}").contains("s3cret"), "{error}");
}

#[test]
fn text_that_is_not_json_is_reported_by_position() {
    let raw = RawObject::json(r#"{"metadata":{"name":"b"},"data":{s3cret}}"#).unwrap();
    let error = raw.decode::<Secret>().unwrap_err();
    assert!(error.message.contains("at line 1 column"), "{error}");
    assert!(!error.message.contains("s3cret"), "{error}");
    let trailing = RawObject::json(r#"{"metadata":{"name":"b"}} s3cret"#).unwrap();
    let error = trailing.decode::<Secret>().unwrap_err();
    assert_eq!(error.path, ".");
    assert!(error.message.starts_with("trailing characters"), "{error}");
}
