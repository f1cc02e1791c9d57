//! Wrappers over objects without a Rust type.

use std::sync::Arc;

use kube::core::ApiResource;
pub use kube::core::DynamicObject;

use crate::factory::SharedInformerFactory;
use crate::lister::{Lister, NamespaceLister};
use crate::object::{ObjectKey, ResourceInfo, Scope};
use crate::shared_informer::SharedInformer;

/// The informer of a resource that a definition describes.
#[must_use]
pub fn dynamic(
    factory: &SharedInformerFactory,
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
    namespaced: bool,
) -> SharedInformer<DynamicObject> {
    factory.dynamic(ResourceInfo {
        api_resource: ApiResource {
            group: group.to_owned(),
            version: version.to_owned(),
            api_version: format!("{group}/{version}"),
            kind: kind.to_owned(),
            plural: plural.to_owned(),
        },
        scope: if namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        },
    })
}

/// One namespace of a resource that a definition says to be namespaced.
#[must_use]
pub fn dynamic_namespace<'a>(
    lister: &'a Lister<DynamicObject>,
    namespace: &'a str,
) -> NamespaceLister<'a, DynamicObject> {
    NamespaceLister::new(lister, namespace)
}

/// An object of a resource that a definition says to be cluster-scoped.
#[must_use]
pub fn dynamic_get(lister: &Lister<DynamicObject>, name: &str) -> Option<Arc<DynamicObject>> {
    lister.get_by_key(&ObjectKey::cluster(name))
}
