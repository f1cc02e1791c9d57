//! Objects in both encodings, and their sources.

use std::path::{Path, PathBuf};

use base64::Engine;
use serde_json::Value;

/// One object in both encodings.
pub(crate) struct Object {
    pub(crate) name: String,
    pub(crate) protobuf: Vec<u8>,
    pub(crate) json: Value,
}

impl Object {
    /// Parses a line of the output of `tables/`.
    pub(crate) fn from_line(line: &str) -> Self {
        let line: Value = serde_json::from_str(line).expect("a line of JSON");
        let protobuf = line["protobuf"].as_str().expect("base64");
        let json = line["json"].clone();
        let protobuf = base64::prelude::BASE64_STANDARD
            .decode(protobuf)
            .expect("base64");
        let name = format!("{}.{}", json["apiVersion"], json["kind"]).replace('"', "");
        Self {
            name,
            protobuf,
            json,
        }
    }

    /// Decodes the object from protobuf to JSON.
    pub(crate) fn decode(&self) -> Result<Value, informer_protobuf::Error> {
        informer_protobuf::from_slice(&self.protobuf)
    }

    /// Describes the difference of the encodings, in either direction.
    pub(crate) fn mismatch(&self) -> Option<String> {
        match self.decode() {
            Ok(found) => {
                if let Some(mismatch) = difference(&found, &self.json, "") {
                    return Some(format!("decoded, {mismatch}"));
                }
            }
            Err(error) => return Some(format!("decode: {error}")),
        }
        let encoded = match informer_protobuf::encode(&self.json) {
            Ok(encoded) => encoded,
            Err(error) => return Some(format!("encode: {error}")),
        };
        if encoded == self.protobuf {
            return None;
        }
        match informer_protobuf::from_slice::<Value>(&encoded) {
            Ok(again) => difference(&again, &self.json, "")
                .map(|mismatch| format!("after encoding, {mismatch}")),
            Err(error) => Some(format!("decode after encoding: {error}")),
        }
    }

    /// Reports whether the encoder produces the same bytes as Go.
    pub(crate) fn is_encoded_to_the_same_bytes(&self) -> bool {
        informer_protobuf::encode(&self.json).is_ok_and(|bytes| bytes == self.protobuf)
    }
}

/// Describes the first difference of two values.
pub(crate) fn difference(found: &Value, expected: &Value, path: &str) -> Option<String> {
    match (found, expected) {
        (Value::Object(found), Value::Object(expected)) => {
            let names = found.keys().chain(expected.keys());
            names
                .into_iter()
                .find_map(|name| match (found.get(name), expected.get(name)) {
                    (Some(found), Some(expected)) => {
                        difference(found, expected, &format!("{path}.{name}"))
                    }
                    (found, expected) => {
                        Some(format!("{path}.{name}: {found:?} instead of {expected:?}"))
                    }
                })
        }
        (Value::Array(found), Value::Array(expected)) if found.len() == expected.len() => {
            let mut pairs = found.iter().zip(expected).enumerate();
            pairs.find_map(|(at, (found, expected))| {
                difference(found, expected, &format!("{path}[{at}]"))
            })
        }
        // serde_json parses the last digit of floating-point numbers less precisely than this
        // crate.
        (Value::Number(found), Value::Number(expected)) if expected.is_f64() => {
            let (found, expected) = (found.as_f64()?, expected.as_f64()?);
            let is_near = (found - expected).abs() <= expected.abs() * 1e-15;
            (!is_near).then(|| format!("{path}: {found} instead of {expected}"))
        }
        _ => (found != expected).then(|| format!("{path}: {found} instead of {expected}")),
    }
}

/// Runs Go in `tables/`, if there is Go.
pub(crate) fn go(arguments: &[&str]) -> Option<String> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tables");
    crate::go::go(&folder, arguments, Vec::new())
}

/// Returns the folder in which Go stores a module.
pub(crate) fn module_dir(module: &str) -> Option<PathBuf> {
    go(&["mod", "download", module])?;
    let folder = go(&["list", "-m", "-f", "{{.Dir}}", module])?;
    Some(PathBuf::from(folder.trim()))
}

/// Returns the objects of `tests/data`, which Go generated.
pub(crate) fn checked_in() -> Vec<Object> {
    let lines = include_str!("../data/objects.jsonl");
    lines.lines().map(Object::from_line).collect()
}
