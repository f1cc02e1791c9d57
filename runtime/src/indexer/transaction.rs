//! [`Transaction`]: the writer's side of the store.

use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;
use tokio::time::Instant;

use super::index::AnyIndex;
use super::indexed::Indexed;
use super::state::State;
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// Group of writes that readers see all together, or not at all.
///
/// Reads of a transaction see its own writes. It modifies a copy of the state, which
/// `Indexer::transaction` publishes when the closure returns and
/// drops when the closure panics.
#[derive_where(Debug)]
pub struct Transaction {
    state: State,
    changed: bool,
    /// Returns `true` if the store has objects of this entry's type.
    #[derive_where(skip)]
    accepts: fn(&Entry) -> bool,
}

// === impl Transaction ===

impl Transaction {
    pub(super) fn new(state: State, accepts: fn(&Entry) -> bool) -> Self {
        Self {
            state,
            changed: false,
            accepts,
        }
    }

    /// Returns the state to publish; `None` if nothing has changed.
    pub(super) fn finish(mut self) -> Option<State> {
        self.state.generation += 1;
        self.changed.then_some(self.state)
    }

    /// Returns the generation that readers will see if the transaction changes anything.
    pub(crate) fn next_generation(&self) -> u64 {
        self.state.generation + 1
    }

    /// Stores an object, and returns the object with the same key that it replaces.
    ///
    /// The entry is stored whatever its version is. The caller decides whether it is a change
    /// ([`Entry::is_same_version`]). Clears the key's undecodable mark. Does not change the store's
    /// resourceVersion; see [`set_resource_version`](Self::set_resource_version). Calls the functions
    /// of all indices, while other writers wait for the transaction.
    ///
    /// # Panics
    ///
    /// Panics if the store has objects of another type.
    pub fn insert(&mut self, entry: Entry) -> Option<Arc<Entry>> {
        assert_accepts(self.accepts, &entry);
        let (_, replaced) = self.insert_indexed(entry.into());
        replaced
    }

    /// Stores an object of the store's type, and files its values. Returns the object as it is stored,
    /// and the object that it replaces.
    pub(crate) fn insert_indexed(
        &mut self,
        mut indexed: Indexed,
    ) -> (Arc<Entry>, Option<Arc<Entry>>) {
        indexed.compute(&self.state);
        let (entry, values) = indexed.into_parts();
        self.clear_undecodable(&entry.key);
        self.changed = true;
        if let Some(retained) = &mut self.state.retained {
            retained.remove(&entry);
        }
        let (slot, entry, replaced) = self.state.objects.insert(entry);
        if let (Some(retained), Some(replaced)) = (&mut self.state.retained, &replaced)
            && entry.is_recreation_of(replaced)
        {
            retained.insert(Arc::clone(replaced), Instant::now());
        }
        for (index, values) in self.state.indices.iter_mut().zip(values) {
            index.file(slot, &entry, values);
        }
        (entry, replaced)
    }

    /// Files the values of an object that arrived again in its stored version, in the indices for
    /// which it had no body.
    pub(crate) fn file_again(&mut self, indexed: Indexed) {
        let (entry, values) = indexed.into_parts();
        // Most objects of a relist are unchanged, were not decoded again, and cost no search here.
        if values.is_empty() {
            return;
        }
        let Some((slot, _)) = self.state.objects.find(&entry.key) else {
            return;
        };
        for (index, values) in self.state.indices.iter_mut().zip(values) {
            if index.failures().evicted.contains(&entry.key) {
                index.file(slot, &entry, values);
                self.changed = true;
            }
        }
    }

    /// Removes and returns an object. Clears the key's undecodable mark.
    pub fn remove(&mut self, key: &ObjectKey) -> Option<Arc<Entry>> {
        let removed = self.release(key)?;
        if let Some(retained) = &mut self.state.retained {
            retained.insert(Arc::clone(&removed), Instant::now());
        }
        Some(removed)
    }

    /// Removes and returns an object that still exists on the server. It is not retained.
    pub(crate) fn release(&mut self, key: &ObjectKey) -> Option<Arc<Entry>> {
        self.clear_undecodable(key);
        let (slot, released) = self.state.objects.remove(key)?;
        for index in &mut self.state.indices {
            index.remove(slot, key);
        }
        self.changed = true;
        Some(released)
    }

    /// Drops the deleted objects whose period of retention is over.
    pub(crate) fn expire(&mut self, now: Instant) {
        if let Some(retained) = &mut self.state.retained {
            self.changed |= retained.expire(now);
        }
    }

    /// Sets the resourceVersion that the store's content reflects: that of the last applied event,
    /// bookmark or list. client-go's counterpart is `Store.Bookmark`.
    pub fn set_resource_version(&mut self, resource_version: ResourceVersion) {
        if self.state.resource_version != resource_version {
            self.state.resource_version = resource_version;
            self.changed = true;
        }
    }

    /// Sets the resourceVersion that the content of a namespace reflects. Has the effect of
    /// [`set_resource_version`](Self::set_resource_version) if one watch covers all namespaces.
    pub(crate) fn reach(&mut self, namespace: Option<&str>, version: ResourceVersion) {
        let mut versions = self.state.versions.iter_mut();
        let Some((_, reached)) = versions.find(|(known, _)| Some(&**known) == namespace) else {
            return self.set_resource_version(version);
        };
        self.changed |= *reached != version;
        *reached = version;
        self.state.resource_version = self.state.oldest_version();
    }

    /// Marks that the store holds a complete list. The mark is permanent.
    pub fn mark_synced(&mut self) {
        self.changed |= !self.state.synced;
        self.state.synced = true;
        if !self.state.versions.is_empty() {
            self.state.resource_version = self.state.oldest_version();
        }
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

    /// Adds an index that contains all objects, and returns its position.
    pub(super) fn push_index(&mut self, index: Box<dyn AnyIndex>) -> usize {
        self.changed = true;
        self.state.indices.push(index);
        self.state.indices.len() - 1
    }
}

/// Panics if a store has objects of another type.
pub(super) fn assert_accepts(accepts: fn(&Entry) -> bool, entry: &Entry) {
    assert!(
        accepts(entry),
        "{}: the store has objects of another type",
        entry.key
    );
}

impl Deref for Transaction {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}
