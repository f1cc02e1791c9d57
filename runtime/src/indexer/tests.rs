//! Behaviour of the store, by subject.

use std::sync::Arc;

use super::{Index, Indexer};
use crate::object::{Footprint, ObjectKey, ResourceVersion, Scope, Uid};
use crate::storage::Entry;

mod indices;
mod model;
mod snapshots;
mod store;
mod waiting;

/// Object with the values under which it is indexed.
#[derive(Debug, PartialEq)]
struct Thing {
    values: Vec<String>,
}

/// Parses `namespace/name@resourceVersion value value ..`.
fn entry(text: &str) -> Entry {
    let mut words = text.split(' ');
    let (key, version) = words.next().unwrap().split_once('@').unwrap();
    Entry {
        key: key.parse().unwrap(),
        uid: Some(Uid::new(key)),
        resource_version: ResourceVersion::new(version),
        footprint: Footprint::default(),
        object: Arc::new(Thing {
            values: words.map(str::to_owned).collect(),
        }),
    }
}

fn key(text: &str) -> ObjectKey {
    text.parse().unwrap()
}

fn version(text: &str) -> ResourceVersion {
    ResourceVersion::new(text)
}

/// Creates a store of namespaced objects, each given as text.
fn store(objects: &[&str]) -> Indexer<Thing> {
    let indexer = Indexer::new(Scope::Namespaced);
    for object in objects {
        indexer.add(entry(object));
    }
    indexer
}

/// Adds an index of the objects' values. The value `error` makes the function fail, and `panic`
/// makes it panic.
fn index_values(indexer: &Indexer<Thing>) -> Index<Thing, String> {
    let added = indexer.add_index("values", |thing: &Thing| {
        for value in &thing.values {
            match value.as_str() {
                "error" => return Err("no values for this".into()),
                "panic" => panic!("no values at all"),
                _ => {}
            }
        }
        Ok(thing.values.clone())
    });
    added.unwrap()
}

/// Returns the keys as text.
fn printed<'a>(keys: impl IntoIterator<Item = &'a ObjectKey>) -> Vec<&'a str> {
    keys.into_iter().map(ObjectKey::as_str).collect()
}

#[test]
fn handles_cross_threads() {
    fn check<T: Send + Sync + 'static>() {}
    check::<Indexer<Thing>>();
    check::<super::Snapshot<Thing>>();
    check::<Index<Thing, String>>();
    check::<super::IndexFailures>();
    check::<super::IndexLookupError>();
}
