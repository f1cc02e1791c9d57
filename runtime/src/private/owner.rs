//! Index values of indices by owner.

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

use super::definition::Definition;
use crate::lister::Lister;
use crate::object::{Object, ObjectKey, ResourceScope, Scope};
use crate::storage::Storage;
use crate::workqueue::is_of;

/// Returns the UID of the owner that controls `object`, of any kind. Go's counterpart is
/// `metav1.GetControllerOf(object).UID`, by which the controllers of Kubernetes index Pods.
#[must_use]
pub fn controller_uid<K: Resource>(object: &K) -> Vec<String> {
    let owner = reference(object);
    owner.map(|owner| owner.uid.clone()).into_iter().collect()
}

/// Returns the key of the `O` that controls `object`, of any version.
#[must_use]
pub fn controller_of<O, K>(object: &K) -> Vec<ObjectKey>
where
    O: Object<DynamicType = ()>,
    K: Resource,
{
    let namespace = match <O::Scope as ResourceScope>::SCOPE {
        Some(Scope::Cluster) => None,
        // A namespaced owner is in the namespace of its dependents.
        Some(Scope::Namespaced) | None => object.meta().namespace.as_deref(),
    };
    let owner = reference(object).filter(|owner| is_of::<O>(owner));
    owner
        .map(|owner| ObjectKey::new(namespace, &owner.name))
        .into_iter()
        .collect()
}

/// Returns the objects of a lister that the object with this UID controls, ordered by key.
#[must_use]
pub fn controlled<K: Object, S: Storage<K>>(lister: &Lister<K, S>, uid: &str) -> Vec<S::Handle> {
    // The index that `index(owner)` declares.
    let by_uid = Definition::object("owner", "owner", controller_uid::<K>);
    by_uid.add::<S>(lister.indexer()).get(uid)
}

fn reference<K: Resource>(object: &K) -> Option<&OwnerReference> {
    let owners = object.meta().owner_references.as_deref()?;
    owners.iter().find(|owner| owner.controller == Some(true))
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::ReplicaSet;
    use k8s_openapi::api::core::v1::{Node, Pod};
    use serde_json::json;

    use super::*;

    fn pod(owners: &serde_json::Value) -> Pod {
        let metadata = json!({"name": "p", "namespace": "default", "ownerReferences": owners});
        serde_json::from_value(json!({"metadata": metadata})).unwrap()
    }

    #[test]
    fn the_controller_is_the_owner_with_controller_true() {
        let pod = pod(&json!([
            {"apiVersion": "v1", "kind": "ConfigMap", "name": "other", "uid": "1"},
            {"apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "2",
             "controller": true},
        ]));
        assert_eq!(controller_uid(&pod), ["2"]);
        assert_eq!(
            controller_of::<ReplicaSet, _>(&pod),
            [ObjectKey::namespaced("default", "web")]
        );
        assert_eq!(controller_of::<Node, _>(&pod), []);
    }

    #[test]
    fn the_key_of_a_cluster_scoped_owner_has_no_namespace() {
        let pod = pod(&json!([
            {"apiVersion": "v1", "kind": "Node", "name": "n", "uid": "1", "controller": true},
        ]));
        assert_eq!(controller_of::<Node, _>(&pod), [ObjectKey::cluster("n")]);
    }

    #[test]
    fn objects_without_a_controller_are_not_indexed() {
        assert_eq!(controller_uid(&Pod::default()), [""; 0]);
        assert_eq!(controller_of::<ReplicaSet, _>(&Pod::default()), []);
    }
}
