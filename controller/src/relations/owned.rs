//! [`OwnedObjects`]: the objects that an object controls.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use informer_runtime::engine::{defined, over_entries};
use informer_runtime::indexer::IndexName;
use informer_runtime::lister::{ReadsCaches, VisitCache};
use informer_runtime::processor::AddHandlerError;
use informer_runtime::storage::HasController;
use informer_runtime::{
    HandlerRegistration, Index, InformerOptions, MakeInformers, Object, ObjectKey, ResourceInfo,
    SharedInformer, Storage, Typed,
};

use super::related::enqueue;
use crate::base::names::{owner_of, qualified};
use crate::workqueue::predicate::or;
use crate::workqueue::{Changed, KeyQueue, enqueue_mapped, or_deletion};

/// Informer of objects that own `T`s. Implemented by generated code: `owns(T)`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` declares no `owns({T})`",
    label = "the relation is not declared",
    note = "add `owns({T})` to the type's `#[informer(..)]`, or to the configuration of informer-gen"
)]
pub trait Owns<T> {
    /// Type of the owners.
    type Owner;
}

/// The `T`s that `K`s control: those whose controller reference has the uid of a `K`.
///
/// Go's counterpart is an index by `metav1.GetControllerOf`, and `Owns` of controller-runtime.
/// Cheap to clone.
pub struct OwnedObjects<K, T: Object, R: Storage<T> = Typed> {
    informer: SharedInformer<T, R>,
    by_controller: Index<R::Object, ObjectKey>,
    owner: Arc<ResourceInfo>,
    owners: PhantomData<fn() -> K>,
    /// `None`: all updates count.
    changed: Option<Changed<R::Object>>,
}

/// Returns the key of the object of the resource `owner` that controls `object`, which has this
/// key.
fn controller<T: Object, R: Storage<T>>(
    owner: &ResourceInfo,
    key: &ObjectKey,
    object: &R::Object,
) -> Option<ObjectKey> {
    let api = &owner.api_resource;
    let reference = R::controller(object)?;
    let scope = Some(owner.scope);
    owner_of(reference, &api.kind, &api.group, scope, key.namespace())
}

// === impl OwnedObjects ===

impl<K: Object, T: Object, R: Storage<T>> OwnedObjects<K, T, R> {
    /// Creates the relation between the objects of the resource `owner` and those of the informer
    /// of `T` that `maker` shares. Adds the index by owner if it does not exist.
    #[must_use]
    pub fn new<M: MakeInformers<Storage = R>>(owner: &ResourceInfo, maker: &M) -> Self
    where
        T: Object<DynamicType = ()>,
    {
        Self::over(owner, maker.make(InformerOptions::new()))
    }

    /// Creates the relation over an informer.
    #[must_use]
    pub fn over(owner: &ResourceInfo, informer: SharedInformer<T, R>) -> Self {
        let shared = Arc::new(owner.clone());
        let api = &owner.api_resource;
        let name = format!("controlled by {}", qualified(&api.kind, &api.group));
        let indexer = informer.indexer();
        let by_controller = defined(indexer, &name, &name, |index: IndexName| {
            let owner_type = Arc::clone(&shared);
            over_entries(indexer, index, &name, move |entry| {
                let key = controller::<T, R>(&owner_type, &entry.key, entry.typed());
                key.into_iter().collect()
            })
        });
        Self {
            informer,
            by_controller,
            owner: shared,
            owners: PhantomData,
            changed: None,
        }
    }

    /// Returns the relation without the updates for which `changed` returns `false`; see
    /// [`ReferencedObjects::changed`](super::RelatedObjects::changed). An update that changes the
    /// owner counts always.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_controller::workqueue::predicate;
    /// # use informer_controller::{Controller, relations::OwnedObjects};
    /// # use informer_runtime::SharedInformer;
    /// # use k8s_openapi::api::apps::v1::{Deployment, ReplicaSet};
    /// # fn doc(informer: SharedInformer<Deployment>, sets: OwnedObjects<Deployment, ReplicaSet>) {
    /// let controller: Controller<Deployment, kube::Error> = Controller::new("rollout", &informer)
    ///     .relations(&sets.changed(predicate::generation_changed));
    /// # }
    /// ```
    #[must_use]
    pub fn changed(
        &self,
        changed: impl Fn(&R::Object, &R::Object) -> bool + Send + Sync + 'static,
    ) -> Self
    where
        R::Object: HasController,
    {
        let controller_changed = |old: &R::Object, new: &R::Object| {
            let uid = |object| R::controller(object).map(|owner| &owner.uid);
            uid(old) != uid(new)
        };
        Self {
            changed: Some(or_deletion(or(changed, controller_changed))),
            ..self.clone()
        }
    }

    /// Returns the objects that `owner` controls, ordered by key: those whose controller reference
    /// has its name and its uid. O(log n + found).
    #[must_use]
    pub fn of(&self, owner: &K) -> Vec<Arc<R::Object>> {
        let mut dependents = self.of_key(&ObjectKey::of(owner));
        let uid = owner.meta().uid.as_deref();
        dependents.retain(|object| match R::controller(object) {
            Some(reference) => Some(reference.uid.as_str()) == uid,
            None => false,
        });
        dependents
    }

    /// Returns the objects whose controller reference has this key, of any uid, ordered by key:
    /// those of an owner that may be deleted. O(log n + found).
    #[must_use]
    pub fn of_key(&self, owner: &ObjectKey) -> Vec<Arc<R::Object>> {
        self.by_controller.get(owner)
    }

    /// Returns the informer of the owned objects.
    #[must_use]
    pub fn informer(&self) -> &SharedInformer<T, R> {
        &self.informer
    }

    /// Enqueues the owner of each object that is added, updated, deleted or resynced. An object
    /// that changes hands enqueues both owners.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn enqueue_into(
        &self,
        queue: impl Into<KeyQueue>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let owner = Arc::clone(&self.owner);
        let owners =
            move |key: &ObjectKey, object: &R::Object| controller::<T, R>(&owner, key, object);
        let handler = enqueue_mapped(queue, owners).changed_by(self.changed.clone());
        enqueue(&self.informer, "owned", handler)
    }
}

impl<K, T: Object, R: Storage<T>> ReadsCaches for OwnedObjects<K, T, R> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        self.informer.visit_caches(visit);
    }
}

impl<K, T: Object, R: Storage<T>> Clone for OwnedObjects<K, T, R> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            by_controller: self.by_controller.clone(),
            owner: Arc::clone(&self.owner),
            owners: PhantomData,
            changed: self.changed.clone(),
        }
    }
}

impl<K, T: Object, R: Storage<T>> fmt::Debug for OwnedObjects<K, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedObjects").field(&self.informer).finish()
    }
}
