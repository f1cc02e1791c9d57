//! Which resources are served: the built-in table and the custom definitions of the moment.

pub(crate) mod builtin;
pub(crate) mod crd;
mod deprecation;
pub(crate) mod discovery;
mod kinds;
#[cfg(feature = "openapi")]
pub(crate) mod openapi;
pub(crate) mod scale;
pub(crate) mod schema;
pub(crate) mod target;

use std::collections::BTreeMap;
use std::sync::Arc;

use serde::Deserialize;

use crate::registry::builtin::{BUILT_IN, Offers};
use crate::registry::scale::ScalePaths;
use crate::registry::schema::Schema;
use crate::store::ResourceId;

use self::kinds::{categories, scales};

/// A resource: one plural of one group, in all its versions.
///
/// Versions share their objects. There is no conversion: an object is served in another version
/// with that version's `apiVersion` and otherwise as it was written.
#[derive(Debug, Clone)]
pub(crate) struct Resource {
    pub(crate) id: ResourceId,
    pub(crate) group: String,
    pub(crate) plural: String,
    pub(crate) singular: String,
    pub(crate) kind: String,
    pub(crate) list_kind: String,
    pub(crate) short_names: Vec<String>,
    pub(crate) categories: Vec<String>,
    pub(crate) namespaced: bool,
    pub(crate) offers: Offers,
    /// Defined by a `CustomResourceDefinition`.
    pub(crate) custom: bool,
    /// Served versions, the most preferred first.
    pub(crate) versions: Vec<Version>,
}

/// One served version of a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Version {
    pub(crate) name: String,
    /// Has a `status` subresource, so the main endpoint leaves `status` alone.
    pub(crate) status: bool,
    pub(crate) scale: Option<ScalePaths>,
    /// Of a custom resource, if its definition has one.
    pub(crate) schema: Option<Schema>,
    /// `additionalPrinterColumns` of a definition.
    pub(crate) columns: Vec<PrinterColumn>,
    /// `selectableFields` of a definition, as `spec.color`.
    pub(crate) selectable: Vec<String>,
    /// What each request is warned of.
    pub(crate) deprecation: Option<String>,
}

/// A column as a `CustomResourceDefinition` declares it: `additionalPrinterColumns`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct PrinterColumn {
    pub(crate) name: String,
    #[serde(rename = "type")]
    pub(crate) kind: String,
    #[serde(default)]
    pub(crate) format: String,
    #[serde(default)]
    pub(crate) description: String,
    #[serde(default)]
    pub(crate) priority: i32,
    pub(crate) json_path: String,
}

/// The table of served resources.
#[derive(Debug, Default)]
pub(crate) struct Registry {
    resources: BTreeMap<(String, String), Arc<Resource>>,
    next: u32,
}

// === impl Resource ===

impl Resource {
    /// `pods`, `deployments.apps`: how messages name the resource.
    pub(crate) fn qualified(&self) -> String {
        if self.group.is_empty() {
            self.plural.clone()
        } else {
            format!("{}.{}", self.plural, self.group)
        }
    }

    /// `Pod`, `Deployment.apps`: how messages name the kind.
    pub(crate) fn qualified_kind(&self) -> String {
        if self.group.is_empty() {
            self.kind.clone()
        } else {
            format!("{}.{}", self.kind, self.group)
        }
    }

    pub(crate) fn version(&self, name: &str) -> Option<&Version> {
        self.versions.iter().find(|version| version.name == name)
    }

    /// `v1`, `apps/v1`.
    pub(crate) fn api_version(&self, version: &str) -> String {
        api_version(&self.group, version)
    }

    pub(crate) fn is(&self, group: &str, plural: &str) -> bool {
        self.group == group && self.plural == plural
    }

    /// Whether `name` means this resource: its plural, or `plural.group`.
    pub(crate) fn answers_to(&self, name: &str) -> bool {
        self.plural == name || self.qualified() == name
    }
}

/// `v1`, `apps/v1`: group and version as documents name them.
pub(crate) fn api_version(group: &str, version: &str) -> String {
    if group.is_empty() {
        version.to_owned()
    } else {
        format!("{group}/{version}")
    }
}

/// Those of `resources` that are served under `group` and `version`.
pub(crate) fn within<'a>(
    resources: impl IntoIterator<Item = &'a Arc<Resource>>,
    group: &'a str,
    version: &'a str,
) -> impl Iterator<Item = (&'a Resource, &'a Version)> {
    resources
        .into_iter()
        .filter(move |resource| resource.group == group)
        .filter_map(move |resource| Some((&**resource, resource.version(version)?)))
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
        resource.id = if let Some(known) = self.resources.get(&key) {
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

/// Orders versions as Kubernetes prefers them: `v2 > v1 > v2beta1 > v1alpha1 > anything else`.
pub(crate) fn priority(version: &str) -> (u8, u64, u64, std::cmp::Reverse<String>) {
    let parsed = || -> Option<(u8, u64, u64)> {
        let rest = version.strip_prefix('v')?;
        let digits = rest
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(rest.len());
        let (major, stage) = rest.split_at(digits);
        let major = major.parse().ok()?;
        if stage.is_empty() {
            return Some((3, major, 0));
        }
        let (level, minor) = match stage.strip_prefix("beta") {
            Some(minor) => (2, minor),
            None => (1, stage.strip_prefix("alpha")?),
        };
        Some((level, major, minor.parse().ok()?))
    };
    let (level, major, minor) = parsed().unwrap_or((0, 0, 0));
    (level, major, minor, std::cmp::Reverse(version.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::{Registry, priority};

    #[test]
    fn versions_are_preferred_as_kubernetes_prefers_them() {
        let order = [
            "v10", "v2", "v1", "v2beta2", "v1beta10", "v1beta1", "v1alpha1", "foo1", "foo10",
        ];
        let mut shuffled = order;
        shuffled.sort_unstable();
        shuffled.sort_by_key(|version| std::cmp::Reverse(priority(version)));
        assert_eq!(shuffled, order);
    }

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
