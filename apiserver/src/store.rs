//! Objects as they are stored: encoded once, shared, and decoded when a write needs it.
//!
//! An object is kept as its bytes with what is asked for again and again beside them (a [`Header`]):
//! a tree of values would take seven times the room. Its `kind` and `apiVersion` depend on the
//! version it is asked in, so they are kept out of the bytes and put in front when the object is
//! written out. `metadata` is the first member, which makes a metadata-only answer a prefix of the
//! full one.

mod field;
mod header;
pub(crate) mod log;
mod object;

use std::collections::BTreeMap;
use std::sync::Arc;

pub(crate) use header::{Header, OwnerReference};
pub(crate) use object::{Stored, head};

/// Identifies a resource for as long as it is served; a recreated definition gets a new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ResourceId(pub(crate) u32);

/// The objects of one resource, ordered by storage key as etcd orders them.
pub(crate) type Objects = BTreeMap<String, Arc<Stored>>;

/// The storage key, which is also the order of lists: `namespace/name`, or `name`.
pub(crate) fn storage_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

#[cfg(test)]
mod tests;
