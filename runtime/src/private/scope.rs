//! Comparing the scope that a user names with the type's own, at compile time.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};

use crate::object::Object;

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

/// What generated code relies on: a type that says its resource itself.
pub trait TypedObject: Object<DynamicType = ()> {}

impl<K: Object<DynamicType = ()>> TypedObject for K {}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};

    use super::*;

    // Compiling is the test; that the wrong one does not compile is shown in informer-derive.
    const _: () = assert_namespaced::<Pod>();
    const _: () = assert_cluster::<Node>();
}
