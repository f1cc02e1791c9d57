//! Data of `ConfigMap`s and Secrets: nulls, and `stringData`, a write-only form of `data`.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Map, Value};

use crate::document::Members;
use crate::registry::target::RequestTarget;

/// Replaces nulls by the zero value of their type, as Go does.
pub(super) fn fill_data(target: &RequestTarget, members: &mut Members) {
    if !target.resource.is("", "secrets") && !target.resource.is("", "configmaps") {
        return;
    }
    for field in ["data", "binaryData"] {
        for value in members
            .get_mut(field)
            .and_then(Value::as_object_mut)
            .into_iter()
            .flat_map(Map::values_mut)
        {
            if value.is_null() {
                *value = Value::from("");
            }
        }
    }
}

/// Moves `stringData`, which holds texts only, into `data`, where its entries take precedence.
pub(super) fn take_string_data(target: &RequestTarget, members: &mut Members) {
    if !target.resource.is("", "secrets") {
        return;
    }
    let Some(Value::Object(texts)) = members.remove("stringData") else {
        return;
    };
    let encoded: Map<String, Value> = texts
        .into_iter()
        // As in Go, null stands for the zero value of the type.
        .map(|(name, text)| {
            (
                name,
                STANDARD.encode(text.as_str().unwrap_or_default()).into(),
            )
        })
        .collect();
    if encoded.is_empty() {
        return;
    }
    let data = members
        .entry("data")
        .or_insert_with(|| Value::Object(Map::new()));
    if let Value::Object(data) = data {
        data.extend(encoded);
    }
}
