//! State of a cache, and of each type in it: its settings, indices and informers.
//!
//! Two locks exist, and a thread holds at most one of them: the lock of the type map, and the lock
//! of a type's [`CacheState`]. No user code runs, and no informer is created, stopped or dropped, under
//! either lock.

use std::any::{Any, TypeId};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::options::MissingInformer;
use crate::factory::SharedInformerFactory;
use crate::indexer::{AddIndexError, IndexName};
use crate::object::{GroupVersionResource, Object, ResourceInfo};
use crate::shared_informer::{InformerOptions, SharedInformer};

/// Form `K` and resource of a type: the same resource can be cached in full, dynamic and as
/// metadata.
type TypeKey = (TypeId, GroupVersionResource);

/// Map from a type in one form `K` to its `Arc<TypeCell<K>>`.
pub(super) type Types = HashMap<TypeKey, Arc<dyn Any + Send + Sync>>;

/// State that a cache and its readers share.
#[derive(Debug)]
pub(super) struct CacheShared {
    pub(super) factory: SharedInformerFactory,
    pub(super) missing_informer: MissingInformer,
    pub(super) sync_timeout: Duration,
    pub(super) types: Mutex<Types>,
}

/// State of one type in one form.
pub(super) struct TypeCell<K: Object> {
    pub(super) options: InformerOptions<K>,
    state: Mutex<CacheState<K>>,
}

struct CacheState<K: Object> {
    indices: Vec<Arc<Declared<K>>>,
    informer: Option<SharedInformer<K>>,
}

/// Index of the type's informer, and of one that is created after a removal.
pub(super) struct Declared<K: Object> {
    pub(super) name: IndexName,
    /// Adds the index to an informer, unless the informer has it.
    pub(super) install: Box<InstallFn<K>>,
}

type InstallFn<K> = dyn Fn(&SharedInformer<K>) -> Result<(), AddIndexError> + Send + Sync;

pub(super) fn type_key<K: Object>(resource: &ResourceInfo) -> TypeKey {
    (TypeId::of::<K>(), resource.gvr())
}

// === impl TypeCell ===

impl<K: Object> TypeCell<K> {
    pub(super) fn new(options: InformerOptions<K>) -> Self {
        Self {
            options,
            state: Mutex::new(CacheState {
                indices: Vec::new(),
                informer: None,
            }),
        }
    }

    /// Returns the informer, if it exists and has not stopped.
    pub(super) fn informer(&self) -> Option<SharedInformer<K>> {
        running(self.state.lock().informer.clone())
    }

    /// Removes the informer from the cell, and returns it.
    pub(super) fn take(&self) -> Option<SharedInformer<K>> {
        self.state.lock().informer.take()
    }

    /// Publishes the type's informer after adding the declared indices to it. If another thread has
    /// published one first, returns that instead.
    pub(super) fn publish(
        &self,
        informer: SharedInformer<K>,
    ) -> Result<SharedInformer<K>, AddIndexError> {
        loop {
            // Index functions do not run under the lock, so further indices may be declared
            // meanwhile.
            let declared = self.state.lock().indices.clone();
            for index in &declared {
                (index.install)(&informer)?;
            }
            let mut state = self.state.lock();
            if state.indices.len() > declared.len() {
                continue;
            }
            if let Some(known) = running(state.informer.clone()) {
                return Ok(known);
            }
            let stopped = state.informer.replace(informer.clone());
            drop(state);
            drop(stopped);
            return Ok(informer);
        }
    }

    /// Adds an index to the existing informer and to all later ones.
    pub(super) fn declare(&self, index: Declared<K>) -> Result<(), AddIndexError> {
        let index = Arc::new(index);
        let informer = {
            let mut state = self.state.lock();
            if state.indices.iter().any(|other| other.name == index.name) {
                return Err(AddIndexError {
                    name: index.name.clone(),
                    definition: None,
                });
            }
            state.indices.push(Arc::clone(&index));
            state.informer.clone()
        };
        let added = informer.map_or(Ok(()), |informer| (index.install)(&informer));
        if added.is_err() {
            let mut state = self.state.lock();
            state.indices.retain(|other| !Arc::ptr_eq(other, &index));
        }
        added
    }
}

fn running<K: Object>(informer: Option<SharedInformer<K>>) -> Option<SharedInformer<K>> {
    informer.filter(|informer| !informer.is_stopped())
}
