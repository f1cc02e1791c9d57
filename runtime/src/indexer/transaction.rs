//! [`Transaction`]: the writer's side of the store.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::writer::Writer;
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// Group of writes that readers see all together, or not at all.
///
/// Reads of a transaction see its own writes. It modifies a copy of the state, which
/// [`Indexer::transaction`](super::Indexer::transaction) publishes when the closure returns and
/// drops when the closure panics.
pub struct Transaction<'a, T> {
    writer: &'a mut Writer,
    objects: PhantomData<fn() -> T>,
}

// === impl Transaction ===

impl<'a, T: Send + Sync + 'static> Transaction<'a, T> {
    pub(super) fn new(writer: &'a mut Writer) -> Self {
        Self {
            writer,
            objects: PhantomData,
        }
    }

    /// Returns the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<&Entry> {
        self.writer.state().get(key).map(|entry| &**entry)
    }

    /// Returns the objects, ordered by key.
    #[must_use]
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.writer.state().objects.iter().map(|entry| &**entry)
    }

    /// Returns the objects whose latest version did not decode, ordered by key.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.writer.state().undecodable.values()
    }

    /// Stores an object, and returns the object with the same key that it replaces.
    ///
    /// The entry is stored whatever its version is. The caller decides whether it is a change
    /// ([`Entry::is_same_version`]). Clears the key's undecodable mark. Does not change the store's
    /// resourceVersion; see [`set_resource_version`](Self::set_resource_version).
    ///
    /// # Panics
    ///
    /// Panics if the object is not a `T`.
    pub fn insert(&mut self, entry: Entry) -> Option<Arc<Entry>> {
        assert!(
            entry.object.is::<T>(),
            "{}: the store has objects of another type",
            entry.key
        );
        let (_, replaced) = self.writer.insert(Arc::new(entry));
        replaced
    }

    /// Removes and returns an object. Clears the key's undecodable mark.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Arc<Entry>> {
        self.writer.remove(key)
    }

    /// Sets the resourceVersion that the store's content reflects: that of the last applied event,
    /// bookmark or list. client-go's counterpart is `Store.Bookmark`.
    pub fn set_resource_version(&mut self, resource_version: ResourceVersion) {
        self.writer.set_resource_version(resource_version);
    }

    /// Marks that the store holds a complete list. The mark is permanent.
    pub fn mark_synced(&mut self) {
        self.writer.mark_synced();
    }

    /// Marks that the latest version of an object did not decode. The last version that did decode
    /// stays stored.
    pub fn mark_undecodable(&mut self, undecodable: Undecodable) {
        self.writer.mark_undecodable(undecodable);
    }

    /// Clears the mark of an undecodable object: the stored object is the latest again, or the
    /// object is deleted. [`insert`](Self::insert) and [`remove`](Self::remove) clear the mark by
    /// themselves.
    pub fn clear_undecodable(&mut self, key: &ObjectKey) -> Option<Undecodable> {
        self.writer.clear_undecodable(key)
    }
}

impl<T> fmt::Debug for Transaction<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.writer.state();
        f.debug_struct("Transaction")
            .field("len", &state.objects.len())
            .field("resource_version", &state.resource_version)
            .field("changed", &self.writer.is_changed())
            .finish_non_exhaustive()
    }
}
