//! Wrappers of objects without a Rust type.

use std::sync::Arc;

use kube::core::ApiResource;
pub use kube::core::DynamicObject;
use serde_json::Value;

use crate::indexer::{IndexValue, Indexer};
use crate::lister::{Lister, NamespaceLister};
use crate::object::{KeyRef, Object, ResourceInfo, Scope};
use crate::storage::Storage;

/// Returns the resource that a `CustomResourceDefinition` describes.
#[must_use]
pub fn dynamic_resource(
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
    scope: Scope,
) -> ResourceInfo {
    ResourceInfo {
        api_resource: ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version: format!("{group}/{version}"),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
        },
        scope,
    }
}

/// Returns a lister of such a resource, over a store that the caller fills.
#[must_use]
pub fn dynamic_lister(
    resource: ResourceInfo,
    indexer: &Indexer<DynamicObject>,
) -> Lister<DynamicObject> {
    Lister::new(indexer.clone(), Arc::new(resource))
}

/// Returns a lister of one namespace, for a resource whose definition is namespaced.
#[must_use]
pub fn dynamic_namespace<'a, K: Object, S: Storage<K>>(
    lister: &'a Lister<K, S>,
    namespace: &'a str,
) -> NamespaceLister<'a, K, S> {
    NamespaceLister::new(lister, namespace)
}

/// Returns an object of a resource whose definition is cluster-scoped.
#[must_use]
pub fn dynamic_get<S: Storage<DynamicObject>>(
    lister: &Lister<DynamicObject, S>,
    name: &str,
) -> Option<Arc<S::Object>> {
    lister.find(&KeyRef::cluster(name))
}

/// Returns the values at a JSON path: the values of all elements of lists, and no value for missing
/// fields or null.
///
/// The result equals that of an index over bytes at the same path.
#[must_use]
pub fn json_values<V: IndexValue>(object: &DynamicObject, path: &[&str]) -> Vec<V> {
    values_at(&object.data, path)
}

/// Returns the values at a path from `value`, as [`json_values`] does.
#[must_use]
pub fn values_at<V: IndexValue>(value: &Value, path: &[&str]) -> Vec<V> {
    places(value, path)
        .into_iter()
        .filter_map(|value| match value {
            Value::String(text) => V::parse(text),
            Value::Number(_) | Value::Bool(_) => V::parse(&value.to_string()),
            Value::Null | Value::Object(_) | Value::Array(_) => None,
        })
        .collect()
}

/// Returns the JSON values at a path from `value`: those of all elements of lists.
#[must_use]
pub fn places<'v>(value: &'v Value, path: &[&str]) -> Vec<&'v Value> {
    let mut places = Vec::new();
    add_places(value, path, &mut places);
    places
}

fn add_places<'v>(value: &'v Value, path: &[&str], places: &mut Vec<&'v Value>) {
    match (value, path) {
        (Value::Array(elements), _) => {
            for element in elements {
                add_places(element, path, places);
            }
        }
        (_, []) => places.push(value),
        (_, [name, rest @ ..]) => {
            if let Some(member) = value.get(name) {
                add_places(member, rest, places);
            }
        }
    }
}

#[cfg(test)]
mod tests;
