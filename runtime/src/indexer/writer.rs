//! [`Writer`]: the writer's side of a store, whatever the type of its objects.

use std::sync::Arc;

use super::index::Decoded;
use super::state::State;
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// [`Transaction`](super::Transaction) without the type of the objects. Modifies a copy
/// of the state.
pub(crate) struct Writer {
    state: State,
    changed: bool,
}

// === impl Writer ===

impl Writer {
    pub(super) fn new(state: State) -> Self {
        Self {
            state,
            changed: false,
        }
    }

    /// Returns the state to publish; `None` if nothing has changed.
    pub(super) fn finish(mut self) -> Option<State> {
        self.state.generation += 1;
        self.changed.then_some(self.state)
    }

    pub(crate) fn state(&self) -> &State {
        &self.state
    }

    pub(super) fn is_changed(&self) -> bool {
        self.changed
    }

    /// Returns the generation that readers will see if the transaction changes anything.
    pub(crate) fn generation(&self) -> u64 {
        self.state.generation + 1
    }

    /// Stores an object. Returns it as it is stored, and the object that it replaces. See
    /// [`Transaction::insert`](super::Transaction::insert).
    pub(crate) fn insert(&mut self, entry: Arc<Entry>) -> (Arc<Entry>, Option<Arc<Entry>>) {
        self.clear_undecodable(&entry.key);
        self.changed = true;
        let (slot, entry, replaced) = self.state.objects.insert(entry);
        let mut decoded = Decoded::default();
        for index in &mut self.state.indices {
            index.insert(slot, &entry, &mut decoded);
        }
        (entry, replaced)
    }

    /// Removes and returns an object. Clears the key's undecodable mark.
    pub(crate) fn remove(&mut self, key: &ObjectKey) -> Option<Arc<Entry>> {
        self.clear_undecodable(key);
        let (slot, removed) = self.state.objects.remove(key)?;
        for index in &mut self.state.indices {
            index.remove(slot, key);
        }
        self.changed = true;
        Some(removed)
    }

    pub(crate) fn set_resource_version(&mut self, resource_version: ResourceVersion) {
        if self.state.resource_version != resource_version {
            self.state.resource_version = resource_version;
            self.changed = true;
        }
    }

    pub(crate) fn mark_synced(&mut self) {
        self.changed |= !self.state.synced;
        self.state.synced = true;
    }

    pub(crate) fn mark_undecodable(&mut self, undecodable: Undecodable) {
        let key = undecodable.key.clone();
        self.state.undecodable.insert(key, undecodable);
        self.changed = true;
    }

    pub(crate) fn clear_undecodable(&mut self, key: &ObjectKey) -> Option<Undecodable> {
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
