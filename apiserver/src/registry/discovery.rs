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
    let groups: Vec<Value> = group_versions(registry)
        .iter()
        .filter(|(group, _)| !group.is_empty())
        .map(|(group, versions)| api_group(group, versions))
        .collect();
    json!({ "kind": "APIGroupList", "apiVersion": "v1", "groups": groups })
}

/// `/apis/{group}`; `None` if the group is not served.
pub(crate) fn group(registry: &Registry, group: &str) -> Option<Value> {
    let groups = group_versions(registry);
    let versions = groups.get(group).filter(|_| !group.is_empty())?;
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
        let parts = subresources_of(served);
        resources.extend(parts.map(|subresource| subresource_entry(resource, subresource)));
    }
    (!resources.is_empty()).then(|| {
        json!({
            "kind": "APIResourceList",
            "apiVersion": "v1",
            "groupVersion": api_version(group, version),
            "resources": resources,
        })
    })
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
    let entry =
        |version: &str| json!({ "groupVersion": api_version(group, version), "version": version });
    let entries: Vec<Value> = versions.iter().map(|version| entry(version)).collect();
    let preferred = entries.first().cloned();
    json!({ "name": group, "versions": entries, "preferredVersion": preferred })
}

fn aggregated(registry: &Registry, includes: impl Fn(&str) -> bool) -> Value {
    let items: Vec<Value> = group_versions(registry)
        .into_iter()
        .filter(|(group, _)| includes(group))
        .map(|(group, names)| {
            let versions: Vec<Value> = names
                .into_iter()
                .map(|version| aggregated_version(registry, group, version))
                .collect();
            json!({ "metadata": { "name": group }, "versions": versions })
        })
        .collect();
    json!({
        "kind": "APIGroupDiscoveryList",
        "apiVersion": "apidiscovery.k8s.io/v2",
        "metadata": {},
        "items": items,
    })
}

/// Adds the names by which `kubectl` knows a resource, where it has any.
fn add_names(entry: &mut Value, resource: &Resource) {
    let names = [
        ("shortNames", &resource.short_names),
        ("categories", &resource.categories),
    ];
    for (field, names) in names.into_iter().filter(|(_, names)| !names.is_empty()) {
        set(entry, field, json!(names));
    }
}

fn aggregated_version(registry: &Registry, group: &str, version: &str) -> Value {
    let resources: Vec<Value> = within(registry.iter(), group, version)
        .map(|(resource, served)| {
            let kind = json!({ "group": group, "version": version, "kind": resource.kind });
            aggregated_resource(resource, served, &kind)
        })
        .collect();
    json!({ "version": version, "freshness": "Current", "resources": resources })
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
    let subresources: Vec<Value> = subresources_of(served)
        .map(|subresource| {
            let kind_of_part = match subresource {
                Subresource::Scale => {
                    json!({ "group": "autoscaling", "version": "v1", "kind": "Scale" })
                }
                Subresource::None | Subresource::Status => kind.clone(),
            };
            json!({
                "subresource": subresource.as_str(),
                "responseKind": kind_of_part,
                "verbs": subresource.verbs(resource),
            })
        })
        .collect();
    if !subresources.is_empty() {
        set(&mut entry, "subresources", subresources);
    }
    entry
}

fn subresources_of(served: &Version) -> impl Iterator<Item = Subresource> + use<> {
    let scale = served.scale.is_some().then_some(Subresource::Scale);
    let status = served.status.then_some(Subresource::Status);
    scale.into_iter().chain(status)
}
