//! [`Indexer`]: the handle by which a store is written and read.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use super::snapshot::handles;
use super::state::State;
use super::{IndexLookupError, IndexName, Snapshot, Transaction};
use crate::base::sync::{ArcSwap, Mutex, Notify};
use crate::object::{KeyLookup, ObjectKey, ResourceVersion, Scope};
use crate::storage::Entry;

/// How many past states the writer keeps so that it, not their last reader, frees them.
///
/// Beyond it the oldest is let go, and its last reader frees what nothing else holds.
const MAX_RETIRED: usize = 8;

/// The store of one informer with its indices; also a store to be fed by hand.
///
/// A clone is another handle on the same store. `H` is the storage's handle on an object
/// (`Arc<K>` for typed storage); reads clone handles, never objects. client-go's counterpart is
/// `cache.Indexer`.
///
/// Readers never wait: not for a writer, and not for each other.
pub struct Indexer<H> {
    shared: Arc<Shared<H>>,
}

struct Shared<H> {
    /// What readers see; replaced as a whole.
    current: ArcSwap<State<H>>,
    /// Held by the one writer, from reading `current` to replacing it.
    writer: Mutex<Retired<H>>,
    /// Says that `current` was replaced; carries no data, so nothing can be missed or reordered.
    changed: Notify,
}

/// Past states that readers still held when they were replaced.
struct Retired<H>(Vec<Arc<State<H>>>);

// === impl Indexer ===

impl<H: Clone + Send + Sync + 'static> Indexer<H> {
    /// Creates an empty store. One for [`Scope::Namespaced`] has the index
    /// [`NAMESPACE_INDEX`](super::NAMESPACE_INDEX) from the start.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        Self {
            shared: Arc::new(Shared {
                current: ArcSwap::from_pointee(State::new(scope)),
                writer: Mutex::new(Retired(Vec::new())),
                changed: Notify::new(),
            }),
        }
    }

    /// The store as it is now, in O(1) and without a lock.
    ///
    /// # Ordering
    ///
    /// A later snapshot is never of an earlier moment, on any thread that knows of the first.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<H> {
        Snapshot::new(self.shared.current.load_full())
    }

    /// Where the objects live.
    #[must_use]
    pub fn scope(&self) -> Scope {
        self.shared.current.load().scope
    }

    /// Writes; readers see all of it or nothing, and the generation goes up by one. A transaction
    /// that changes nothing publishes nothing.
    ///
    /// Index functions run in here, for each object that is inserted. Transactions wait for each
    /// other, readers for none. Replaced objects are freed after the lock is released, and not by
    /// readers unless very old snapshots are held.
    ///
    /// # Panics
    ///
    /// Only if `f` does; nothing of the transaction is kept then and the store stays usable. A
    /// transaction within a transaction of the same store waits for itself, for ever.
    pub fn transaction<R>(&self, f: impl FnOnce(&mut Transaction<'_, H>) -> R) -> R {
        // Declared before the lock is taken, dropped after it is released.
        let mut garbage = Vec::new();
        let result = {
            let mut retired = self.shared.writer.lock();
            let mut state = State::clone(&self.shared.current.load());
            let mut transaction = Transaction::new(&mut state);
            let result = f(&mut transaction);
            if !transaction.is_changed() {
                return result;
            }
            state.generation += 1;
            let old = self.shared.current.swap(Arc::new(state));
            retired.replace(old, &mut garbage);
            result
        };
        self.shared.changed.notify_waiters();
        drop(garbage);
        result
    }

    // --- Indices ---

    /// The names of all indices. See [`Snapshot::index_names`].
    #[must_use]
    pub fn index_names(&self) -> Vec<IndexName> {
        self.snapshot().index_names().collect()
    }

    /// The objects with a value given as text. See [`Snapshot::by_index`].
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<H>, IndexLookupError> {
        self.snapshot().by_index(name, value)
    }

    /// The keys of the objects with a value given as text. See [`Snapshot::index_keys`].
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn index_keys(&self, name: &str, value: &str) -> Result<Vec<ObjectKey>, IndexLookupError> {
        self.snapshot().index_keys(name, value)
    }

    /// The objects that share a value with `entry`. See [`Snapshot::index_of`].
    ///
    /// # Errors
    ///
    /// There is no index of this name, or its function fails for `entry`.
    pub fn index_of(&self, name: &str, entry: &Entry<H>) -> Result<Vec<H>, IndexLookupError> {
        self.snapshot().index_of(name, entry)
    }

    /// The values of an index as text. See [`Snapshot::list_index_func_values`].
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn list_index_func_values(&self, name: &str) -> Result<Vec<String>, IndexLookupError> {
        self.snapshot().list_index_func_values(name)
    }

    // --- A store fed by hand: one transaction each ---

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<H> {
        self.find(key)
    }

    /// The object of a key in whatever form.
    pub(crate) fn find<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<H> {
        let state = self.shared.current.load();
        state.with(key, |entry| entry.handle.clone())
    }

    /// All objects, ordered by key.
    #[must_use]
    pub fn list(&self) -> Vec<H> {
        handles(self.snapshot().iter())
    }

    /// All keys, in order.
    #[must_use]
    pub fn list_keys(&self) -> Vec<ObjectKey> {
        let snapshot = self.snapshot();
        snapshot.iter().map(|entry| entry.key.clone()).collect()
    }

    /// Stores an object and gives back the one of its key; the store's resourceVersion becomes the
    /// object's, if that has one.
    pub fn add(&self, entry: Entry<H>) -> Option<Entry<H>> {
        self.transaction(|transaction| {
            if !entry.resource_version.is_unset() {
                transaction.set_resource_version(entry.resource_version.clone());
            }
            transaction.insert(entry)
        })
    }

    /// The same as [`add`](Self::add), as in client-go.
    pub fn update(&self, entry: Entry<H>) -> Option<Entry<H>> {
        self.add(entry)
    }

    /// Removes an object and gives it back. The store's resourceVersion stays.
    #[expect(clippy::must_use_candidate, reason = "called for its effect")]
    pub fn delete(&self, key: &ObjectKey) -> Option<Entry<H>> {
        self.transaction(|transaction| transaction.remove(key))
    }

    /// Makes `entries` the whole contents; of several with one key the last one counts. The store
    /// is synced afterwards.
    ///
    /// An object that is stored in the same version keeps its handle.
    pub fn replace(&self, entries: Vec<Entry<H>>, resource_version: ResourceVersion) {
        let entries: BTreeMap<_, _> = entries
            .into_iter()
            .map(|entry| (entry.key.clone(), entry))
            .collect();
        self.transaction(|transaction| {
            let stored = transaction.iter().map(|entry| &entry.key);
            let undecodable = transaction.undecodable_all().map(|object| &object.key);
            let gone: Vec<ObjectKey> = stored
                .chain(undecodable)
                .filter(|key| !entries.contains_key(key))
                .cloned()
                .collect();
            for key in &gone {
                transaction.remove(key);
            }
            for (key, entry) in entries {
                let stored = transaction.get(&key);
                if stored.is_some_and(|stored| stored.is_same_version(&entry)) {
                    transaction.clear_undecodable(&key);
                } else {
                    transaction.insert(entry);
                }
            }
            transaction.set_resource_version(resource_version);
            transaction.mark_synced();
        });
    }
}

impl<H> Indexer<H> {
    /// Whether a transaction is going on.
    #[cfg(test)]
    pub(super) fn is_locked(&self) -> bool {
        self.shared.writer.is_locked()
    }

    /// Wakes whoever waits after each transaction that changed something.
    pub(super) fn changed(&self) -> &Notify {
        &self.shared.changed
    }
}

impl<H> Clone for Indexer<H> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<H> fmt::Debug for Indexer<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.shared.current.load();
        f.debug_struct("Indexer")
            .field("len", &state.objects.len())
            .field("resource_version", &state.resource_version)
            .field("generation", &state.generation)
            .finish_non_exhaustive()
    }
}

// === impl Retired ===

impl<H> Retired<H> {
    /// Takes a state that was replaced, and moves those that nobody reads any more to `garbage`.
    ///
    /// Only the writer clones or drops what is in here: nothing points to a retired state but
    /// snapshots, and a state that has none left never gets one again.
    fn replace(&mut self, old: Arc<State<H>>, garbage: &mut Vec<Arc<State<H>>>) {
        self.0.push(old);
        let is_read = |state: &mut Arc<State<H>>| Arc::strong_count(state) > 1;
        garbage.extend(self.0.extract_if(.., |state| !is_read(state)));
        if self.0.len() > MAX_RETIRED {
            garbage.push(self.0.remove(0));
        }
    }
}
