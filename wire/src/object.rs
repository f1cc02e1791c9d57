//! Vocabulary of objects: the types that can be cached, and the names of resources and objects,
//! scopes, versions and selectors.

mod form;
mod int_or_string;
mod key;
mod scope;
mod selector;
mod version;

use std::borrow::Cow;
use std::fmt;

use kube::Resource;
use kube::core::ApiResource;
use serde::de::DeserializeOwned;

#[doc(hidden)]
pub use self::form::TypeForm;
pub use self::int_or_string::IntOrString;
#[cfg(feature = "test-util")]
#[doc(hidden)]
pub use self::key::NAMESPACE_READS;
#[doc(hidden)]
pub use self::key::{KeyLookup, KeyRef};
pub use self::key::{ObjectKey, ParseKeyError};
pub use self::scope::{ClusterScope, NamespacedScope, ResourceScope, Scope};
pub use self::selector::{
    FieldSelector, FieldSelectorError, Operator, ParseSelectorError, Requirement, RequirementError,
    Selector,
};
pub use self::version::{ResourceVersion, Uid};

/// A type whose objects an informer can cache.
///
/// Implemented for every [`kube::Resource`] that deserializes: all of `k8s-openapi`, custom
/// resources by `kube-derive`, `DynamicObject`, `PartialObjectMeta` and projections of them.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a type that an informer can cache",
    label = "cannot be cached",
    note = "objects are read from the API server: `{Self}` must implement `serde::Deserialize`, and `kube::Resource` by `#[derive(kube::CustomResource)]` or `#[derive(kube::Resource)]`",
    note = "objects are shared between tasks: `{Self}` must be `Send`, `Sync` and `'static`"
)]
pub trait Object:
    Resource<DynamicType: Clone + fmt::Debug, Scope: ResourceScope>
    + DeserializeOwned
    + Send
    + Sync
    + 'static
{
}

#[diagnostic::do_not_recommend]
impl<K> Object for K where
    K: Resource<DynamicType: Clone + fmt::Debug, Scope: ResourceScope>
        + DeserializeOwned
        + Send
        + Sync
        + 'static
{
}

/// Group, version and plural name of a resource.
///
/// Prints as in Go: `deployments.v1.apps`, `pods.v1`.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GroupVersionResource {
    /// API group; empty for the core group.
    pub group: String,
    /// Version within the group.
    pub version: String,
    /// Plural, lower-case name, as in URLs.
    pub resource: String,
}

/// A resource with its kind and scope: the data that a request for it needs.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ResourceInfo {
    /// Group, version, kind and plural name.
    pub api_resource: ApiResource,
    /// Scope of the objects: namespaced or cluster-scoped.
    pub scope: Scope,
}

// === impl GroupVersionResource ===

impl GroupVersionResource {
    /// Creates the name of a resource; `group` is empty for the core group.
    pub fn new(
        group: impl Into<String>,
        version: impl Into<String>,
        resource: impl Into<String>,
    ) -> Self {
        Self {
            group: group.into(),
            version: version.into(),
            resource: resource.into(),
        }
    }
}

impl fmt::Display for GroupVersionResource {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.resource, self.version)?;
        if self.group.is_empty() {
            Ok(())
        } else {
            write!(f, ".{}", self.group)
        }
    }
}

// === impl ResourceInfo ===

impl ResourceInfo {
    /// Returns the resource of `K`; `None` if the scope of `K` is dynamic.
    #[must_use]
    pub fn of<K: Object>(dynamic_type: &K::DynamicType) -> Option<Self> {
        let scope = <K::Scope as ResourceScope>::SCOPE?;
        Some(Self {
            api_resource: api_resource::<K>(dynamic_type),
            scope,
        })
    }

    /// Returns the resource of a type whose `DynamicType` carries no data.
    #[doc(hidden)]
    #[must_use]
    pub fn of_type<K: Object<DynamicType = ()>>() -> Self {
        // A type with a fixed group and plural has a fixed scope. If a type has none, the server
        // answers a request for a namespaced path with an error.
        Self::of::<K>(&()).unwrap_or_else(|| Self {
            api_resource: api_resource::<K>(&()),
            scope: Scope::Namespaced,
        })
    }

    /// Returns the group, version and plural name.
    #[must_use]
    pub fn gvr(&self) -> GroupVersionResource {
        let resource = &self.api_resource;
        GroupVersionResource::new(&resource.group, &resource.version, &resource.plural)
    }

    /// Returns the URL path of the collection, in one namespace or in all.
    ///
    /// The namespace is ignored for cluster-scoped resources, as in client-go.
    #[must_use]
    pub fn url_path(&self, namespace: Option<&str>) -> String {
        let ApiResource {
            group,
            api_version,
            plural,
            ..
        } = &self.api_resource;
        let root = if group.is_empty() { "api" } else { "apis" };
        match (self.scope, namespace) {
            (Scope::Namespaced, Some(namespace)) if !namespace.is_empty() => {
                format!("/{root}/{api_version}/namespaces/{namespace}/{plural}")
            }
            _ => format!("/{root}/{api_version}/{plural}"),
        }
    }
}

/// Same as [`ApiResource::erase`], with less code per type.
fn api_resource<K: Object>(dynamic_type: &K::DynamicType) -> ApiResource {
    let names = [
        K::group(dynamic_type),
        K::version(dynamic_type),
        K::api_version(dynamic_type),
        K::kind(dynamic_type),
        K::plural(dynamic_type),
    ];
    let [group, version, api_version, kind, plural] = names.map(Cow::into_owned);
    ApiResource {
        group,
        version,
        api_version,
        kind,
        plural,
    }
}

impl fmt::Display for ResourceInfo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.gvr(), f)
    }
}

#[cfg(test)]
mod tests;
