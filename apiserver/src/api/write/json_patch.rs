//! JSON patches as the real server applies them: RFC 6902, as implemented by `evanphx/json-patch`
//! 4.
//!
//! Clients rely on its deviations from the RFC: for `test`, a missing member equals null; `replace`
//! may set a missing member; an index may count from the end; a missing value is null.

use serde_json::{Map, Value};

use crate::document::{is_deeper_than, str_of};

/// Maximum number of operations in a patch.
pub(super) const MAX_OPERATIONS: usize = 10_000;

/// Maximum number of JSON bytes that all `copy` operations of a patch may copy.
const MAX_COPIED: usize = 3 * 1024 * 1024;

/// Maximum number of elements that all operations together may move within their lists. An
/// insertion or a removal moves the elements behind it.
const MAX_MOVED: usize = 10_000_000;

/// Error of a patch that does not apply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Failure {
    #[error("the document would be nested too deeply")]
    TooDeep,
    /// A failure for which the real server has no specific message.
    #[error("{0}")]
    Rejected(&'static str),
}

const NO_PATH: Failure = Failure::Rejected("the path of an operation does not exist");
const NO_INDEX: Failure = Failure::Rejected("the index of an operation does not exist");

/// Applies the operations to `document` and rejects a result deeper than `levels`. If an operation
/// fails, the caller has to discard `document`.
pub(super) fn apply(
    document: &mut Value,
    operations: &[Value],
    levels: usize,
) -> Result<(), Failure> {
    let mut copied = 0;
    let mut moved = 0;
    for operation in operations {
        let given = || operation.get("value").cloned().unwrap_or_default();
        match str_of(operation.get("op")) {
            "add" => {
                let path = path_at(operation, "path")?;
                add(document, path, given(), levels, &mut moved)?;
            }
            "replace" => {
                let path = path_at(operation, "path")?;
                replace(document, path, given(), levels)?;
            }
            "remove" => {
                let path = path_at(operation, "path")?;
                remove(document, path, &mut moved)?;
            }
            "test" => {
                let path = path_at(operation, "path")?;
                test(document, path, &given())?;
            }
            "move" => {
                let from = path_at(operation, "from")?;
                let value = remove(document, from, &mut moved)?;
                let path = path_at(operation, "path")?;
                add(document, path, value, levels, &mut moved)?;
            }
            "copy" => {
                let from = path_at(operation, "from")?;
                let value = get(document, from)?.cloned().unwrap_or_default();
                copied += value.to_string().len();
                if copied > MAX_COPIED {
                    return Err(Failure::Rejected("the operations copy too much"));
                }
                let path = path_at(operation, "path")?;
                add(document, path, value, levels, &mut moved)?;
            }
            _ => return Err(Failure::Rejected("an operation is unknown")),
        }
    }
    Ok(())
}

fn path_at<'a>(operation: &'a Value, field: &str) -> Result<&'a str, Failure> {
    let path = operation.get(field).and_then(Value::as_str);
    path.ok_or(NO_PATH)
}

/// Position that an operation refers to: the enclosing object or list, and the name or index in it.
struct PatchPlace<'a> {
    parent: &'a mut Value,
    key: String,
    /// Number of levels above the position.
    depth: usize,
}

/// Follows `path`; the text before its first slash is ignored.
fn find<'a>(document: &'a mut Value, path: &str) -> Result<PatchPlace<'a>, Failure> {
    let mut steps: Vec<String> = path.split('/').skip(1).map(unescaped).collect();
    let key = steps.pop().ok_or(NO_PATH)?;
    let depth = steps.len() + 1;
    let mut parent = document;
    for step in steps {
        parent = match parent {
            Value::Object(members) => members.get_mut(&step),
            Value::Array(items) => {
                let index = index_of(&step, items.len())?;
                items.get_mut(index)
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => None,
        }
        .ok_or(NO_PATH)?;
    }
    if parent.is_object() || parent.is_array() {
        Ok(PatchPlace { parent, key, depth })
    } else {
        Err(NO_PATH)
    }
}

fn unescaped(step: &str) -> String {
    step.replace("~1", "/").replace("~0", "~")
}

/// Returns the index that `text` denotes in a list of this length; a negative index counts from the
/// end.
fn index_of(text: &str, len: usize) -> Result<usize, Failure> {
    let number: i64 = text.parse().map_err(|_| NO_INDEX)?;
    let distance = usize::try_from(number.unsigned_abs()).map_err(|_| NO_INDEX)?;
    if number < 0 {
        return len.checked_sub(distance).ok_or(NO_INDEX);
    }
    if distance < len {
        Ok(distance)
    } else {
        Err(NO_INDEX)
    }
}

/// Returns the value at `path`; `None` if it is a missing member of an object.
fn get<'a>(document: &'a mut Value, path: &str) -> Result<Option<&'a Value>, Failure> {
    let PatchPlace { parent, key, .. } = find(document, path)?;
    if let Value::Array(items) = parent {
        let index = index_of(&key, items.len())?;
        return Ok(items.get(index));
    }
    Ok(parent.get(&key))
}

/// Counts the elements of a list that an operation moves.
fn count_moved(moved: &mut usize, elements: usize) -> Result<(), Failure> {
    *moved += elements;
    if *moved > MAX_MOVED {
        return Err(Failure::Rejected("the operations move too many elements"));
    }
    Ok(())
}

fn check_depth(value: &Value, above: usize, levels: usize) -> Result<(), Failure> {
    if is_deeper_than(value, levels.saturating_sub(above)) {
        return Err(Failure::TooDeep);
    }
    Ok(())
}

fn add(
    document: &mut Value,
    path: &str,
    value: Value,
    levels: usize,
    moved: &mut usize,
) -> Result<(), Failure> {
    let PatchPlace { parent, key, depth } = find(document, path)?;
    check_depth(&value, depth, levels)?;
    match parent {
        Value::Object(members) => _ = members.insert(key, value),
        Value::Array(items) if key == "-" => items.push(value),
        Value::Array(items) => {
            let index = index_of(&key, items.len() + 1)?;
            count_moved(moved, items.len() - index)?;
            items.insert(index, value);
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(NO_PATH),
    }
    Ok(())
}

fn replace(document: &mut Value, path: &str, value: Value, levels: usize) -> Result<(), Failure> {
    if path.is_empty() {
        check_depth(&value, 0, levels)?;
        if !value.is_object() && !value.is_array() {
            return Err(Failure::Rejected(
                "the new document is neither an object nor a list",
            ));
        }
        *document = value;
        return Ok(());
    }
    let PatchPlace { parent, key, depth } = find(document, path)?;
    check_depth(&value, depth, levels)?;
    match parent {
        Value::Array(items) => {
            let index = index_of(&key, items.len())?;
            if let Some(item) = items.get_mut(index) {
                *item = value;
            }
        }
        Value::Object(members) => _ = members.insert(key, value),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => return Err(NO_PATH),
    }
    Ok(())
}

fn remove(document: &mut Value, path: &str, moved: &mut usize) -> Result<Value, Failure> {
    let PatchPlace { parent, key, .. } = find(document, path)?;
    match parent {
        Value::Object(members) => members.remove(&key).ok_or(NO_PATH),
        Value::Array(items) => {
            let index = index_of(&key, items.len())?;
            count_moved(moved, items.len() - index)?;
            Ok(items.remove(index))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Err(NO_PATH),
    }
}

fn test(document: &mut Value, path: &str, expected: &Value) -> Result<(), Failure> {
    let is_same = if path.is_empty() {
        document == expected
    } else {
        get(document, path)?.unwrap_or(&Value::Null) == expected
    };
    if is_same {
        Ok(())
    } else {
        Err(Failure::Rejected("a test fails"))
    }
}

/// Applies a merge patch (RFC 7386).
pub(super) fn merge(document: &mut Value, patch: &Value) {
    let Value::Object(patch) = patch else {
        *document = patch.clone();
        return;
    };
    if !document.is_object() {
        *document = Value::Object(Map::new());
    }
    let Some(members) = document.as_object_mut() else {
        return;
    };
    for (name, value) in patch {
        if value.is_null() {
            members.remove(name);
        } else {
            merge(members.entry(name.as_str()).or_insert(Value::Null), value);
        }
    }
}

#[cfg(test)]
mod tests;
