//! Decodes any text into many types, and compares the results with those of `serde_json`.

use std::collections::BTreeMap;
use std::fmt::Debug;

use k8s_openapi::api::core::v1::{Pod, Secret};
use serde::de::{DeserializeOwned, IgnoredAny, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Number, Value};

use super::super::from_slice;

/// Checks the JSON decoder: no type sees a value that differs from that of `serde_json`.
pub(super) fn decodes_as_all_types(text: &[u8]) {
    fn check<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) {
        is_decoded::<T>(text);
        is_decoded::<Option<T>>(text);
        is_decoded::<Vec<T>>(&[b"[", text, b"]"].concat());
        is_decoded::<BTreeMap<String, T>>(&[b"{\"a\":", text, b"}"].concat());
    }
    check::<Value>(text);
    check::<Map<String, Value>>(text);
    check::<Number>(text);
    is_decoded_leniently::<Odd>(text);
    is_decoded_leniently::<Lenient>(text);
    is_decoded_leniently::<Vec<Lenient>>(&[b"[", text, b"]"].concat());
    is_decoded_leniently::<(u8, Lenient, String)>(text);
    is_decoded_leniently::<BTreeMap<String, Lenient>>(&[b"{\"a\":", text, b"}"].concat());
    check::<Choice>(text);
    check::<Tagged>(text);
    check::<Untagged>(text);
    check::<Bytes>(text);
    check::<String>(text);
    check::<char>(text);
    check::<bool>(text);
    check::<f32>(text);
    check::<f64>(text);
    check::<i8>(text);
    check::<i64>(text);
    check::<u64>(text);
    check::<i128>(text);
    check::<u128>(text);
    check::<()>(text);
    check::<BTreeMap<i32, Value>>(text);
    check::<BTreeMap<bool, Value>>(text);
    is_decoded::<Ignored>(text);
    is_decoded::<Pod>(text);
    is_decoded::<Secret>(text);
}

/// Returns whether `text` decodes. Panics if `serde_json` decodes another value, or disagrees on
/// success.
#[track_caller]
pub(super) fn is_decoded<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) -> bool {
    let (is_decoded, expected) = compare::<T>(text);
    if let (true, Err(error)) = (is_decoded, expected) {
        let shown = String::from_utf8_lossy(text);
        panic!("{shown} is no error: {error}")
    }
    is_decoded
}

/// The same for a type that may replace a value that it rejects. This decoder continues after that
/// value, where `serde_json` may fail.
#[track_caller]
pub(super) fn is_decoded_leniently<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) -> bool {
    compare::<T>(text).0
}

#[track_caller]
fn compare<T: DeserializeOwned + PartialEq + Debug>(text: &[u8]) -> (bool, serde_json::Result<T>) {
    let shown = String::from_utf8_lossy(text);
    let expected = serde_json::from_slice::<T>(text);
    let ours = from_slice::<T>(text);
    match (&ours, &expected) {
        (Ok(ours), Ok(theirs)) => {
            // JSON has no NaN. `Debug` also distinguishes -0 from 0, which are equal.
            assert_eq!(format!("{ours:?}"), format!("{theirs:?}"), "{shown}");
            assert_eq!(ours, theirs, "{shown}");
        }
        (Err(error), Ok(_)) => {
            // Only values that no type reads may be malformed for this decoder alone.
            let is_json = serde_json::from_slice::<Value>(text).is_ok();
            assert!(!is_json, "{shown} is an error: {error}");
        }
        (_, Err(_)) => {}
    }
    (ours.is_ok(), expected)
}

/// Requests every form that derived types can request.
#[derive(Debug, Default, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase", default)]
pub(super) struct Odd {
    bool: Option<bool>,
    small: Option<i8>,
    large: Option<i128>,
    natural: Option<u64>,
    huge: Option<u128>,
    float: Option<f64>,
    single: Option<f32>,
    char: Option<char>,
    text: Option<String>,
    bytes: Option<Bytes>,
    unit: Option<()>,
    pair: Option<(i32, String)>,
    array: Vec<Vec<u16>>,
    newtype: Option<Newtype>,
    choice: Option<Choice>,
    choices: Vec<Choice>,
    tagged: Option<Tagged>,
    untagged: Option<Untagged>,
    numbers: BTreeMap<i32, u8>,
    naturals: BTreeMap<u64, u8>,
    flags: BTreeMap<bool, u8>,
    chars: BTreeMap<char, u8>,
    names: BTreeMap<Newtype, Choice>,
    keys: BTreeMap<Key, u8>,
    lenient: Lenient,
    #[serde(flatten)]
    rest: BTreeMap<String, Value>,
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
struct Newtype(String);

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Key {
    One,
    Two,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Choice {
    Nothing,
    Text(String),
    Pair(u8, u8),
    Fields { a: u8, b: Option<Value> },
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(tag = "type", rename_all = "camelCase")]
enum Tagged {
    Plain { a: Value },
    Empty,
}

#[derive(Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Untagged {
    Number(u8),
    Float(f64),
    Many(Vec<Untagged>),
    Fields { a: Box<Untagged> },
    Text(String),
}

/// Bytes as in `serde_bytes`.
#[derive(Debug, PartialEq)]
struct Bytes(Vec<u8>);

/// Decodes to `None` if the value is not a `u8`.
#[derive(Debug, Default, PartialEq)]
struct Lenient(Option<u8>);

impl<'de> Deserialize<'de> for Bytes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Any;

        impl<'de> Visitor<'de> for Any {
            type Value = Bytes;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("bytes")
            }

            fn visit_bytes<E>(self, bytes: &[u8]) -> Result<Bytes, E> {
                Ok(Bytes(bytes.to_vec()))
            }

            fn visit_seq<A: serde::de::SeqAccess<'de>>(
                self,
                mut seq: A,
            ) -> Result<Bytes, A::Error> {
                let mut bytes = Vec::new();
                while let Some(byte) = seq.next_element()? {
                    bytes.push(byte);
                }
                Ok(Bytes(bytes))
            }
        }

        deserializer.deserialize_byte_buf(Any)
    }
}

impl<'de> Deserialize<'de> for Lenient {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(Self(u8::deserialize(deserializer).ok()))
    }
}

#[derive(Debug, PartialEq)]
pub(super) struct Ignored;

impl<'de> Deserialize<'de> for Ignored {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        IgnoredAny::deserialize(deserializer).map(|_| Self)
    }
}
