//! Discovery of a resource's kind and scope from the API server. Neither is ever guessed.

use std::fmt;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::{APIResource, APIResourceList};
use kube::Client;
use kube::core::{ApiResource, GroupVersionKind};

use super::error::DiscoverError;
use crate::object::{ResourceInfo, Scope};
use crate::source::document;
use crate::wire::printable;

/// Bounds of the verbs in an error: their number, and the length of each in bytes.
const MAX_VERBS: usize = 16;
const MAX_VERB: usize = 64;

/// Finds a resource in the API server's list of its group and version. `wanted` names it in errors.
pub(crate) async fn discover(
    client: &Client,
    api_version: &str,
    wanted: impl fmt::Display,
    is_wanted: impl Fn(&APIResource) -> bool,
) -> Result<ResourceInfo, DiscoverError> {
    let not_served = || DiscoverError::NotServed(wanted.to_string());
    let (root, group, version) = match api_version.split_once('/') {
        Some((group, version)) => ("apis", group, version),
        None => ("api", "", api_version),
    };
    let path = format!("/{root}/{api_version}");
    let answer = document::<APIResourceList>(client, &path).await;
    let list = answer.map_err(|error| match error.status() {
        Some(status) if status.code == 404 => not_served(),
        _ => DiscoverError::Request(error),
    })?;
    // A name from a reference may be anything, and so may be what its path leads to.
    let mut resources = list.resources.into_iter();
    let found = resources
        .find(|resource| list.group_version == api_version && is_wanted(resource))
        .ok_or_else(not_served)?;
    let kind = GroupVersionKind::gvk(group, version, &found.kind);
    let resource = ResourceInfo {
        api_resource: ApiResource::from_gvk_with_plural(&kind, &found.name),
        scope: if found.namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        },
    };
    let can = |verb: &str| found.verbs.iter().any(|allowed| allowed == verb);
    if can("list") && can("watch") {
        return Ok(resource);
    }
    let verbs = found.verbs.iter().take(MAX_VERBS);
    Err(DiscoverError::NotWatchable {
        resource: resource.gvr(),
        verbs: verbs.map(|verb| printable(verb, MAX_VERB)).collect(),
    })
}
