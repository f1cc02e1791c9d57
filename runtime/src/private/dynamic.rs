//! Wrappers over objects without a Rust type.

use std::sync::Arc;

use kube::core::ApiResource;
pub use kube::core::DynamicObject;

use crate::indexer::Indexer;
use crate::lister::{Lister, NamespaceLister};
use crate::object::KeyRef;
use crate::object::{ResourceInfo, Scope};
use crate::storage::Storage;

/// The resource that a definition describes.
#[must_use]
pub fn dynamic_resource(
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
    scope: Scope,
) -> ResourceInfo {
    ResourceInfo {
        api_resource: ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version: format!("{group}/{version}"),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
        },
        scope,
    }
}

/// A lister of such a resource, over a store that is fed by hand.
#[must_use]
pub fn dynamic_lister(
    resource: ResourceInfo,
    indexer: &Indexer<Arc<DynamicObject>>,
) -> Lister<DynamicObject> {
    Lister::new(indexer.clone(), Arc::new(resource), None)
}

/// One namespace of a resource that a definition says to be namespaced.
#[must_use]
pub fn dynamic_namespace<'a, S: Storage<DynamicObject>>(
    lister: &'a Lister<DynamicObject, S>,
    namespace: &'a str,
) -> NamespaceLister<'a, DynamicObject, S> {
    NamespaceLister::new(lister, namespace)
}

/// An object of a resource that a definition says to be cluster-scoped.
#[must_use]
pub fn dynamic_get<S: Storage<DynamicObject>>(
    lister: &Lister<DynamicObject, S>,
    name: &str,
) -> Option<S::Handle> {
    lister.find(&KeyRef::cluster(name))
}
