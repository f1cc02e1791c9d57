//! The tables of all resources and the log, under one revision.
//!
//! # Invariants
//!
//! 1. Every change of an object increments `revision` and appends one event.
//! 2. Every table has a history in the log.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::key::{ResourceId, storage_key};
use super::log::{Change, EventLog, LoggedEvent};
use super::object::Stored;
use crate::document::Members;

/// Objects of one resource, ordered by storage key as in etcd.
pub(crate) type ObjectsByKey = BTreeMap<String, Arc<Stored>>;

/// Objects and their event log.
#[derive(Debug)]
pub(crate) struct Store {
    revision: u64,
    pub(crate) log: EventLog,
    tables: HashMap<ResourceId, ObjectsByKey>,
}

/// An object whose current version a rewind has replaced or removed.
#[derive(Debug)]
pub(crate) struct Replaced {
    pub(crate) resource: ResourceId,
    pub(crate) old: Option<Arc<Stored>>,
    pub(crate) new: Option<Arc<Stored>>,
}

/// Error of a rewind.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreachable {
    /// The log begins after the requested revision, at this one.
    Compacted(u64),
    /// The revision is in the future.
    Future,
}

// === impl Store ===

impl Store {
    /// Creates an empty store whose log holds `event_window` events.
    pub(crate) fn new(event_window: usize) -> Self {
        Self {
            revision: 0,
            log: EventLog::new(event_window),
            tables: HashMap::new(),
        }
    }

    /// Returns the revision of the newest change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Creates the table and the history of a resource.
    pub(crate) fn open(&mut self, id: ResourceId) {
        self.tables.entry(id).or_default();
        self.log.open(id);
    }

    /// Removes the table of a resource that is no longer served, and ends its history.
    pub(crate) fn close(&mut self, id: ResourceId) {
        self.tables.remove(&id);
        self.log.end(id);
    }

    pub(crate) fn table(&self, id: ResourceId) -> Option<&ObjectsByKey> {
        self.tables.get(&id)
    }

    /// Returns the objects whose keys begin with `prefix`.
    pub(crate) fn starting_with<'a>(
        &'a self,
        id: ResourceId,
        prefix: &'a str,
    ) -> impl Iterator<Item = &'a Arc<Stored>> {
        self.table(id)
            .into_iter()
            .flat_map(move |table| table.range(prefix.to_owned()..))
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(_, object)| object)
    }

    pub(crate) fn find(&self, id: ResourceId, namespace: &str, name: &str) -> Option<&Arc<Stored>> {
        self.table(id)?.get(&storage_key(namespace, name))
    }

    /// Stores `members` as the newest version of an object and appends the event. Returns the new
    /// version and the previous one, if the object existed.
    pub(crate) fn put(
        &mut self,
        id: ResourceId,
        namespace: &str,
        name: &str,
        members: Members,
    ) -> (Arc<Stored>, Option<Arc<Stored>>) {
        self.revision += 1;
        let stored = Arc::new(Stored::new(namespace, name, self.revision, members));
        let previous = self.set(id, stored.key(), Some(&stored));
        let change = if previous.is_some() {
            Change::Modified
        } else {
            Change::Added
        };
        let event = LoggedEvent::new(change, Arc::clone(&stored), previous.clone());
        self.log.append(id, event);
        (stored, previous)
    }

    /// Removes `object` and appends the event. Returns the object of the event: the last content
    /// under the revision of the removal.
    pub(crate) fn remove(&mut self, id: ResourceId, object: &Arc<Stored>) -> Arc<Stored> {
        self.revision += 1;
        let last = Arc::new(object.at(self.revision));
        self.set(id, object.key(), None);
        let event = LoggedEvent::new(Change::Deleted, Arc::clone(&last), Some(Arc::clone(object)));
        self.log.append(id, event);
        last
    }

    /// Replaces the object at `key` by `now` and returns the previous one.
    fn set(
        &mut self,
        id: ResourceId,
        key: String,
        now: Option<&Arc<Stored>>,
    ) -> Option<Arc<Stored>> {
        let table = self.tables.get_mut(&id)?;
        match now {
            Some(object) => table.insert(key, Arc::clone(object)),
            None => table.remove(&key),
        }
    }

    /// Returns the versions at `revision` of the objects that have changed since; `None` if the
    /// object did not exist.
    pub(crate) fn past(
        &self,
        id: ResourceId,
        revision: u64,
    ) -> BTreeMap<String, Option<Arc<Stored>>> {
        let mut past = BTreeMap::new();
        for event in self.log.after(id, revision) {
            past.entry(event.object.key())
                .or_insert_with(|| event.previous.clone());
        }
        past
    }

    /// Restores every object to its state at `revision`, and continues counting from there, as
    /// after a restore from a backup. Returns the replaced objects.
    pub(crate) fn rewind(&mut self, revision: u64) -> Result<Vec<Replaced>, Unreachable> {
        if revision < self.log.compacted() {
            return Err(Unreachable::Compacted(self.log.compacted()));
        }
        if revision > self.revision {
            return Err(Unreachable::Future);
        }
        let mut replaced = Vec::new();
        let ids: Vec<_> = self.tables.keys().copied().collect();
        for id in ids {
            for (key, then) in self.past(id, revision) {
                let now = self.set(id, key, then.as_ref());
                replaced.push(Replaced {
                    resource: id,
                    old: now,
                    new: then,
                });
            }
        }
        self.log.rewind(revision);
        self.revision = revision;
        Ok(replaced)
    }
}
