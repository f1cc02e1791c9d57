//! Comparison of a `CustomResourceDefinition` with the type that it is mapped to.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::Resource;

/// Scope of a type that can be mapped to a definition with scope `Namespaced`.
#[diagnostic::on_unimplemented(
    message = "the definition's scope is `Namespaced`, but the type has another scope",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "add `namespaced` to the type's `#[kube(..)]`, or map the kind to another type"
)]
pub trait DefinedNamespaced {}

impl DefinedNamespaced for NamespaceResourceScope {}

/// Scope of a type that can be mapped to a definition with scope `Cluster`.
#[diagnostic::on_unimplemented(
    message = "the definition's scope is `Cluster`, but the type has another scope",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "remove `namespaced` from the type's `#[kube(..)]`, or map the kind to another type"
)]
pub trait DefinedCluster {}

impl DefinedCluster for ClusterResourceScope {}

/// Compiles if `K` is namespaced, as its definition requires.
pub const fn assert_defined_namespaced<K: Resource<Scope: DefinedNamespaced>>() {}

/// Compiles if `K` is cluster-scoped, as its definition requires.
pub const fn assert_defined_cluster<K: Resource<Scope: DefinedCluster>>() {}

/// Compares the properties for which a type has functions instead of constants. Called by a
/// generated test.
///
/// # Panics
///
/// Panics if `K` differs from its definition.
pub fn assert_defined<K: Resource<DynamicType = ()>>(
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
) {
    let expected = (group, version, kind, plural);
    let group = K::group(&());
    let version = K::version(&());
    let kind = K::kind(&());
    let plural = K::plural(&());
    let actual = (&*group, &*version, &*kind, &*plural);
    assert!(
        actual == expected,
        "`{}` differs from its definition: group, version, kind and plural are {actual:?}, \
         but should be {expected:?}",
        std::any::type_name::<K>()
    );
}

#[cfg(test)]
mod tests;
