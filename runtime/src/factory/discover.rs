//! Discovery of a resource's kind and scope from the API server. Neither is ever guessed.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::APIResourceList;
use kube::Client;
use kube::core::ApiResource;

use super::error::DiscoverError;
use crate::object::{GroupVersionResource, ResourceInfo, Scope};
use crate::source::document;
use crate::wire::printable;

/// Bounds of the verbs in an error: their number, and the length of each in bytes.
const MAX_VERBS: usize = 16;
const MAX_VERB: usize = 64;

pub(crate) async fn discover(
    client: &Client,
    wanted: &GroupVersionResource,
) -> Result<ResourceInfo, DiscoverError> {
    let GroupVersionResource { group, version, .. } = wanted;
    let path = if group.is_empty() {
        format!("/api/{version}")
    } else {
        format!("/apis/{group}/{version}")
    };
    let list = document(client, &path)
        .await
        .map_err(|error| match error.status() {
            Some(status) if status.code == 404 => DiscoverError::NotServed(wanted.clone()),
            _ => DiscoverError::Request(error),
        })?;
    find(list, wanted)
}

/// Finds the resource in the API server's list of its group and version.
fn find(
    list: APIResourceList,
    wanted: &GroupVersionResource,
) -> Result<ResourceInfo, DiscoverError> {
    let GroupVersionResource {
        group,
        version,
        resource,
    } = wanted;
    let found = list
        .resources
        .into_iter()
        .find(|candidate| candidate.name == *resource);
    let Some(found) = found else {
        return Err(DiscoverError::NotServed(wanted.clone()));
    };
    let can = |verb: &str| found.verbs.iter().any(|allowed| allowed == verb);
    if !can("list") || !can("watch") {
        let verbs = found.verbs.iter().take(MAX_VERBS);
        return Err(DiscoverError::NotWatchable {
            resource: wanted.clone(),
            verbs: verbs.map(|verb| printable(verb, MAX_VERB)).collect(),
        });
    }
    let api_version = if group.is_empty() {
        version.clone()
    } else {
        format!("{group}/{version}")
    };
    Ok(ResourceInfo {
        api_resource: ApiResource {
            group: group.clone(),
            version: version.clone(),
            api_version,
            kind: found.kind,
            plural: found.name,
        },
        scope: if found.namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        },
    })
}
