//! [`Indexer`]: writes and reads of a store.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;

use super::indexed::Indexed;
use super::state::State;
use super::store::Store;
use super::{IndexName, Snapshot, Transaction};
use crate::object::{KeyLookup, ObjectKey, ResourceVersion, Scope};
use crate::storage::Entry;

/// Store of one informer with its indices. Also usable as a store that is filled by hand.
///
/// A clone refers to the same store. `T` is the form in which objects are stored: their own type
/// for typed storage. Reads share objects, and never copy them. client-go's counterpart is
/// `cache.Indexer`.
///
/// Readers never wait for a writer or for other readers.
#[derive_where(Clone)]
pub struct Indexer<T> {
    store: Store,
    objects: PhantomData<fn() -> T>,
}

/// One write of a batch.
#[derive(Debug, Clone)]
pub enum Write<E = Entry> {
    /// Stores an object, and replaces the object with the same key.
    Insert(E),
    /// Removes the object with this key, if it exists.
    Remove(ObjectKey),
}

// === impl Indexer ===

impl<T: Send + Sync + 'static> Indexer<T> {
    /// Creates an empty store. A store of [`Scope::Namespaced`] has the index
    /// [`NAMESPACE_INDEX`](super::NAMESPACE_INDEX) from the start.
    #[must_use]
    pub fn new(scope: Scope) -> Self {
        Self::of(Store::of::<T>(scope))
    }

    /// Gives a store the type of its objects.
    pub(crate) fn of(store: Store) -> Self {
        Self {
            store,
            objects: PhantomData,
        }
    }

    /// Returns the current state, in O(1) and without a lock.
    ///
    /// # Ordering
    ///
    /// A later snapshot is never older than an earlier one. This holds across threads if the first
    /// call happens before the second.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<T> {
        Snapshot::new(self.store.state())
    }

    /// Returns the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<T>> {
        self.find(key)
    }

    /// Returns the object with a key of any comparable form.
    pub(crate) fn find<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<Arc<T>> {
        self.store.with(key, |entry| entry.shared())
    }

    /// Calls `read` with the object of a key of any comparable form. Holds no lock meanwhile: a
    /// writer replaces the state, and the state that is read is freed later.
    pub(crate) fn with<Q: KeyLookup + ?Sized, R>(
        &self,
        key: &Q,
        read: impl FnOnce(&T) -> R,
    ) -> Option<R> {
        self.store.with(key, |entry| read(entry.typed()))
    }

    /// Returns all objects, ordered by key.
    #[must_use]
    pub fn list(&self) -> Vec<Arc<T>> {
        self.snapshot().entries().map(Entry::shared).collect()
    }
}

// === impl Store ===

impl Store {
    /// Returns the names of all indices, in the order in which they were added.
    #[must_use]
    pub fn index_names(&self) -> Vec<IndexName> {
        self.state().index_names().collect()
    }

    // --- A store that is filled by hand: each call is one transaction ---

    /// Returns all keys, in order.
    #[must_use]
    pub fn list_keys(&self) -> Vec<ObjectKey> {
        self.state().keys().cloned().collect()
    }

    /// Stores an object and returns the object with the same key that it replaces. The store's
    /// resourceVersion becomes the object's, if the object has one.
    ///
    /// # Panics
    ///
    /// Panics if the store has objects of another type.
    pub fn add(&self, entry: Entry) -> Option<Arc<Entry>> {
        self.write(self.indexed(entry), Indexed::compute, add)
    }

    /// Removes and returns an object. Does not change the store's resourceVersion.
    pub fn delete(&self, key: &ObjectKey) -> Option<Arc<Entry>> {
        self.transaction(|transaction| transaction.remove(key))
    }

    /// Makes many writes that readers see together. An error in `writes` stands for a write that
    /// could not be prepared, such as an object that did not decode; all other writes are made. The
    /// store's resourceVersion becomes that of the last object that has one. client-go's
    /// counterpart is `Transaction`.
    ///
    /// # Errors
    ///
    /// Returns the errors in `writes`, with their positions.
    ///
    /// # Panics
    ///
    /// Panics if the store has objects of another type. Nothing is written then.
    pub fn write_batch<E>(
        &self,
        writes: impl IntoIterator<Item = Result<Write, E>>,
    ) -> Result<(), Vec<(usize, E)>> {
        let mut failures = Vec::new();
        let mut prepared = Vec::new();
        for (position, write) in writes.into_iter().enumerate() {
            match write {
                Ok(Write::Insert(entry)) => prepared.push(Write::Insert(self.indexed(entry))),
                Ok(Write::Remove(key)) => prepared.push(Write::Remove(key)),
                Err(error) => failures.push((position, error)),
            }
        }
        let compute = |writes: &mut Vec<Write<Indexed>>, state: &State| {
            for write in writes {
                if let Write::Insert(indexed) = write {
                    indexed.compute(state);
                }
            }
        };
        let replaced: Vec<_> = self.write(prepared, compute, |transaction, writes| {
            writes
                .into_iter()
                .filter_map(|write| match write {
                    Write::Insert(indexed) => add(transaction, indexed),
                    Write::Remove(key) => transaction.remove(&key),
                })
                .collect()
        });
        drop(replaced);
        if failures.is_empty() {
            Ok(())
        } else {
            Err(failures)
        }
    }

    /// Replaces the whole content by `entries`. Of several entries with one key, the last one is
    /// stored. The store is synced afterwards.
    ///
    /// An object that is stored in the same version stays.
    ///
    /// # Panics
    ///
    /// Panics if the store has objects of another type. Nothing is written then.
    pub fn replace(&self, entries: Vec<Entry>, resource_version: ResourceVersion) {
        let entries: BTreeMap<_, _> = entries
            .into_iter()
            .map(|entry| (entry.key.clone(), self.indexed(entry)))
            .collect();
        let compute = |entries: &mut BTreeMap<ObjectKey, Indexed>, state: &State| {
            for (key, indexed) in entries {
                let stored = state.get(key);
                if !stored.is_some_and(|stored| stored.is_same_version(indexed)) {
                    indexed.compute(state);
                }
            }
        };
        self.write(entries, compute, |transaction, entries| {
            let stored = transaction.entries().map(|entry| &entry.key);
            let undecodable = transaction.undecodable_all().map(|object| &object.key);
            let removed: Vec<ObjectKey> = stored
                .chain(undecodable)
                .filter(|key| !entries.contains_key(key))
                .cloned()
                .collect();
            for key in &removed {
                transaction.remove(key);
            }
            for (key, indexed) in entries {
                let stored = transaction.get(&key);
                if stored.is_some_and(|stored| stored.is_same_version(&indexed)) {
                    transaction.clear_undecodable(&key);
                } else {
                    transaction.insert_indexed(indexed);
                }
            }
            transaction.set_resource_version(resource_version);
            transaction.mark_synced();
        });
    }

    /// Prepares an entry of the store's type.
    fn indexed(&self, entry: Entry) -> Indexed {
        self.assert_accepts(&entry);
        entry.into()
    }
}

/// Stores an object. The store's resourceVersion becomes the object's, if the object has one.
fn add(transaction: &mut Transaction, indexed: Indexed) -> Option<Arc<Entry>> {
    if !indexed.resource_version.is_unset() {
        transaction.set_resource_version(indexed.resource_version.clone());
    }
    let (_, replaced) = transaction.insert_indexed(indexed);
    replaced
}

impl<T> Deref for Indexer<T> {
    type Target = Store;

    fn deref(&self) -> &Store {
        &self.store
    }
}

impl<T> fmt::Debug for Indexer<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.store.fmt_as("Indexer", f)
    }
}
