//! Redaction: removes what must not leave the process from an object. Pure.

use informer_runtime::FieldPath;
use serde_json::{Map, Value};

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
            if let Some(Value::Object(values)) = object.get_mut(field) {
                for value in values.values_mut() {
                    remove(value, &mut removed.values);
                }
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
            let mut is_found = false;
            for element in elements {
                is_found |= at(element, path, removed);
            }
            is_found
        }
        ([first, rest @ ..], value) => match value.get_mut(*first) {
            Some(field) => at(field, rest, removed),
            None => false,
        },
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
        Value::Array(elements) => {
            for element in elements {
                note(element, removed);
            }
        }
        Value::Object(fields) => {
            for field in fields.values() {
                note(field, removed);
            }
        }
    }
}

/// Replaces each annotation by its size, also those of templates inside the object: an annotation
/// can contain a copy of the object, such as that of `kubectl apply`.
fn cut_annotations(value: &mut Value) {
    match value {
        Value::Object(fields) => {
            for (name, field) in fields {
                if name == "annotations"
                    && let Value::Object(annotations) = field
                {
                    replace_by_sizes(annotations);
                } else {
                    cut_annotations(field);
                }
            }
        }
        Value::Array(elements) => {
            for element in elements {
                cut_annotations(element);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {}
    }
}

fn replace_by_sizes(annotations: &mut Map<String, Value>) {
    for annotation in annotations.values_mut() {
        let size = annotation.as_str().map_or(0, str::len);
        *annotation = format!("({size} bytes)").into();
    }
}
