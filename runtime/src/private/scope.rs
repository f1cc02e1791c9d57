//! Compile-time comparison of the scope that a user declares with the type's scope.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};

use crate::object::Object;

/// Scope of types whose objects are namespaced.
#[diagnostic::on_unimplemented(
    message = "`scope = \"Namespaced\"` is not the scope of this type, which is `{Self}`",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "write `#[informer(scope = \"Cluster\")]`, or `namespaced` in the type's `#[kube(...)]`"
)]
pub trait IsNamespaced {}

impl IsNamespaced for NamespaceResourceScope {}

/// Scope of types whose objects are cluster-scoped.
#[diagnostic::on_unimplemented(
    message = "`scope = \"Cluster\"` is not the scope of this type, which is `{Self}`",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "write `#[informer(scope = \"Namespaced\")]`"
)]
pub trait IsCluster {}

impl IsCluster for ClusterResourceScope {}

/// Compiles if an informer can cache `K`.
pub const fn assert_object<K: Object<DynamicType = ()>>() {}

/// Compiles if an informer can cache `K`, and `K` is namespaced.
pub const fn assert_namespaced<K: Object<DynamicType = (), Scope: IsNamespaced>>() {}

/// Compiles if an informer can cache `K`, and `K` is cluster-scoped.
pub const fn assert_cluster<K: Object<DynamicType = (), Scope: IsCluster>>() {}

/// Bound of generated code: a type that knows its resource.
pub trait TypedObject: Object<DynamicType = ()> {}

impl<K: Object<DynamicType = ()>> TypedObject for K {}

#[cfg(test)]
mod tests;
