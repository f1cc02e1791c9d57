//! State of each type in a cache: its settings, indices and informers.
//!
//! Two locks exist, and a thread holds at most one of them: the lock of the type map, and the lock
//! of a type's [`State`]. No user code runs, and no informer is created, stopped or dropped, under
//! either lock.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;

use super::namespaces::MultiNamespaceInformer;
use super::options::TypeOptions;
use crate::indexer::{AddIndexError, IndexName};
use crate::object::{GroupVersionResource, Object};
use crate::shared_informer::SharedInformer;

/// Key of a type in one form: the same resource can be cached in full, dynamic and as metadata.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct TypeKey {
    pub(super) form: TypeId,
    pub(super) resource: GroupVersionResource,
}

/// Map from a type in one form `K` to its `Arc<TypeCell<K>>`.
pub(super) type Types = HashMap<TypeKey, Arc<dyn Any + Send + Sync>>;

/// State of one type in one form.
pub(super) struct TypeCell<K: Object> {
    pub(super) options: TypeOptions<K>,
    pub(super) state: Mutex<State<K>>,
}

pub(super) struct State<K: Object> {
    indices: Vec<Arc<Declared<K>>>,
    informers: Option<MultiNamespaceInformer<K>>,
}

/// Index of every informer of the type, including informers that are created after a removal.
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

    /// Returns the informers, if they exist and none of them has stopped.
    pub(super) fn informers(&self) -> Option<MultiNamespaceInformer<K>> {
        let informers = self.state.lock().informers.clone();
        informers.filter(|informers| !informers.is_stopped())
    }

    /// Removes the informers from the cell, and returns them.
    pub(super) fn take(&self) -> Option<MultiNamespaceInformer<K>> {
        self.state.lock().informers.take()
    }

    /// Publishes the type's informers after adding the declared indices to them. If another thread
    /// has published informers first, returns those instead.
    pub(super) fn publish(
        &self,
        informers: MultiNamespaceInformer<K>,
    ) -> Result<MultiNamespaceInformer<K>, AddIndexError> {
        let mut installed = 0;
        loop {
            // Index functions do not run under the lock, so further indices may be declared
            // meanwhile.
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

    /// Adds an index to the existing informers and to all later ones.
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
    informers
        .iter()
        .try_for_each(|informer| (index.install)(informer))
}
