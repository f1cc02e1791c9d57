//! Registry of served resources: built-in kinds and current custom resources.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::{BuiltIn, built_in};
use super::events::stored_as;
use super::priority::priority;
use super::resource::{Resource, Version, within};
use super::scale::ScalePaths;
use crate::store::ResourceId;

/// Registry of served resources.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    resources: BTreeMap<GroupPlural, Arc<Resource>>,
    /// Number of the newest id.
    last: u32,
}

/// Group and plural of a resource, in the order of listings.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct GroupPlural {
    group: String,
    plural: String,
}

// === impl GroupPlural ===

impl GroupPlural {
    fn new(group: &str, plural: &str) -> Self {
        Self {
            group: group.to_owned(),
            plural: plural.to_owned(),
        }
    }
}

// === impl Registry ===

impl Registry {
    /// Creates the registry of a new server, with every built-in kind.
    pub(crate) fn built_in() -> Self {
        let mut registry = Self::default();
        for kind in built_in() {
            registry.add_built_in(&kind);
        }
        registry
    }

    /// Adds one version of a built-in kind.
    fn add_built_in(&mut self, built_in: &BuiltIn) {
        let version = Version {
            name: built_in.version.to_owned(),
            status: built_in.is("status"),
            scale: built_in.is("scale").then(ScalePaths::built_in),
            schema: None,
            columns: Vec::new(),
            selectable: built_in.names("field:"),
            deprecation: built_in.deprecation(),
        };
        let key = GroupPlural::new(built_in.group, built_in.plural);
        if let Some(known) = self.resources.get_mut(&key) {
            let resource = Arc::make_mut(known);
            resource.versions.push(version);
            sort_by_priority(&mut resource.versions);
            return;
        }
        self.insert(Resource {
            id: ResourceId(0),
            group: built_in.group.to_owned(),
            plural: built_in.plural.to_owned(),
            singular: built_in.kind.to_lowercase(),
            kind: built_in.kind.to_owned(),
            list_kind: format!("{}List", built_in.kind),
            short_names: built_in.names("short:"),
            categories: built_in.names("category:"),
            namespaced: built_in.is("namespaced"),
            offers: built_in.offers(),
            rules: built_in.rules(),
            custom: false,
            versions: vec![version],
        });
    }

    /// Adds `resource`, or replaces it and keeps its id.
    pub(crate) fn insert(&mut self, mut resource: Resource) -> Arc<Resource> {
        sort_by_priority(&mut resource.versions);
        resource.id = if let Some(id) = self.known_id(&resource) {
            id
        } else {
            self.last += 1;
            ResourceId(self.last)
        };
        let key = GroupPlural::new(&resource.group, &resource.plural);
        let served = Arc::new(resource);
        self.resources.insert(key, Arc::clone(&served));
        served
    }

    /// Returns the id of the resource under which the objects of `resource` are stored, if it is
    /// known.
    fn known_id(&self, resource: &Resource) -> Option<ResourceId> {
        if let Some(known) = self.get(&resource.group, &resource.plural) {
            return Some(known.id);
        }
        let (group, plural) = stored_as(&resource.group, &resource.plural);
        let stored = self.get(group, plural)?;
        Some(stored.id)
    }

    pub(crate) fn remove(&mut self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        let key = GroupPlural::new(group, plural);
        self.resources.remove(&key)
    }

    pub(crate) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        let key = GroupPlural::new(group, plural);
        self.resources.get(&key)
    }

    pub(crate) fn by_id(&self, id: ResourceId) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.id == id)
    }

    /// Returns the resource of an `apiVersion` and `kind`.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let first = GroupPlural::new(group, "");
        self.resources
            .range(first..)
            .map(|(_, resource)| resource)
            .take_while(|resource| resource.group == group)
            .find(|resource| resource.kind == kind && resource.version(version).is_some())
    }

    /// Returns the resource of a plural or `plural.group`. A bare plural denotes the first group
    /// that has it.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.answers_to(name))
    }

    /// Returns the resources by group, then by plural; the core group is first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// Reports whether any resource is served under `group` and `version`.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        within(self.iter(), group, version).next().is_some()
    }
}

fn sort_by_priority(versions: &mut [Version]) {
    versions.sort_by_key(|version| std::cmp::Reverse(priority(&version.name)));
}

#[cfg(test)]
mod tests;
