//! `stringData` of Secrets: a write-only form of `data`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use super::metadata;
use crate::document::{Members, json_type};
use crate::registry::target::Target;
use crate::status::ApiError;

/// Moves `stringData` into `data`, where its entries take precedence.
pub(super) fn take_string_data(target: &Target, members: &mut Members) -> Result<(), ApiError> {
    const FIELD: &str = "stringData";
    if !target.resource.is("", "secrets") {
        return Ok(());
    }
    let undecodable = |found: &Value, expected| {
        let field = format!("Secret.{FIELD}");
        metadata::undecodable(target, &field, json_type(found), expected)
    };
    let texts = match members.remove(FIELD) {
        None | Some(Value::Null) => return Ok(()),
        Some(Value::Object(texts)) => texts,
        Some(other) => return Err(undecodable(&other, "map[string]string")),
    };
    let mut encoded = Map::new();
    for (name, text) in texts {
        let text = match &text {
            // As in Go, null stands for the zero value of the type.
            Value::Null => "",
            Value::String(text) => text,
            other @ (Value::Bool(_) | Value::Number(_) | Value::Array(_) | Value::Object(_)) => {
                return Err(undecodable(other, "string"));
            }
        };
        encoded.insert(name, STANDARD.encode(text).into());
    }
    if encoded.is_empty() {
        return Ok(());
    }
    let data = members
        .entry("data")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(data) = data {
        data.extend(encoded);
    }
    Ok(())
}
