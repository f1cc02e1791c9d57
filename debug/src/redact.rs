//! Redaction: removes what must not leave the process from an object. Pure.

use serde_json::Value;

/// Replaces a value.
const REDACTED: &str = "(redacted)";

/// Path of a field that never leaves the process, such as `spec.tls[*].key`. Arrays on the way stand
/// for all of their elements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Path(Vec<String>);

/// Values that were removed from an object, as text.
pub(crate) type Removed = Vec<String>;

// === impl Path ===

impl From<&str> for Path {
    fn from(text: &str) -> Self {
        let text = text.trim_start_matches("$.").trim_start_matches('.');
        let parts = text.split('.').map(|part| part.trim_end_matches("[*]"));
        Self(parts.map(str::to_owned).collect())
    }
}

/// Removes the values of annotations, the data of a Secret, and the values at `paths`.
pub(crate) fn redact(object: &mut Value, is_secret: bool, paths: &[Path]) -> Removed {
    let mut removed = Removed::new();
    if is_secret {
        for field in ["data", "stringData"] {
            let values = object.get_mut(field).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(serde_json::Map::values_mut) {
                remove(value, &mut removed);
            }
        }
    }
    for path in paths {
        at(object, &path.0, &mut removed);
    }
    cut_annotations(object);
    removed
}

fn at(value: &mut Value, path: &[String], removed: &mut Removed) {
    match (path, value) {
        (path, Value::Array(elements)) if !path.is_empty() => {
            for element in elements {
                at(element, path, removed);
            }
        }
        ([], value) => remove(value, removed),
        ([first, rest @ ..], value) => {
            if let Some(field) = value.get_mut(first) {
                at(field, rest, removed);
            }
        }
    }
}

fn remove(value: &mut Value, removed: &mut Removed) {
    note(value, removed);
    *value = REDACTED.into();
}

/// Notes all scalars in a value that is removed.
fn note(value: &Value, removed: &mut Removed) {
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Number(number) => removed.push(number.to_string()),
        Value::String(text) => removed.push(text.clone()),
        Value::Array(elements) => elements.iter().for_each(|one| note(one, removed)),
        Value::Object(fields) => fields.values().for_each(|one| note(one, removed)),
    }
}

/// Replaces each annotation by its size, also those of templates inside the object: an annotation
/// can contain a copy of the object, such as that of `kubectl apply`.
fn cut_annotations(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                match (name.as_str(), field) {
                    ("annotations", Value::Object(annotations)) => {
                        for annotation in annotations.values_mut() {
                            let size = annotation.as_str().map_or(0, str::len);
                            *annotation = format!("({size} bytes)").into();
                        }
                    }
                    (_, field) => cut_annotations(field),
                }
            }
        }
        Value::Array(elements) => elements.iter_mut().for_each(cut_annotations),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}
