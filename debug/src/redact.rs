//! Redaction: removes what must not leave the process from an object. Pure.

use informer_runtime::FieldPath;
use serde_json::Value;

/// Replaces a value.
pub(crate) const REDACTED: &str = "(redacted)";

/// Values that were removed from an object, and paths that it does not have.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Removed {
    pub(crate) is_secret: bool,
    /// Removed values, as text.
    pub(crate) values: Vec<String>,
    /// Paths without a field in the object: they may be misspelt.
    pub(crate) absent: Vec<String>,
}

/// Removes the values of annotations, the data of a Secret, and the values at `paths`. Arrays on the
/// way of a path stand for all of their elements.
pub(crate) fn redact(object: &mut Value, is_secret: bool, paths: &[FieldPath]) -> Removed {
    let mut removed = Removed {
        is_secret,
        ..Removed::default()
    };
    if is_secret {
        for field in ["data", "stringData"] {
            let values = object.get_mut(field).and_then(Value::as_object_mut);
            for value in values.into_iter().flat_map(serde_json::Map::values_mut) {
                remove(value, &mut removed.values);
            }
        }
    }
    for path in paths {
        let names: Vec<&str> = path.names().collect();
        if !at(object, &names, &mut removed.values) {
            removed.absent.push(path.to_string());
        }
    }
    cut_annotations(object);
    removed
}

/// Removes the values at a path. Returns `false` if there is none.
fn at(value: &mut Value, path: &[&str], removed: &mut Vec<String>) -> bool {
    match (path, value) {
        ([], value) => {
            remove(value, removed);
            true
        }
        (path, Value::Array(elements)) => {
            let found = elements.iter_mut().map(|one| at(one, path, removed));
            // Counts, to visit all of them.
            found.filter(|is_found| *is_found).count() > 0
        }
        ([first, rest @ ..], value) => {
            let field = value.get_mut(*first);
            field.is_some_and(|field| at(field, rest, removed))
        }
    }
}

fn remove(value: &mut Value, removed: &mut Vec<String>) {
    note(value, removed);
    *value = REDACTED.into();
}

/// Notes all scalars in a value that is removed.
fn note(value: &Value, removed: &mut Vec<String>) {
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
