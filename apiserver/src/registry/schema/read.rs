//! Accessors of schemas.

use serde_json::{Map, Value};

/// Members of every resource, independent of its schema.
pub(super) const OF_EVERY_RESOURCE: [&str; 3] = ["apiVersion", "kind", "metadata"];

pub(super) fn flag(schema: &Value, name: &str) -> bool {
    schema.get(name) == Some(&Value::Bool(true))
}

pub(super) fn properties(schema: &Value) -> Option<&Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// Returns the schema of the member `name`.
pub(super) fn member<'a>(schema: &'a Value, name: &str) -> Option<&'a Value> {
    if let Some(properties) = properties(schema)
        && let Some(property) = properties.get(name)
    {
        return Some(property);
    }
    let additional = schema.get("additionalProperties")?;
    if *additional == Value::Bool(false) {
        return None;
    }
    Some(additional)
}
