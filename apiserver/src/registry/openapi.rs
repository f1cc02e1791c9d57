//! OpenAPI (feature `openapi`): what `kubectl explain`, `create`, `apply` and `diff` ask for
//! before they do anything.
//!
//! The schemas of built-in kinds are the real server's, in a file; those of custom kinds are their
//! definitions'. Paths are made from the registry, so that they name what is served and nothing
//! else. A document is put together when it is asked for.
//!
//! ```text
//! /openapi/v2                 document   all of them as one, in JSON or protobuf
//! /openapi/v3                 index      registry: a line for each group and version
//! /openapi/v3/apis/apps/v1    document   paths + schemas, and the schemas that those name
//! ```

mod custom;
mod gnostic;
mod names;
mod paths;
mod v2;

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

use serde_json::{Map, Value, json};

pub(crate) use self::gnostic::encode as to_protobuf;
use super::models::Schemas;
use crate::registry::{Resource, within};

/// `/openapi/v3`: which documents there are. Each has a hash, by which clients keep it.
pub(crate) fn index(resources: &[Arc<Resource>]) -> Value {
    let mut hashes: Map<String, Value> = Map::new();
    for (path, group, version) in group_versions(resources) {
        let hash = hash(resources, &group, &version);
        let url = format!("/openapi/v3/{path}?hash={hash:016X}");
        hashes.insert(path, json!({ "serverRelativeURL": url }));
    }
    json!({ "paths": hashes })
}

/// `/openapi/v3/{path}`; nothing if nothing is served there.
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
        let root = if resource.custom {
            Some(custom::add(resource, served, &mut schemas))
        } else {
            schemas.add_kind(&api_version, &resource.kind)
        };
        // What Kubernetes has dropped has no schema any more, and is not described.
        let Some(root) = root else { continue };
        if !resource.custom {
            schemas.add_kind(&api_version, &resource.list_kind);
        }
        if served.scale.is_some() {
            schemas.add_kind("autoscaling/v1", "Scale");
        }
        paths.extend(paths::of(resource, served, &root));
    }
    for name in paths::SCHEMAS {
        schemas.add(name);
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

/// Document of `/openapi/v2`.
pub(crate) fn document_2(resources: &[Arc<Resource>]) -> Value {
    let paths = group_versions(resources).into_iter();
    v2::merged(paths.filter_map(|(path, ..)| document(resources, &path)))
}

/// `api/v1`, `apis/apps/v1` with group and version, each once.
fn group_versions(resources: &[Arc<Resource>]) -> Vec<(String, String, String)> {
    let mut found: Vec<_> = resources
        .iter()
        .flat_map(|resource| {
            resource.versions.iter().map(|version| {
                let (group, version) = (&resource.group, &version.name);
                let path = if group.is_empty() {
                    format!("api/{version}")
                } else {
                    format!("apis/{group}/{version}")
                };
                (path, group.clone(), version.clone())
            })
        })
        .collect();
    found.sort_unstable();
    found.dedup();
    found
}

/// Of everything that the document depends on, which is less work than of the document.
fn hash(resources: &[Arc<Resource>], group: &str, version: &str) -> u64 {
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
