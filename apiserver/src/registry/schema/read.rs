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
    properties(schema)
        .and_then(|properties| properties.get(name))
        .or_else(|| {
            let additional = schema.get("additionalProperties")?;
            (*additional != Value::Bool(false)).then_some(additional)
        })
}
