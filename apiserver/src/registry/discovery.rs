//! Discovery documents, classic and aggregated.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::document::set;
use crate::registry::subresource::Subresource;
use crate::registry::{Registry, Resource, Version, api_version, priority, within};

/// `/version`
pub(crate) fn version() -> Value {
    json!({
        "major": "1",
        "minor": "37",
        "emulationMajor": "1",
        "emulationMinor": "37",
        "minCompatibilityMajor": "1",
        "minCompatibilityMinor": "36",
        "gitVersion": concat!("v1.37.0+informer.", env!("CARGO_PKG_VERSION")),
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "none",
        "compiler": "rustc",
        "platform": format!("{}/{}", std::env::consts::OS, std::env::consts::ARCH),
    })
}

/// `/api`
pub(crate) fn core_versions(registry: &Registry, in_aggregate: bool) -> Value {
    if in_aggregate {
        return aggregated(registry, str::is_empty);
    }
    json!({
        "kind": "APIVersions",
        "versions": ["v1"],
        "serverAddressByClientCIDRs": [],
    })
}

/// `/apis`
pub(crate) fn groups(registry: &Registry, in_aggregate: bool) -> Value {
    if in_aggregate {
        return aggregated(registry, |group| !group.is_empty());
    }
    let mut groups = Vec::new();
    for (group, versions) in group_versions(registry) {
        if !group.is_empty() {
            groups.push(api_group(group, &versions));
        }
    }
    json!({
        "kind": "APIGroupList",
        "apiVersion": "v1",
        "groups": groups,
    })
}

/// `/apis/{group}`; `None` if the group is not served.
pub(crate) fn group(registry: &Registry, group: &str) -> Option<Value> {
    if group.is_empty() {
        return None;
    }
    let groups = group_versions(registry);
    let versions = groups.get(group)?;
    let mut document = api_group(group, versions);
    set(&mut document, "kind", "APIGroup");
    set(&mut document, "apiVersion", "v1");
    Some(document)
}

/// `/api/v1`, `/apis/{group}/{version}`; `None` if the version is not served.
pub(crate) fn resources(registry: &Registry, group: &str, version: &str) -> Option<Value> {
    let mut resources = Vec::new();
    for (resource, served) in within(registry.iter(), group, version) {
        let mut entry = json!({
            "name": resource.plural,
            "singularName": resource.singular,
            "namespaced": resource.namespaced,
            "kind": resource.kind,
            "verbs": resource.verbs(),
        });
        add_names(&mut entry, resource);
        resources.push(entry);
        for subresource in subresources_of(served) {
            resources.push(subresource_entry(resource, subresource));
        }
    }
    if resources.is_empty() {
        return None;
    }
    Some(json!({
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": api_version(group, version),
        "resources": resources,
    }))
}

fn subresource_entry(resource: &Resource, subresource: Subresource) -> Value {
    let is_scale = subresource == Subresource::Scale;
    let mut entry = json!({
        "name": format!("{}/{}", resource.plural, subresource.as_str()),
        "singularName": "",
        "namespaced": resource.namespaced,
        "kind": if is_scale { "Scale" } else { &resource.kind },
        "verbs": subresource.verbs(resource),
    });
    if is_scale {
        set(&mut entry, "group", "autoscaling");
        set(&mut entry, "version", "v1");
    }
    entry
}

/// Returns the versions of every group, the most preferred first.
fn group_versions(registry: &Registry) -> BTreeMap<&str, Vec<&str>> {
    let mut groups: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for resource in registry.iter() {
        let versions = groups.entry(&resource.group).or_default();
        for version in &resource.versions {
            if !versions.contains(&version.name.as_str()) {
                versions.push(&version.name);
            }
        }
    }
    for versions in groups.values_mut() {
        versions.sort_by_key(|version| std::cmp::Reverse(priority(version)));
    }
    groups
}

fn api_group(group: &str, versions: &[&str]) -> Value {
    let mut entries = Vec::new();
    for version in versions {
        entries.push(json!({
            "groupVersion": api_version(group, version),
            "version": version,
        }));
    }
    json!({
        "name": group,
        "versions": entries,
        "preferredVersion": entries.first(),
    })
}

fn aggregated(registry: &Registry, includes: impl Fn(&str) -> bool) -> Value {
    let mut items = Vec::new();
    for (group, names) in group_versions(registry) {
        if !includes(group) {
            continue;
        }
        let mut versions = Vec::new();
        for version in names {
            versions.push(aggregated_version(registry, group, version));
        }
        items.push(json!({
            "metadata": { "name": group },
            "versions": versions,
        }));
    }
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

/// Adds the names by which `kubectl` knows a resource, where it has any.
fn add_names(entry: &mut Value, resource: &Resource) {
    if !resource.short_names.is_empty() {
        set(entry, "shortNames", json!(resource.short_names));
    }
    if !resource.categories.is_empty() {
        set(entry, "categories", json!(resource.categories));
    }
}

fn aggregated_version(registry: &Registry, group: &str, version: &str) -> Value {
    let mut resources = Vec::new();
    for (resource, served) in within(registry.iter(), group, version) {
        let kind = response_kind(group, version, &resource.kind);
        resources.push(aggregated_resource(resource, served, &kind));
    }
    json!({
        "version": version,
        "freshness": "Current",
        "resources": resources,
    })
}

fn response_kind(group: &str, version: &str, kind: &str) -> Value {
    json!({
        "group": group,
        "version": version,
        "kind": kind,
    })
}

fn aggregated_resource(resource: &Resource, served: &Version, kind: &Value) -> Value {
    let mut entry = json!({
        "resource": resource.plural,
        "responseKind": kind,
        "scope": if resource.namespaced { "Namespaced" } else { "Cluster" },
        "singularResource": resource.singular,
        "verbs": resource.verbs(),
    });
    add_names(&mut entry, resource);
    let mut subresources = Vec::new();
    for subresource in subresources_of(served) {
        let kind_of_part = match subresource {
            Subresource::Scale => response_kind("autoscaling", "v1", "Scale"),
            Subresource::None | Subresource::Status => kind.clone(),
        };
        subresources.push(json!({
            "subresource": subresource.as_str(),
            "responseKind": kind_of_part,
            "verbs": subresource.verbs(resource),
        }));
    }
    if !subresources.is_empty() {
        set(&mut entry, "subresources", subresources);
    }
    entry
}

fn subresources_of(served: &Version) -> Vec<Subresource> {
    let mut found = Vec::new();
    if served.scale.is_some() {
        found.push(Subresource::Scale);
    }
    if served.status {
        found.push(Subresource::Status);
    }
    found
}
