//! Helpers for JSON documents.

use serde_json::{Map, Value};

/// Members of an object, without `kind` and `apiVersion`.
pub(crate) type Members = Map<String, Value>;

/// Maximum nesting of a stored document; a deeper one could not be decoded again.
pub(crate) const MAX_DEPTH: usize = 120;

/// Sets `field` of `document`, which must be an object.
pub(crate) fn set(document: &mut Value, field: &str, value: impl Into<Value>) {
    if let Some(members) = document.as_object_mut() {
        members.insert(field.to_owned(), value.into());
    }
}

/// Sets `kind` and `apiVersion` of a document.
pub(crate) fn set_type(members: &mut Members, kind: &str, api_version: &str) {
    members.insert("kind".to_owned(), kind.into());
    members.insert("apiVersion".to_owned(), api_version.into());
}

/// Returns the string; empty if there is none.
pub(crate) fn str_of(value: Option<&Value>) -> &str {
    match value {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// Returns the elements of the list; empty if there is none.
pub(crate) fn list_of(value: Option<&Value>) -> &[Value] {
    match value {
        Some(Value::Array(items)) => items,
        _ => &[],
    }
}

/// Returns the strings in the list `field` of `document`; empty if the field is not a list.
pub(crate) fn texts(document: &Value, field: &str) -> Vec<String> {
    let mut texts = Vec::new();
    for value in list_of(document.get(field)) {
        if let Some(text) = value.as_str() {
            texts.push(text.to_owned());
        }
    }
    texts
}

/// Returns the members of `members.metadata`; `None` if it is not an object.
pub(crate) fn metadata(members: &Members) -> Option<&Map<String, Value>> {
    members.get("metadata")?.as_object()
}

/// Returns the string at `metadata.field`; empty if it is missing.
pub(crate) fn metadata_str<'a>(members: &'a Members, field: &str) -> &'a str {
    match metadata(members) {
        Some(metadata) => str_of(metadata.get(field)),
        None => "",
    }
}

/// Returns the finalizers in a document that is not stored yet.
pub(crate) fn finalizers(members: &Members) -> impl Iterator<Item = &str> {
    let found = metadata(members).and_then(|metadata| metadata.get("finalizers"));
    list_of(found).iter().filter_map(Value::as_str)
}

/// Reports whether `value` has more than [`MAX_DEPTH`] levels.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    is_deeper_than(value, MAX_DEPTH)
}

/// Reports whether `value` has more than `levels` levels.
pub(crate) fn is_deeper_than(value: &Value, levels: usize) -> bool {
    let Some(levels) = levels.checked_sub(1) else {
        return true;
    };
    match value {
        Value::Array(items) => items.iter().any(|item| is_deeper_than(item, levels)),
        Value::Object(members) => members
            .values()
            .any(|member| is_deeper_than(member, levels)),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => false,
    }
}

/// Returns the name of the JSON type.
pub(crate) fn json_type(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "bool",
        Value::Number(_) => "number",
        Value::String(_) => "string",
        Value::Array(_) => "array",
        Value::Object(_) => "object",
    }
}
