//! Names of kinds and resources with their groups, and the keys of owners.

use std::sync::Arc;

use informer_runtime::{Object, ObjectKey, ResourceScope, Scope};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

/// Returns `Deployment.apps` or `deployments.apps`, and without a group for the core group. Go's
/// counterparts are `GroupKind` and `GroupResource`.
pub(crate) fn qualified(name: &str, group: &str) -> Arc<str> {
    if group.is_empty() {
        name.into()
    } else {
        format!("{name}.{group}").into()
    }
}

/// Returns the group of an `apiVersion`; empty for the core group.
pub(crate) fn group_of(api_version: &str) -> &str {
    match api_version.split_once('/') {
        Some((group, _)) => group,
        None => "",
    }
}

/// Returns a name that is set; Kubernetes' types have empty ones for others.
pub(crate) fn non_empty(name: &str) -> Option<&str> {
    if name.is_empty() {
        return None;
    }
    Some(name)
}

/// Returns the key of the owner of an object in `namespace`, if the owner has this kind and group. Any
/// version counts: an object is served in several versions.
pub(crate) fn owner_of(
    reference: &OwnerReference,
    kind: &str,
    group: &str,
    scope: Option<Scope>,
    namespace: Option<&str>,
) -> Option<ObjectKey> {
    if reference.kind != kind || group_of(&reference.api_version) != group {
        return None;
    }
    Some(match scope {
        Some(Scope::Cluster) => ObjectKey::cluster(&reference.name),
        // A namespaced owner is in the namespace of its dependents.
        Some(Scope::Namespaced) | None => ObjectKey::new(namespace, &reference.name),
    })
}

/// Returns the key of the owner of an object in `namespace`, if the owner is an `O`.
pub(crate) fn owner_of_type<O: Object<DynamicType = ()>>(
    reference: &OwnerReference,
    namespace: Option<&str>,
) -> Option<ObjectKey> {
    let scope = <O::Scope as ResourceScope>::SCOPE;
    owner_of(reference, &O::kind(&()), &O::group(&()), scope, namespace)
}
