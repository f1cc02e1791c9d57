//! The table of served resources: the built-in ones and the custom definitions of the moment.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::builtin::BUILT_IN;
use super::deprecation;
use super::forms::stored_as;
use super::kinds::{categories, scales};
use super::priority::priority;
use super::resource::{Resource, Version, api_version, within};
use super::scale::ScalePaths;
use crate::store::ResourceId;

/// The table of served resources.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    resources: BTreeMap<(String, String), Arc<Resource>>,
    next: u32,
}

// === impl Registry ===

impl Registry {
    /// The registry of a fresh server: every built-in kind.
    pub(crate) fn built_in() -> Self {
        let mut registry = Self::default();
        for group_version in BUILT_IN {
            let api_version = api_version(group_version.group, group_version.version);
            for kind in group_version.kinds {
                let version = Version {
                    name: group_version.version.to_owned(),
                    status: kind.status,
                    scale: scales(group_version.group, kind.plural).then(ScalePaths::built_in),
                    schema: None,
                    columns: Vec::new(),
                    selectable: Vec::new(),
                    deprecation: deprecation::of_built_in(&api_version, kind.kind),
                };
                let key = (group_version.group.to_owned(), kind.plural.to_owned());
                if let Some(resource) = registry.resources.get_mut(&key) {
                    let resource = Arc::make_mut(resource);
                    resource.versions.push(version);
                    sort_by_priority(&mut resource.versions);
                    continue;
                }
                registry.insert(Resource {
                    id: ResourceId(0),
                    group: group_version.group.to_owned(),
                    plural: kind.plural.to_owned(),
                    singular: kind.kind.to_lowercase(),
                    kind: kind.kind.to_owned(),
                    list_kind: format!("{}List", kind.kind),
                    short_names: kind.short.iter().map(ToString::to_string).collect(),
                    categories: categories(group_version.group, kind.plural),
                    namespaced: kind.namespaced,
                    offers: kind.offers,
                    custom: false,
                    versions: vec![version],
                });
            }
        }
        registry
    }

    /// Adds `resource`, or replaces it under the id that it has.
    pub(crate) fn insert(&mut self, mut resource: Resource) -> Arc<Resource> {
        let key = (resource.group.clone(), resource.plural.clone());
        sort_by_priority(&mut resource.versions);
        let (group, plural) = stored_as(&key.0, &key.1);
        let stored_as = (group.to_owned(), plural.to_owned());
        let known = self.resources.get(&key);
        resource.id = if let Some(known) = known.or_else(|| self.resources.get(&stored_as)) {
            known.id
        } else {
            self.next += 1;
            ResourceId(self.next)
        };
        let resource = Arc::new(resource);
        self.resources.insert(key, Arc::clone(&resource));
        resource
    }

    pub(crate) fn remove(&mut self, group: &str, plural: &str) -> Option<Arc<Resource>> {
        self.resources
            .remove(&(group.to_owned(), plural.to_owned()))
    }

    pub(crate) fn get(&self, group: &str, plural: &str) -> Option<&Arc<Resource>> {
        self.resources.get(&(group.to_owned(), plural.to_owned()))
    }

    pub(crate) fn by_id(&self, id: ResourceId) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.id == id)
    }

    /// Finds by the `apiVersion` and `kind` of an object.
    pub(crate) fn of_kind(&self, api_version: &str, kind: &str) -> Option<&Arc<Resource>> {
        let (group, version) = api_version.split_once('/').unwrap_or(("", api_version));
        let first = (group.to_owned(), String::new());
        let of_group = self.resources.range(first..).map(|(_, resource)| resource);
        of_group
            .take_while(|resource| resource.group == group)
            .find(|resource| resource.kind == kind && resource.version(version).is_some())
    }

    /// Finds by plural or `plural.group`; a bare plural means the first group that has it.
    pub(crate) fn named(&self, name: &str) -> Option<&Arc<Resource>> {
        self.iter().find(|resource| resource.answers_to(name))
    }

    /// By group, then by plural; the core group is first.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Arc<Resource>> {
        self.resources.values()
    }

    /// Whether anything is served under `group` and `version`.
    pub(crate) fn serves(&self, group: &str, version: &str) -> bool {
        within(self.iter(), group, version).next().is_some()
    }
}

fn sort_by_priority(versions: &mut [Version]) {
    versions.sort_by_key(|version| std::cmp::Reverse(priority(&version.name)));
}

#[cfg(test)]
mod tests {
    use super::Registry;

    #[test]
    fn a_plural_that_groups_share_needs_its_group() {
        let registry = Registry::built_in();
        assert_eq!(registry.named("events").unwrap().group, "");
        let other = registry.named("events.events.k8s.io").unwrap();
        assert_eq!(other.group, "events.k8s.io");
        assert!(registry.named("nonsense").is_none());
        assert!(
            registry
                .of_kind("autoscaling/v1", "HorizontalPodAutoscaler")
                .is_some()
        );
        assert!(
            registry
                .of_kind("autoscaling/v3", "HorizontalPodAutoscaler")
                .is_none()
        );
    }
}
