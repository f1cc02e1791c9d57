//! Access to the members of objects.

use serde_json::Value;

use crate::document::{Members, list_of, metadata, str_of};

/// Cell of a value that is not set.
pub(super) const NONE: &str = "<none>";

/// Returns the value at a path of names such as `spec.replicas`.
pub(super) fn at<'a>(members: &'a Members, path: &str) -> Option<&'a Value> {
    let mut names = path.split('.');
    let first = names.next()?;
    let mut value = members.get(first)?;
    for name in names {
        value = value.get(name)?;
    }
    Some(value)
}

/// Returns the text at a path; empty if there is none.
pub(super) fn text<'a>(members: &'a Members, path: &str) -> &'a str {
    str_of(at(members, path))
}

/// Returns `text`, or `otherwise` if it is empty.
pub(super) fn or<'a>(text: &'a str, otherwise: &'a str) -> &'a str {
    match text {
        "" => otherwise,
        given => given,
    }
}

pub(super) fn list<'a>(members: &'a Members, path: &str) -> &'a [Value] {
    list_of(at(members, path))
}

pub(super) fn number(members: &Members, path: &str) -> Option<i64> {
    at(members, path)?.as_i64()
}

/// Returns the status of the condition of this type.
pub(super) fn condition<'a>(members: &'a Members, kind: &str) -> Option<&'a str> {
    for condition in list(members, "status.conditions") {
        if str_of(condition.get("type")) == kind {
            return Some(str_of(condition.get("status")));
        }
    }
    None
}

pub(super) fn is_deleting(members: &Members) -> bool {
    match metadata(members) {
        Some(metadata) => metadata.contains_key("deletionTimestamp"),
        None => false,
    }
}
