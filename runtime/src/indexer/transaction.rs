//! [`Transaction`]: the writer's side of the store.

use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;
use tokio::time::Instant;

use super::index::Decoded;
use super::state::State;
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, IndexValues, Undecodable};

/// Group of writes that readers see all together, or not at all.
///
/// Reads of a transaction see its own writes. It modifies a copy of the state, which
/// `Indexer::transaction` publishes when the closure returns and
/// drops when the closure panics.
#[derive_where(Debug)]
pub struct Transaction {
    state: State,
    changed: bool,
    #[derive_where(skip)]
    objects: StoredObjects,
}

/// Type of the objects of a store.
#[derive(Clone, Copy)]
pub(crate) struct StoredObjects {
    /// Returns `true` if the store has objects of this entry's type.
    pub(crate) accepts: fn(&Entry) -> bool,
    /// Returns the values of the indices that were computed before; see `Storage::index_values`.
    pub(crate) index_values: fn(&Entry) -> Vec<IndexValues>,
}

// === impl Transaction ===

impl Transaction {
    pub(super) fn new(state: State, objects: StoredObjects) -> Self {
        Self {
            state,
            changed: false,
            objects,
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
    /// resourceVersion; see [`set_resource_version`](Self::set_resource_version).
    ///
    /// # Panics
    ///
    /// Panics if the store has objects of another type.
    pub fn insert(&mut self, entry: Entry) -> Option<Arc<Entry>> {
        assert!(
            (self.objects.accepts)(&entry),
            "{}: the store has objects of another type",
            entry.key
        );
        let (_, replaced) = self.insert_shared(Arc::new(entry));
        replaced
    }

    /// Stores an object of the store's type. Returns it as it is stored, and the object that it
    /// replaces.
    pub(crate) fn insert_shared(&mut self, entry: Arc<Entry>) -> (Arc<Entry>, Option<Arc<Entry>>) {
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
        let mut decoded = Decoded::default();
        // The object was made some time ago, so reading it misses the processor's caches.
        let has_indices = !self.state.indices.is_empty();
        let computed = has_indices.then(|| (self.objects.index_values)(&entry));
        let mut computed = computed.into_iter().flatten();
        for index in &mut self.state.indices {
            match computed.next() {
                Some(values) => index.insert_computed(slot, &entry, values),
                None => index.insert(slot, &entry, &mut decoded),
            }
        }
        (entry, replaced)
    }

    /// Adds an object to the indices that lack it, by a copy of its stored version that has a body.
    pub(super) fn fill(&mut self, copy: &Entry) {
        let found = self.state.objects.find(&copy.key);
        let same = found.filter(|(_, stored)| stored.is_same_version(copy));
        let Some((slot, stored)) = same.map(|(slot, stored)| (slot, Arc::clone(stored))) else {
            return;
        };
        let values = (self.objects.index_values)(copy);
        for (index, values) in self.state.indices.iter_mut().zip(values) {
            if index.failures().evicted.contains(&copy.key) {
                index.insert_computed(slot, &stored, values);
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

    /// Runs `write` on the state. Success counts as a change.
    pub(super) fn try_write<T, E>(
        &mut self,
        write: impl FnOnce(&mut State) -> Result<T, E>,
    ) -> Result<T, E> {
        let written = write(&mut self.state)?;
        self.changed = true;
        Ok(written)
    }
}

impl Deref for Transaction {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}
