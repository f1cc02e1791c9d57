//! What a cache knows of each type: its settings, indices and informers.
//!
//! Two locks, taken one at a time: the map of types, and one type's [`State`]. No user code runs and
//! no informer is made, stopped or dropped under either.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::namespaces::MultiNamespaceInformer;
use super::options::TypeOptions;
use crate::indexer::{AddIndexError, IndexName};
use crate::object::{GroupVersionResource, Object};
use crate::shared_informer::SharedInformer;

/// A type in a form: the same resource can be cached in full, dynamic and as metadata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TypeKey {
    pub(super) form: TypeId,
    pub(super) resource: GroupVersionResource,
}

/// `Arc<TypeCell<K>>` by the form `K`.
pub(super) type Types = HashMap<TypeKey, Arc<dyn Any + Send + Sync>>;

/// One type in one form.
pub(super) struct TypeCell<K: Object> {
    pub(super) options: TypeOptions<K>,
    pub(super) state: Mutex<State<K>>,
}

pub(super) struct State<K: Object> {
    indices: Vec<Arc<Declared<K>>>,
    informers: Option<MultiNamespaceInformer<K>>,
}

/// An index that every informer of the type has, also the one that comes after a removal.
pub(super) struct Declared<K: Object> {
    pub(super) name: IndexName,
    pub(super) install: Box<InstallFn<K>>,
}

type InstallFn<K> = dyn Fn(&SharedInformer<K>) -> Result<(), AddIndexError> + Send + Sync;

// === impl TypeKey ===

impl TypeKey {
    pub(super) fn of<K: Object>(resource: GroupVersionResource) -> Self {
        Self {
            form: TypeId::of::<K>(),
            resource,
        }
    }
}

// === impl TypeCell ===

impl<K: Object> TypeCell<K> {
    pub(super) fn new(options: TypeOptions<K>) -> Self {
        Self {
            options,
            state: Mutex::new(State {
                indices: Vec::new(),
                informers: None,
            }),
        }
    }

    /// The informers, if they are there and none has been stopped.
    pub(super) fn informers(&self) -> Option<MultiNamespaceInformer<K>> {
        let informers = self.state.lock().informers.clone();
        informers.filter(|informers| !informers.is_stopped())
    }

    /// Forgets the informers.
    pub(super) fn take(&self) -> Option<MultiNamespaceInformer<K>> {
        self.state.lock().informers.take()
    }

    /// Makes these the type's informers once they have its indices; whoever came first wins.
    pub(super) fn publish(
        &self,
        informers: MultiNamespaceInformer<K>,
    ) -> Result<MultiNamespaceInformer<K>, AddIndexError> {
        let mut installed = 0;
        loop {
            // Indices can be declared while others are computed, which is not done under the lock.
            let declared = self.state.lock().indices.clone();
            for index in declared.iter().skip(installed) {
                install(index, &informers)?;
            }
            installed = declared.len();

            let mut state = self.state.lock();
            if state.indices.len() > installed {
                continue;
            }
            let known = state.informers.clone();
            if let Some(known) = known.filter(|known| !known.is_stopped()) {
                return Ok(known);
            }
            let stopped = state.informers.replace(informers.clone());
            drop(state);
            drop(stopped);
            return Ok(informers);
        }
    }

    /// Adds an index to the informers that there are and to those to come.
    pub(super) fn declare(&self, index: Declared<K>) -> Result<(), AddIndexError> {
        let index = Arc::new(index);
        let informers = {
            let mut state = self.state.lock();
            let taken = state.indices.iter().any(|other| other.name == index.name);
            if taken {
                let name = index.name.clone();
                return Err(AddIndexError {
                    name,
                    definition: None,
                });
            }
            state.indices.push(Arc::clone(&index));
            state.informers.clone()
        };
        let outcome = informers.map_or(Ok(()), |informers| install(&index, &informers));
        if outcome.is_err() {
            let mut state = self.state.lock();
            state.indices.retain(|other| !Arc::ptr_eq(other, &index));
        }
        outcome
    }
}

fn install<K: Object>(
    index: &Declared<K>,
    informers: &MultiNamespaceInformer<K>,
) -> Result<(), AddIndexError> {
    informers.iter().try_for_each(|one| (index.install)(one))
}
