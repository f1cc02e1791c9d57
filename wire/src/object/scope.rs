//! [`Scope`]: whether a resource is namespaced or cluster-scoped, as data and as a bound on a type.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::core::DynamicResourceScope;

/// Scope of a resource: namespaced or cluster-scoped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Scope {
    /// Each object belongs to a namespace.
    Namespaced,
    /// Objects belong to the cluster.
    Cluster,
}

/// A scope that is part of a type: `k8s-openapi`'s scopes and kube's dynamic scope.
pub trait ResourceScope {
    /// The scope; `None` if it is known only at run time, as for `DynamicObject`.
    const SCOPE: Option<Scope>;
}

/// Scope of a namespaced type `K`.
///
/// The bound of `Lister::namespace`. The trait is sealed: its only implementation is that of
/// [`NamespaceResourceScope`].
#[diagnostic::on_unimplemented(
    message = "`{K}` is not read by namespace: its scope is `{Self}`",
    label = "there is no namespace to read",
    note = "a cluster-scoped object is read by its name alone: `lister.get(\"name\")`",
    note = "a dynamic type tells its scope at run time: `lister.try_namespace(\"default\")`",
    note = "if your own type should be namespaced: `#[kube(namespaced)]`"
)]
pub trait NamespacedScope<K>: Sealed {}

/// Scope of a cluster-scoped type `K`.
///
/// The bound of `Lister::get` and `Lister::try_get`. The trait is sealed: its only implementation is
/// that of [`ClusterResourceScope`].
#[diagnostic::on_unimplemented(
    message = "`{K}` is not read by name alone: its scope is `{Self}`",
    label = "a name alone does not tell objects in namespaces apart",
    note = "a namespaced object is read by namespace and name: `lister.namespace(\"default\").get(\"name\")`, or `lister.get_by_key(&key)`",
    note = "a dynamic type tells its scope at run time: `lister.get_cluster_scoped(\"name\")`"
)]
pub trait ClusterScope<K>: Sealed {}

/// Prevents other crates from implementing the scope traits.
pub trait Sealed {}

impl ResourceScope for NamespaceResourceScope {
    const SCOPE: Option<Scope> = Some(Scope::Namespaced);
}

impl ResourceScope for ClusterResourceScope {
    const SCOPE: Option<Scope> = Some(Scope::Cluster);
}

impl ResourceScope for DynamicResourceScope {
    const SCOPE: Option<Scope> = None;
}

impl Sealed for NamespaceResourceScope {}

impl Sealed for ClusterResourceScope {}

impl<K> NamespacedScope<K> for NamespaceResourceScope {}

impl<K> ClusterScope<K> for ClusterResourceScope {}
