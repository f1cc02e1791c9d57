//! Access to the members of objects.

use serde_json::Value;

use crate::document::{Members, list_of, metadata, str_of};

/// Cell of a value that is not set.
pub(super) const NONE: &str = "<none>";

/// Returns the value at a path of names.
pub(super) fn at<'a>(members: &'a Members, path: &[&str]) -> Option<&'a Value> {
    let (first, rest) = path.split_first()?;
    let start = members.get(*first)?;
    rest.iter().try_fold(start, |value, name| value.get(name))
}

/// Returns the text at a path; empty if there is none.
pub(super) fn text<'a>(members: &'a Members, path: &[&str]) -> &'a str {
    str_of(at(members, path))
}

/// Returns `text`, or `otherwise` if it is empty.
pub(super) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    if text.is_empty() { otherwise } else { text }
}

pub(super) fn list<'a>(members: &'a Members, path: &[&str]) -> &'a [Value] {
    list_of(at(members, path))
}

pub(super) fn number(members: &Members, path: &[&str], otherwise: i64) -> i64 {
    at(members, path)
        .and_then(Value::as_i64)
        .unwrap_or(otherwise)
}

/// Returns the status of the condition of this type.
pub(super) fn condition<'a>(members: &'a Members, kind: &str) -> Option<&'a str> {
    let condition = list(members, &["status", "conditions"])
        .iter()
        .find(|condition| str_of(condition.get("type")) == kind)?;
    Some(str_of(condition.get("status")))
}

pub(super) fn is_deleting(members: &Members) -> bool {
    metadata(members).is_some_and(|metadata| metadata.contains_key("deletionTimestamp"))
}
