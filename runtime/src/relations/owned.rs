//! [`OwnedObjects`]: the objects that an object controls.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;

use crate::factory::MakeInformers;
use crate::indexer::{Index, IndexName};
use crate::lister::defined;
use crate::object::{Object, ObjectKey, ResourceInfo, Scope};
use crate::processor::{AddHandlerError, HandlerRegistration};
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::storage::{Storage, Typed};
use crate::workqueue::{KeyQueue, enqueue_mapped};

/// Name of the index of the objects of a type by the uid of their controller.
const BY_CONTROLLER: &str = "controller uid";

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
    by_controller: Index<R::Handle, String>,
    owner: Arc<ResourceInfo>,
    owners: PhantomData<fn() -> K>,
}

/// Reports whether a reference is to an object of `resource`, of any version: an object is served in
/// several versions.
fn is_to(reference: &OwnerReference, resource: &ResourceInfo) -> bool {
    let version = reference.api_version.split_once('/');
    let group = version.map_or("", |(group, _)| group);
    reference.kind == resource.api_resource.kind && group == resource.api_resource.group
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
        let indexer = informer.indexer();
        let by_controller = defined(indexer, BY_CONTROLLER, BY_CONTROLLER, |name: IndexName| {
            let definition = Some(BY_CONTROLLER.into());
            indexer.add_defined_index(name, definition, |entry, _| {
                let controller = R::controller(&entry.handle);
                Ok(controller
                    .map(|owner| owner.uid.clone())
                    .into_iter()
                    .collect())
            })
        });
        Self {
            informer,
            by_controller,
            owner: Arc::new(owner.clone()),
            owners: PhantomData,
        }
    }

    /// Returns the objects that `owner` controls, ordered by key. O(log n + found).
    ///
    /// Returns no objects if `owner` has no uid.
    #[must_use]
    pub fn of(&self, owner: &K) -> Vec<R::Handle> {
        match &owner.meta().uid {
            Some(uid) => self.of_uid(uid),
            None => Vec::new(),
        }
    }

    /// Returns the objects that the object with this uid controls, ordered by key. O(log n +
    /// found).
    #[must_use]
    pub fn of_uid(&self, uid: &str) -> Vec<R::Handle> {
        self.by_controller.get(uid)
    }

    /// Returns the informer of the owned objects.
    #[must_use]
    pub fn informer(&self) -> &SharedInformer<T, R> {
        &self.informer
    }

    /// Enqueues the owner of each object that is added, updated, deleted or resynced. An object that
    /// changes hands enqueues both owners.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn enqueue_into(
        &self,
        queue: impl Into<KeyQueue>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let owner = Arc::clone(&self.owner);
        let owners = move |key: &ObjectKey, handle: &R::Handle| {
            let reference = R::controller(handle).filter(|reference| is_to(reference, &owner))?;
            let namespace = match owner.scope {
                Scope::Cluster => None,
                // A namespaced owner is in the namespace of its dependents.
                Scope::Namespaced => key.namespace(),
            };
            Some(ObjectKey::new(namespace, &reference.name))
        };
        self.informer
            .add_event_handler(enqueue_mapped(queue, owners))
    }
}

impl<K, T: Object, R: Storage<T>> Clone for OwnedObjects<K, T, R> {
    fn clone(&self) -> Self {
        Self {
            informer: self.informer.clone(),
            by_controller: self.by_controller.clone(),
            owner: Arc::clone(&self.owner),
            owners: PhantomData,
        }
    }
}

impl<K, T: Object, R: Storage<T>> fmt::Debug for OwnedObjects<K, T, R> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("OwnedObjects").field(&self.informer).finish()
    }
}
