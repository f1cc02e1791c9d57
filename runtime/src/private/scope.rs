//! Comparing the scope that a user names with the type's own, at compile time.

use std::convert::Infallible;

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};

use crate::Object;

/// The scope of types whose objects live in namespaces.
#[diagnostic::on_unimplemented(
    message = "`scope = \"Namespaced\"` is not the scope of this type, which is `{Self}`",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "write `#[informer(scope = \"Cluster\")]`, or `namespaced` in the type's `#[kube(...)]`"
)]
pub trait IsNamespaced {}

impl IsNamespaced for NamespaceResourceScope {}

/// The scope of types whose objects live in the cluster.
#[diagnostic::on_unimplemented(
    message = "`scope = \"Cluster\"` is not the scope of this type, which is `{Self}`",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "write `#[informer(scope = \"Namespaced\")]`"
)]
pub trait IsCluster {}

impl IsCluster for ClusterResourceScope {}

/// Compiles if an informer can cache `K`.
pub const fn assert_object<K: Object<DynamicType = ()>>() {}

/// Compiles if an informer can cache `K`, and it is namespaced.
pub const fn assert_namespaced<K: Object<DynamicType = (), Scope: IsNamespaced>>() {}

/// Compiles if an informer can cache `K`, and it is cluster-scoped.
pub const fn assert_cluster<K: Object<DynamicType = (), Scope: IsCluster>>() {}

/// What generated code relies on for a namespaced type.
pub trait NamespacedObject: Object<DynamicType = (), Scope = NamespaceResourceScope> {}

impl<K: Object<DynamicType = (), Scope = NamespaceResourceScope>> NamespacedObject for K {}

/// What generated code relies on for a cluster-scoped type.
pub trait ClusterObject: Object<DynamicType = (), Scope = ClusterResourceScope> {}

impl<K: Object<DynamicType = (), Scope = ClusterResourceScope>> ClusterObject for K {}

/// What `namespace` of a cluster-scoped lister takes: nothing, so that rustc says why.
#[diagnostic::on_unimplemented(
    message = "`{K}` is cluster-scoped: its objects are in no namespace",
    label = "there is no namespace to read",
    note = "read it by name alone, `lister.get(\"name\")`, or all with `lister.list(&selector)`",
    note = "if it should be namespaced: `#[kube(namespaced)]`, or `#[informer(scope = \"Namespaced\")]`"
)]
pub trait NamespaceOf<K> {
    /// Never called.
    fn __never(self) -> Infallible;
}

/// What `get` of a namespaced lister takes: nothing, so that rustc says why.
#[diagnostic::on_unimplemented(
    message = "`{K}` is namespaced: a name alone does not tell its objects apart",
    label = "in which namespace?",
    note = "write `lister.namespace(\"default\").get(\"name\")`, or `lister.get_by_key(&key)`"
)]
pub trait ClusterName<K> {
    /// Never called.
    fn __never(self) -> Infallible;
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};

    use super::*;

    // Compiling is the test; that the wrong one does not compile is shown in informer-derive.
    const _: () = assert_namespaced::<Pod>();
    const _: () = assert_cluster::<Node>();
}
