//! Objects as they are stored: encoded once, shared, and decoded when a write needs it.
//!
//! An object is kept as its bytes with what is asked for again and again beside them (a [`Header`]):
//! a tree of values would take seven times the room. Its `kind` and `apiVersion` depend on the
//! version it is asked in, so they are kept out of the bytes and put in front when the object is
//! written out. `metadata` is the first member, which makes a metadata-only answer a prefix of the
//! full one.

mod field;
mod header;
mod object;
mod view;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use header::{Header, OwnerReference};
pub(crate) use object::Stored;
pub(crate) use view::View;

/// The members of an object, without `kind` and `apiVersion`.
pub(crate) type Members = Map<String, Value>;

/// The objects of one resource, ordered by storage key as etcd orders them.
pub(crate) type Objects = BTreeMap<String, Arc<Stored>>;

/// The deepest document that is stored: what is deeper could not be decoded again.
pub(crate) const MAX_DEPTH: usize = 120;

/// The storage key, which is also the order of lists: `namespace/name`, or `name`.
pub(crate) fn storage_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// The members of `members.metadata`, nothing if it is not an object.
pub(crate) fn metadata(members: &Members) -> Option<&Map<String, Value>> {
    members.get("metadata")?.as_object()
}

/// The string at `metadata.field`; empty if there is none.
pub(crate) fn metadata_str<'a>(members: &'a Members, field: &str) -> &'a str {
    metadata(members)
        .and_then(|metadata| metadata.get(field)?.as_str())
        .unwrap_or_default()
}

/// The finalizers in a document that is not stored yet.
pub(crate) fn finalizers(members: &Members) -> impl Iterator<Item = &str> {
    metadata(members)
        .and_then(|metadata| metadata.get("finalizers")?.as_array())
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
}

/// Whether `value` has more than [`MAX_DEPTH`] levels.
pub(crate) fn is_too_deep(value: &Value) -> bool {
    is_deeper_than(value, MAX_DEPTH)
}

/// Whether `value` has more than `levels` levels.
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

#[cfg(test)]
mod tests;
