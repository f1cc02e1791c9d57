//! Names of schemas.

use serde_json::{Value, json};

/// Returns the name of the schema of a custom kind: `com.example.v1.Widget`.
pub(super) fn custom_name(group: &str, version: &str, kind: &str) -> String {
    let mut parts: Vec<&str> = group.split('.').rev().collect();
    parts.extend([version, kind]);
    parts.join(".")
}

pub(super) fn reference(name: &str) -> Value {
    json!({ "$ref": format!("#/components/schemas/{name}") })
}
