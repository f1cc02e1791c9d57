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
    for (path, group, version) in group_versions(resources) {
        let hash = hash_of(resources, &group, &version);
        let url = format!("/openapi/v3/{path}?hash={hash:016X}");
        hashes.insert(path, json!({ "serverRelativeURL": url }));
    }
    json!({ "paths": hashes })
}

/// Returns the document at `/openapi/v3/{path}`; `None` if no resource is served there.
pub(crate) fn document(resources: &[Arc<Resource>], path: &str) -> Option<Value> {
    let (_, group, version) = group_versions(resources)
        .into_iter()
        .find(|(known, ..)| known == path)?;
    let mut schemas = Schemas::default();
    let mut paths = Map::new();
    let mut is_custom = false;
    for (resource, served) in within(resources, &group, &version) {
        is_custom |= resource.custom;
        let api_version = resource.api_version(&version);
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

/// Returns path (`apis/apps/v1`), group and version of all documents.
fn group_versions(resources: &[Arc<Resource>]) -> BTreeSet<(String, String, String)> {
    let mut found = BTreeSet::new();
    for resource in resources {
        for version in &resource.versions {
            let path = if resource.group.is_empty() {
                format!("api/{}", version.name)
            } else {
                format!("apis/{}/{}", resource.group, version.name)
            };
            found.insert((path, resource.group.clone(), version.name.clone()));
        }
    }
    found
}

/// Hashes everything that a document depends on, which is cheaper than building the document.
fn hash_of(resources: &[Arc<Resource>], group: &str, version: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    env!("CARGO_PKG_VERSION").hash(&mut hasher);
    for (resource, served) in within(resources, group, version) {
        resource.plural.hash(&mut hasher);
        if resource.custom {
            format!("{resource:?} {served:?}").hash(&mut hasher);
        }
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
