//! Comparing what a `CustomResourceDefinition` says with the type that it is mapped to.

use k8s_openapi::{ClusterResourceScope, NamespaceResourceScope};
use kube::Resource;

/// The scope of a type that may be mapped to a definition of the scope `Namespaced`.
#[diagnostic::on_unimplemented(
    message = "the definition says `Namespaced`, which is not the scope of this type",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "add `namespaced` to the type's `#[kube(..)]`, or map the kind to another type"
)]
pub trait DefinedNamespaced {}

impl DefinedNamespaced for NamespaceResourceScope {}

/// The scope of a type that may be mapped to a definition of the scope `Cluster`.
#[diagnostic::on_unimplemented(
    message = "the definition says `Cluster`, which is not the scope of this type",
    label = "its `kube::Resource::Scope` is `{Self}`",
    note = "remove `namespaced` from the type's `#[kube(..)]`, or map the kind to another type"
)]
pub trait DefinedCluster {}

impl DefinedCluster for ClusterResourceScope {}

/// Compiles if `K` has the scope that a definition says to be `Namespaced`.
pub const fn assert_defined_namespaced<K: Resource<Scope: DefinedNamespaced>>() {}

/// Compiles if `K` has the scope that a definition says to be `Cluster`.
pub const fn assert_defined_cluster<K: Resource<Scope: DefinedCluster>>() {}

/// Compares the rest, for which a type has functions and no constants: in a generated test.
///
/// # Panics
///
/// If `K` is not what its definition says.
pub fn assert_defined<K: Resource<DynamicType = ()>>(
    group: &str,
    version: &str,
    kind: &str,
    plural: &str,
) {
    let says = (group, version, kind, plural);
    let (group, version) = (K::group(&()), K::version(&()));
    let (kind, plural) = (K::kind(&()), K::plural(&()));
    let is = (&*group, &*version, &*kind, &*plural);
    assert!(
        is == says,
        "`{}` is not what its definition says: group, version, kind and plural are {is:?}, \
         but should be {says:?}",
        std::any::type_name::<K>()
    );
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::core::v1::{Node, Pod};

    use super::*;

    // Compiling is the test.
    const _: () = assert_defined_namespaced::<Pod>();
    const _: () = assert_defined_cluster::<Node>();

    #[test]
    fn a_type_that_is_as_defined_passes() {
        assert_defined::<Pod>("", "v1", "Pod", "pods");
    }

    #[test]
    #[should_panic(expected = "is not what its definition says")]
    fn a_plural_that_differs_is_told() {
        assert_defined::<Pod>("", "v1", "Pod", "podes");
    }
}
