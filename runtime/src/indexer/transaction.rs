//! [`Transaction`]: the writer's side of the store.

use std::fmt;

use super::index::Decoded;
use super::state::{State, Stored};
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// Group of writes that readers see all together, or not at all.
///
/// Reads of a transaction see its own writes. It modifies a copy of the state, which
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

    /// Returns `true` if there are changes to publish.
    pub(super) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Returns the generation that readers will see if the transaction changes anything.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation + 1
    }

    /// Returns the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<&Entry<H>> {
        self.state.get(key)
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Returns `true` if the store has no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.objects.is_empty()
    }

    /// Returns the objects, ordered by key.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry<H>> + ExactSizeIterator {
        self.state.objects.values().map(Stored::entry)
    }

    /// Returns the resourceVersion that the store's content reflects.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.state.resource_version
    }

    /// Returns `true` if the store has held a complete list.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.state.synced
    }

    /// Returns the version of this object that did not decode, if that is its latest version.
    #[must_use]
    pub fn undecodable(&self, key: &ObjectKey) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// Returns the objects whose latest version did not decode, ordered by key.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.state.undecodable.values()
    }

    /// Stores an object, and returns the object with the same key that it replaces.
    ///
    /// The entry is stored whatever its version is. The caller decides whether it is a change
    /// ([`Entry::is_same_version`]). Clears the key's undecodable mark. Does not change the store's
    /// resourceVersion; see [`set_resource_version`](Self::set_resource_version).
    pub fn insert(&mut self, mut entry: Entry<H>) -> Option<Entry<H>> {
        self.clear_undecodable(&entry.key);
        self.changed = true;
        let state = &mut *self.state;
        if let Some((key, _)) = state.objects.get_key_value(&entry.key) {
            // Shares the text of the existing key instead of storing a second copy.
            entry.key = key.clone();
        }
        let mut decoded = Decoded::default();
        for index in &mut state.indices {
            index.insert(&entry, &mut decoded);
        }
        drop(decoded);
        state.insert(entry)
    }

    /// Removes and returns an object. Clears the key's undecodable mark.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Entry<H>> {
        self.clear_undecodable(key);
        let removed = self.state.remove(key)?;
        for index in &mut self.state.indices {
            index.remove(key);
        }
        self.changed = true;
        Some(removed)
    }

    /// Sets the resourceVersion that the store's content reflects: that of the last applied event,
    /// bookmark or list. client-go's counterpart is `Store.Bookmark`.
    pub fn set_resource_version(&mut self, resource_version: ResourceVersion) {
        if self.state.resource_version != resource_version {
            self.state.resource_version = resource_version;
            self.changed = true;
        }
    }

    /// Marks that the store holds a complete list. The mark is permanent.
    pub fn mark_synced(&mut self) {
        self.changed |= !self.state.synced;
        self.state.synced = true;
    }

    /// Marks that the latest version of an object did not decode. The last version that did decode
    /// stays stored.
    pub fn mark_undecodable(&mut self, undecodable: Undecodable) {
        let key = undecodable.key.clone();
        self.state.undecodable.insert(key, undecodable);
        self.changed = true;
    }

    /// Clears the mark of an undecodable object: the stored object is the latest again, or the
    /// object is deleted. [`insert`](Self::insert) and [`remove`](Self::remove) clear the mark by
    /// themselves.
    pub fn clear_undecodable(&mut self, key: &ObjectKey) -> Option<Undecodable> {
        let cleared = self.state.undecodable.remove(key);
        self.changed |= cleared.is_some();
        cleared
    }

    /// Runs `write` on the state. Success counts as a change.
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
