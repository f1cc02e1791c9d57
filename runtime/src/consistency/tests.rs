//! Tests of reads from a cache that lags behind: sections N and Z of tests/CONFORMANCE.md.

mod check;
mod expiring;
mod mutation_cache;
mod read_your_writes;

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use crate::object::{Footprint, ObjectKey, ResourceVersion, Uid};
use crate::storage::Entry;

type Handle = Arc<ConfigMap>;

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("ns", name)
}

/// Returns an object in the namespace `ns`, as JSON.
fn object(name: &str, uid: &str) -> Value {
    json!({"metadata": {"namespace": "ns", "name": name, "uid": uid}})
}

/// Parses `name@resourceVersion/uid`. Without a uid, the name is the uid.
fn config(text: &str) -> Handle {
    let (name, rest) = text.split_once('@').unwrap();
    let (version, uid) = rest.split_once('/').unwrap_or((rest, name));
    let mut object = object(name, uid);
    if !version.is_empty() {
        object["metadata"]["resourceVersion"] = version.into();
    }
    Arc::new(serde_json::from_value(object).unwrap())
}

fn entry(text: &str) -> Entry<Handle> {
    let handle = config(text);
    let metadata = &handle.metadata;
    Entry {
        key: ObjectKey::of(&*handle),
        uid: metadata.uid.as_deref().map(Uid::new),
        resource_version: ResourceVersion::new(metadata.resource_version.as_deref().unwrap_or("")),
        footprint: Footprint::default(),
        handle,
    }
}

/// Formats an object as `name@resourceVersion`.
fn text(object: &Handle) -> String {
    let metadata = &object.metadata;
    let version = metadata.resource_version.as_deref().unwrap_or("");
    format!("{}@{version}", metadata.name.as_deref().unwrap())
}
