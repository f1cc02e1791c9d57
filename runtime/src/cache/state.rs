//! State of a cache, and of each type in it: its settings, indices and informers.
//!
//! Two locks exist, and a thread holds at most one of them: the lock of the type map, and the lock
//! of a type's [`State`]. No user code runs, and no informer is created, stopped or dropped, under
//! either lock.

use std::any::{Any, TypeId};
use std::collections::{BTreeSet, HashMap};
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;

use super::options::{MissingInformer, TypeOptions};
use crate::factory::SharedInformerFactory;
use crate::indexer::{AddIndexError, IndexName};
use crate::object::{GroupVersionResource, Object, ResourceInfo};
use crate::shared_informer::SharedInformer;

/// Form `K` and resource of a type: the same resource can be cached in full, dynamic and as
/// metadata.
type TypeKey = (TypeId, GroupVersionResource);

/// Map from a type in one form `K` to its `Arc<TypeCell<K>>`.
pub(super) type Types = HashMap<TypeKey, Arc<dyn Any + Send + Sync>>;

/// Informers of one type: either one for all namespaces, or one per cached namespace, in order.
pub(super) type Informers<K> = Arc<[SharedInformer<K>]>;

/// State that a cache and its readers share.
#[derive(Debug)]
pub(super) struct Shared {
    pub(super) factory: SharedInformerFactory,
    pub(super) missing_informer: MissingInformer,
    pub(super) sync_timeout: Duration,
    /// Default of each type; empty for all namespaces.
    pub(super) namespaces: BTreeSet<String>,
    pub(super) types: Mutex<Types>,
}

/// State of one type in one form.
pub(super) struct TypeCell<K: Object> {
    pub(super) options: TypeOptions<K>,
    state: Mutex<State<K>>,
}

struct State<K: Object> {
    indices: Vec<Arc<Declared<K>>>,
    informers: Option<Informers<K>>,
}

/// Index of every informer of the type, including informers that are created after a removal.
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
    pub(super) fn informers(&self) -> Option<Informers<K>> {
        running(self.state.lock().informers.clone())
    }

    /// Removes the informers from the cell, and returns them.
    pub(super) fn take(&self) -> Option<Informers<K>> {
        self.state.lock().informers.take()
    }

    /// Publishes the type's informers after adding the declared indices to them. If another thread
    /// has published informers first, returns those instead.
    pub(super) fn publish(&self, informers: Informers<K>) -> Result<Informers<K>, AddIndexError> {
        loop {
            // Index functions do not run under the lock, so further indices may be declared
            // meanwhile.
            let declared = self.state.lock().indices.clone();
            for index in &declared {
                index.install_all(&informers)?;
            }
            let mut state = self.state.lock();
            if state.indices.len() > declared.len() {
                continue;
            }
            if let Some(known) = running(state.informers.clone()) {
                return Ok(known);
            }
            let stopped = state.informers.replace(Arc::clone(&informers));
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
            if state.indices.iter().any(|other| other.name == index.name) {
                return Err(AddIndexError {
                    name: index.name.clone(),
                    definition: None,
                });
            }
            state.indices.push(Arc::clone(&index));
            state.informers.clone()
        };
        let added = informers.map_or(Ok(()), |informers| index.install_all(&informers));
        if added.is_err() {
            let mut state = self.state.lock();
            state.indices.retain(|other| !Arc::ptr_eq(other, &index));
        }
        added
    }
}

fn running<K: Object>(informers: Option<Informers<K>>) -> Option<Informers<K>> {
    informers.filter(|informers| !informers.iter().any(|informer| informer.is_stopped()))
}

// === impl Declared ===

impl<K: Object> Declared<K> {
    fn install_all(&self, informers: &[SharedInformer<K>]) -> Result<(), AddIndexError> {
        informers
            .iter()
            .try_for_each(|informer| (self.install)(informer))
    }
}
