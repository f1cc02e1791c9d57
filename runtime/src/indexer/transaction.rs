//! [`Transaction`]: the writer's side of the store.

use std::fmt;

use super::index::Decoded;
use super::state::{State, Stored};
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// Writes that readers see together, or not at all.
///
/// Reads of a transaction see its own writes. It writes to a copy, which
/// [`Indexer::transaction`](super::Indexer::transaction) publishes when the closure returns and
/// drops when the closure panics.
pub struct Transaction<'a, H> {
    state: &'a mut State<H>,
    changed: bool,
}

// === impl Transaction ===

impl<'a, H: Clone + Send + Sync + 'static> Transaction<'a, H> {
    pub(super) fn new(state: &'a mut State<H>) -> Self {
        Self {
            state,
            changed: false,
        }
    }

    /// Whether there is anything to publish.
    pub(super) fn is_changed(&self) -> bool {
        self.changed
    }

    /// The generation that readers will see, if the transaction changes anything.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation + 1
    }

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<&Entry<H>> {
        self.state.get(key)
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.objects.is_empty()
    }

    /// The objects, ordered by key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry<H>> + ExactSizeIterator {
        self.state.objects.values().map(Stored::entry)
    }

    /// What the store's contents reflect.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.state.resource_version
    }

    /// Whether the store has held a whole list.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.state.synced
    }

    /// The version of this object that did not decode, if that is its latest.
    #[must_use]
    pub fn undecodable(&self, key: &ObjectKey) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// The keys whose latest version did not decode, in order.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.state.undecodable.values()
    }

    /// Stores an object, in place of the one of its key, which is given back.
    ///
    /// The entry is stored whatever its version is: whether it counts as a change is the caller's
    /// to say ([`Entry::is_same_version`]). Its key is decodable again. The store's
    /// resourceVersion stays; see [`set_resource_version`](Self::set_resource_version).
    pub fn insert(&mut self, mut entry: Entry<H>) -> Option<Entry<H>> {
        self.clear_undecodable(&entry.key);
        self.changed = true;
        let state = &mut *self.state;
        if let Some((key, _)) = state.objects.get_key_value(&entry.key) {
            // The text that the maps hold already, instead of a second copy of it.
            entry.key = key.clone();
        }
        let mut decoded = Decoded::default();
        for index in &mut state.indices {
            index.insert(&entry, &mut decoded);
        }
        drop(decoded);
        state.insert(entry)
    }

    /// Removes an object and gives it back. Its key is no longer undecodable.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Entry<H>> {
        self.clear_undecodable(key);
        let removed = self.state.remove(key)?;
        for index in &mut self.state.indices {
            index.remove(key);
        }
        self.changed = true;
        Some(removed)
    }

    /// Says what the store's contents reflect from now on: the version of the last event, bookmark
    /// or list that was applied. client-go's counterpart is `Store.Bookmark`.
    pub fn set_resource_version(&mut self, resource_version: ResourceVersion) {
        if self.state.resource_version != resource_version {
            self.state.resource_version = resource_version;
            self.changed = true;
        }
    }

    /// Says that the store holds a whole list. There is no way back.
    pub fn mark_synced(&mut self) {
        self.changed |= !self.state.synced;
        self.state.synced = true;
    }

    /// Says that the latest version of an object did not decode. The last good one stays stored.
    pub fn mark_undecodable(&mut self, undecodable: Undecodable) {
        let key = undecodable.key.clone();
        self.state.undecodable.insert(key, undecodable);
        self.changed = true;
    }

    /// Says that the object stored under this key is the latest again, or that there is none.
    /// [`insert`](Self::insert) and [`remove`](Self::remove) do so by themselves.
    pub fn clear_undecodable(&mut self, key: &ObjectKey) -> Option<Undecodable> {
        let cleared = self.state.undecodable.remove(key);
        self.changed |= cleared.is_some();
        cleared
    }

    /// Runs `write` on the state itself; a success is a change.
    pub(super) fn try_write<T, E>(
        &mut self,
        write: impl FnOnce(&mut State<H>) -> Result<T, E>,
    ) -> Result<T, E> {
        let written = write(self.state)?;
        self.changed = true;
        Ok(written)
    }
}

impl<H> fmt::Debug for Transaction<'_, H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Transaction")
            .field("len", &self.state.objects.len())
            .field("resource_version", &self.state.resource_version)
            .field("changed", &self.changed)
            .finish_non_exhaustive()
    }
}
