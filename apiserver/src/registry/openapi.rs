//! OpenAPI: documents that `kubectl explain`, `create`, `apply` and `diff` read
//! first.
//!
//! The schemas of built-in kinds are the real server's, in a file. Custom kinds have the schemas of
//! their definitions. Paths come from the registry, so that they are exactly those that are served.
//! Each request builds its document anew.
//!
//! ```text
//! /openapi/v3                 index      registry: a line for each group and version
//! /openapi/v3/apis/apps/v1    document   paths + schemas, and the schemas that those name
//! ```

mod custom;
mod paths;

use std::collections::BTreeSet;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value, json};

use super::models::Schemas;
use crate::registry::{Resource, within};

/// Returns the index at `/openapi/v3`. The hash of a document tells clients when to read it again.
pub(crate) fn index(resources: &[Arc<Resource>]) -> Value {
    let mut hashes: Map<String, Value> = Map::new();
    for place in places(resources) {
        let path = place.path();
        let hash = hash_of(resources, &place);
        let url = format!("/openapi/v3/{path}?hash={hash:016X}");
        hashes.insert(path, json!({ "serverRelativeURL": url }));
    }
    json!({ "paths": hashes })
}

/// Returns the document at `/openapi/v3/{path}`; `None` if no resource is served there.
pub(crate) fn document(resources: &[Arc<Resource>], path: &str) -> Option<Value> {
    let place = places(resources)
        .into_iter()
        .find(|place| place.path() == path)?;
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    let mut is_custom = false;
    for (resource, served) in within(resources, place.group, place.version) {
        is_custom |= resource.custom;
        let api_version = resource.api_version(place.version);
        if resource.custom {
            custom::add(resource, served, &mut schemas);
        } else if !schemas.add_kind(&api_version, &resource.kind) {
            // Kinds that Kubernetes 1.37 has dropped have no schema.
            continue;
        }
        if !resource.custom {
            schemas.add_kind(&api_version, &resource.list_kind);
        }
        if served.scale.is_some() {
            schemas.add_kind("autoscaling/v1", "Scale");
        }
        paths.extend(paths::of(resource, served));
    }
    let info = if is_custom {
        json!({ "title": "Kubernetes CRD Swagger", "version": "v0.1.0" })
    } else {
        json!({ "title": "Kubernetes", "version": "1.37" })
    };
    Some(json!({
        "openapi": "3.0.0",
        "info": info,
        "paths": paths,
        "components": { "schemas": schemas.into_map() },
    }))
}

/// Group and version of a document.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DocumentPlace<'a> {
    group: &'a str,
    version: &'a str,
}

// === impl DocumentPlace ===

impl DocumentPlace<'_> {
    /// Returns the path of the document: `apis/apps/v1`.
    fn path(&self) -> String {
        let version = self.version;
        match self.group {
            "" => format!("api/{version}"),
            group => format!("apis/{group}/{version}"),
        }
    }
}

/// Returns the places of all documents.
fn places(resources: &[Arc<Resource>]) -> BTreeSet<DocumentPlace<'_>> {
    let mut found = BTreeSet::new();
    for resource in resources {
        for version in &resource.versions {
            found.insert(DocumentPlace {
                group: &resource.group,
                version: &version.name,
            });
        }
    }
    found
}

/// Hashes everything that a document depends on, which is cheaper than building the document.
fn hash_of(resources: &[Arc<Resource>], place: &DocumentPlace<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for (resource, served) in within(resources, place.group, place.version) {
        resource.plural.hash(&mut hasher);
        if resource.custom {
            format!("{resource:?} {served:?}").hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
