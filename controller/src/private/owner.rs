//! Index values of indices by owner.

use std::sync::Arc;

use informer_runtime::lister::Lister;
use informer_runtime::object::{Object, ObjectKey};
use informer_runtime::storage::{HasController, Storage};
use kube::Resource;

use crate::base::names::owner_of_type;
use informer_runtime::private::Definition;

/// Returns the UID of the owner that controls `object`, of any kind. Go's counterpart is
/// `metav1.GetControllerOf(object).UID`, by which the controllers of Kubernetes index Pods.
#[must_use]
pub fn controller_uid<K: HasController>(object: &K) -> Vec<String> {
    let owner = object.controller();
    owner.map(|owner| owner.uid.clone()).into_iter().collect()
}

/// Returns the key of the `O` that controls `object`, of any version.
#[must_use]
pub fn controller_of<O, K>(object: &K) -> Vec<ObjectKey>
where
    O: Object<DynamicType = ()>,
    K: HasController + Resource,
{
    let namespace = object.meta().namespace.as_deref();
    let owner = object.controller();
    let key = owner.and_then(|owner| owner_of_type::<O>(owner, namespace));
    key.into_iter().collect()
}

/// Returns the objects of a lister that the object with this UID controls, ordered by key.
#[must_use]
pub fn controlled<K: Object, S: Storage<K>>(
    lister: &Lister<K, S>,
    uid: &str,
) -> Vec<Arc<S::Object>> {
    // The index that `index(owner)` declares.
    let by_uid = Definition::object("owner", controller_uid::<K>);
    by_uid.add::<S>(lister.indexer()).get(uid)
}

#[cfg(test)]
mod tests;
