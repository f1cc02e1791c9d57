//! Kind and scope of a resource, from the server; never guessed.

use kube::Client;
use kube::core::ApiResource;

use super::error::DiscoverError;
use crate::{GroupVersionResource, ResourceInfo, Scope};

pub(super) async fn discover(
    client: &Client,
    wanted: &GroupVersionResource,
) -> Result<ResourceInfo, DiscoverError> {
    let GroupVersionResource {
        group,
        version,
        resource,
    } = wanted;
    let api_version = if group.is_empty() {
        version.clone()
    } else {
        format!("{group}/{version}")
    };
    let list = if group.is_empty() {
        client.list_core_api_resources(version).await
    } else {
        client.list_api_group_resources(&api_version).await
    };
    let list = list.map_err(|error| {
        if matches!(&error, kube::Error::Api(status) if status.code == 404) {
            DiscoverError::NotServed(wanted.clone())
        } else {
            DiscoverError::Client(error)
        }
    })?;
    let found = list
        .resources
        .into_iter()
        .find(|candidate| candidate.name == *resource);
    let Some(found) = found else {
        return Err(DiscoverError::NotServed(wanted.clone()));
    };
    let can = |verb: &str| found.verbs.iter().any(|allowed| allowed == verb);
    if !can("list") || !can("watch") {
        return Err(DiscoverError::NotWatchable {
            resource: wanted.clone(),
            verbs: found.verbs,
        });
    }
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
