//! Applies a batch of deltas to the store, and collects the notifications for handlers.
//!
//! The store's content decides, not the type of the delta: ADDED of a known key is an update,
//! MODIFIED of an unknown key is an add, and DELETED of an unknown key is ignored.

use std::cmp::Ordering;
use std::collections::HashSet;
use std::sync::Arc;

use foldhash::quality::RandomState;

use super::first_lists::FirstLists;
use crate::coverage::Coverage;
use crate::delta_fifo::{Delta, Listed, Removed, Replacement};
use crate::event::{Added, Deleted, Event, Origin, Updated};
use crate::indexer::{Indexed, Transaction};
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::Entry;

/// Writer of deltas into a store.
pub(super) struct Apply<'a> {
    store: &'a mut Transaction,
    first_lists: &'a mut FirstLists,
    tell_unchanged: bool,
    /// Deltas may have been on their way when it changed.
    coverage: &'a Coverage,
    /// Origin of the current delta.
    origin: Origin,
    /// Notifications for the handlers, in order.
    events: Vec<Event<Entry>>,
}

// === impl Apply ===

impl<'a> Apply<'a> {
    /// Creates a writer, which notes complete lists in `first_lists`. With `tell_unchanged`, an
    /// object that arrives again in its stored version causes a notification with
    /// [`Origin::Resync`]. Objects that are not covered are dropped.
    pub(super) fn new(
        store: &'a mut Transaction,
        first_lists: &'a mut FirstLists,
        tell_unchanged: bool,
        coverage: &'a Coverage,
    ) -> Self {
        Self {
            store,
            first_lists,
            tell_unchanged,
            coverage,
            origin: Origin::Live,
            events: Vec::new(),
        }
    }

    /// Ends the batch and returns its notifications. `reached` are the batch's own resourceVersions.
    pub(super) fn finish(
        self,
        reached: Vec<(Option<Arc<str>>, ResourceVersion)>,
    ) -> Vec<Event<Entry>> {
        for (namespace, version) in reached {
            self.store.reach(namespace.as_deref(), version);
        }
        self.events
    }

    pub(super) fn delta(&mut self, delta: Delta) {
        let listed = if let Delta::ReplacedAll(list) = &delta {
            list.namespace.as_deref()
        } else {
            delta.key().and_then(ObjectKey::namespace)
        };
        self.origin = match (delta.is_of_a_list(), self.first_lists.awaits(listed)) {
            // Live even if the delta leaves the queue together with the first list.
            (false, _) => Origin::Live,
            (true, true) => Origin::Initial,
            (true, false) if delta.part().is_some() => Origin::Reshard,
            (true, false) => Origin::Relist,
        };
        match delta {
            Delta::Added(indexed) | Delta::Updated(indexed) => {
                self.reached(indexed.key.namespace(), &indexed.resource_version);
                self.upsert(indexed);
            }
            Delta::Deleted(removed) => {
                self.reached(removed.key.namespace(), &removed.resource_version);
                self.remove(removed);
            }
            Delta::Undecodable(undecodable) => {
                let version = &undecodable.resource_version;
                self.reached(undecodable.key.namespace(), version);
                self.listed(Listed::Undecodable(Box::new(undecodable)));
            }
            Delta::Replaced(listed) => self.listed(listed),
            Delta::ReplacedAll(replacement) => self.replace(replacement),
            Delta::Bookmark {
                namespace,
                resource_version,
                ends_list,
            } => {
                self.reached(namespace.as_deref(), &resource_version);
                if ends_list {
                    self.first_lists.complete(namespace.as_deref());
                }
            }
            // Handlers handle these; the store does not change.
            Delta::Sync(_) => {}
        }
    }

    /// Advances the resourceVersion of the store or of its namespace, unless the delta has none. A
    /// part that has entered may still be behind the rest.
    fn reached(&mut self, namespace: Option<&str>, version: &ResourceVersion) {
        let reached = self.store.version_of(namespace.unwrap_or_default());
        let is_behind = self.coverage.narrows() && version.is_older_than(reached);
        if !version.is_unset() && !is_behind {
            self.store.reach(namespace, version.clone());
        }
    }

    /// Applies a list: first the deletions in key order, then the listed objects in list order.
    fn replace(&mut self, replacement: Replacement) {
        let (missing, forgotten) = self.unlisted(&replacement);
        for key in &forgotten {
            self.store.clear_undecodable(key);
        }
        for key in missing {
            if let Some(old) = self.take(&key) {
                self.tell_deleted(key, old, true, self.origin);
            }
        }
        if self.store.is_empty() {
            self.events.reserve_exact(replacement.items.len());
        }
        for item in replacement.items {
            self.listed(item);
        }
        let namespace = replacement.namespace.as_deref();
        if replacement.part.is_none() {
            self.store.reach(namespace, replacement.resource_version);
            self.first_lists.complete(namespace);
        }
    }

    /// Returns the keys of stored and of undecodable objects that are not in a list.
    fn unlisted(&self, replacement: &Replacement) -> (Vec<ObjectKey>, Vec<ObjectKey>) {
        let state = &self.store;
        let uid_of = |key: &ObjectKey| {
            let stored = state.get(key).map(|entry| entry.uid.clone());
            stored.or_else(|| Some(state.undecodable(key)?.uid.clone()))
        };
        let is_covered = |key: &&ObjectKey| {
            let part = replacement.part.as_ref();
            let uid = part.and_then(|_| uid_of(key)).flatten();
            replacement.covers(key, uid.as_ref())
        };
        let mut stored = state.keys().filter(is_covered).peekable();
        let mut undecodable = state.undecodable_keys().filter(is_covered).peekable();
        if stored.peek().is_none() && undecodable.peek().is_none() {
            // The first list, whose keys need not be hashed.
            return Default::default();
        }
        let listed: HashSet<&ObjectKey, RandomState> =
            replacement.items.iter().map(Listed::key).collect();
        let is_unlisted = |key: &&ObjectKey| !listed.contains(key);
        (
            stored.filter(is_unlisted).cloned().collect(),
            undecodable.filter(is_unlisted).cloned().collect(),
        )
    }

    fn listed(&mut self, listed: Listed) {
        match listed {
            Listed::Changed(indexed) | Listed::Unchanged(indexed) => self.upsert(indexed),
            Listed::Restored(indexed) => self.write(indexed),
            Listed::Filtered(left_out) => self.leave(left_out),
            Listed::Undecodable(undecodable) => {
                if self
                    .coverage
                    .covers(&undecodable.key, undecodable.uid.as_ref())
                {
                    self.store.mark_undecodable(*undecodable);
                }
            }
        }
    }

    fn upsert(&mut self, indexed: Indexed) {
        let Some(stored) = self.store.get(&indexed.key) else {
            return self.write(indexed);
        };
        let version = &indexed.resource_version;
        if self.coverage.narrows() && version.is_older_than(&stored.resource_version) {
            // Two parts may have an object with this name, one after the other.
            return;
        }
        // After a version that did not decode, a server that was restored from a backup may deliver
        // the stored version again.
        let is_unchanged =
            stored.is_same_version(&indexed) && self.store.undecodable(&indexed.key).is_none();
        if !is_unchanged {
            return self.write(indexed);
        }
        // Readers may hold the stored object, so the store keeps it.
        let kept = Arc::clone(stored);
        self.store.file_again(indexed);
        self.tell_unchanged(kept);
    }

    /// Writes an entry, regardless of the stored version.
    fn write(&mut self, indexed: Indexed) {
        if !self.coverage.covers(&indexed.key, indexed.uid.as_ref()) {
            return;
        }
        let (entry, old) = self.store.insert_indexed(indexed);
        match old {
            None => self.tell_added(entry),
            Some(old) if entry.is_recreation_of(&old) => {
                self.tell_deleted(old.key.clone(), old, true, self.origin);
                self.tell_added(entry);
            }
            Some(old) => self.tell_updated(old, entry, self.origin),
        }
    }

    /// Removes an object that a list has in a version which the filter leaves out. An earlier object of
    /// the name is gone, whatever the versions: the server may have gone back.
    fn leave(&mut self, left_out: Arc<Entry>) {
        let stored = self.store.get(&left_out.key);
        if stored.is_some_and(|stored| left_out.is_recreation_of(stored)) {
            if let Some(old) = self.store.remove(&left_out.key) {
                self.tell_deleted(left_out.key.clone(), old, true, self.origin);
            }
            return;
        }
        self.remove(Removed::filtered(left_out));
    }

    fn remove(&mut self, removed: Removed) {
        let Some(old) = self.store.get(&removed.key) else {
            self.store.clear_undecodable(&removed.key);
            return;
        };
        let is_another =
            matches!((&old.uid, &removed.uid), (Some(held), Some(gone)) if held != gone);
        let order = removed.resource_version.compare(&old.resource_version);
        if is_another && order == Some(Ordering::Less) {
            // The deletion concerns an incarnation that is older than the stored one, which the
            // store no longer holds.
            return;
        }
        let has_left = removed.is_filtered && !is_another;
        let old = if has_left {
            self.store.release(&removed.key)
        } else {
            self.store.remove(&removed.key)
        };
        let Some(old) = old else {
            return;
        };
        // If the deleted incarnation was never stored, for example because it did not decode, this
        // deletes the older incarnation that is still held.
        let last = removed.object.filter(|_| !is_another);
        let unknown = removed.final_state_unknown || last.is_none();
        let origin = if has_left {
            Origin::Filter
        } else {
            self.origin
        };
        self.tell_deleted(removed.key, last.unwrap_or(old), unknown, origin);
    }

    /// Removes an object that a list does not contain. If it is not covered, that tells
    /// nothing about its existence.
    fn take(&mut self, key: &ObjectKey) -> Option<Arc<Entry>> {
        let uid = self.store.get(key)?.uid.clone();
        if self.coverage.covers(key, uid.as_ref()) {
            return self.store.remove(key);
        }
        self.store.release(key)
    }

    fn tell_added(&mut self, object: Arc<Entry>) {
        self.events.push(Event::Added(Added {
            key: object.key.clone(),
            object,
            origin: self.origin,
        }));
    }

    fn tell_unchanged(&mut self, kept: Arc<Entry>) {
        if self.tell_unchanged && self.origin != Origin::Initial {
            self.tell_updated(Arc::clone(&kept), kept, Origin::Resync);
        }
    }

    fn tell_updated(&mut self, old: Arc<Entry>, new: Arc<Entry>, origin: Origin) {
        self.events.push(Event::Updated(Updated {
            key: new.key.clone(),
            old,
            new,
            origin,
        }));
    }

    fn tell_deleted(
        &mut self,
        key: ObjectKey,
        object: Arc<Entry>,
        final_state_unknown: bool,
        origin: Origin,
    ) {
        self.events.push(Event::Deleted(Deleted {
            key,
            object,
            final_state_unknown,
            origin,
        }));
    }
}
