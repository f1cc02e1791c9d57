//! The tables of all resources and the log, under one revision.
//!
//! # Invariants
//!
//! 1. Every change of an object raises `revision` by one and appends one event with it.
//! 2. Every table has a history in the log.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use super::key::{ResourceId, storage_key};
use super::log::{Change, Event, EventLog};
use super::object::Stored;
use crate::document::Members;

/// The objects of one resource, ordered by storage key as etcd orders them.
pub(crate) type Objects = BTreeMap<String, Arc<Stored>>;

/// Objects and what has happened to them.
#[derive(Debug)]
pub(crate) struct Store {
    revision: u64,
    pub(crate) log: EventLog,
    tables: HashMap<ResourceId, Table>,
    /// What is to be kept on disk, if anything is.
    #[cfg(feature = "persist")]
    pub(crate) journal: Option<super::journal::Journal>,
}

#[derive(Debug)]
struct Table {
    /// What a file knows it by.
    #[cfg_attr(
        not(feature = "persist"),
        expect(dead_code, reason = "there is no file")
    )]
    name: String,
    objects: Objects,
}

/// An object that another version, or none, has taken the place of.
#[derive(Debug)]
pub(crate) struct Replaced {
    pub(crate) resource: ResourceId,
    pub(crate) old: Option<Arc<Stored>>,
    pub(crate) new: Option<Arc<Stored>>,
}

/// Why a store cannot go back to a revision.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Unreachable {
    /// The log begins behind it, at this one.
    Compacted(u64),
    /// It is still to come.
    Future,
}

// === impl Store ===

impl Store {
    /// An empty store whose log has room for so many events.
    pub(crate) fn new(event_window: usize) -> Self {
        Self {
            revision: 0,
            log: EventLog::new(event_window),
            tables: HashMap::new(),
            #[cfg(feature = "persist")]
            journal: None,
        }
    }

    /// The revision of the newest change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Gives a resource its table, which a file knows by `name`, and its history.
    pub(crate) fn open(&mut self, id: ResourceId, name: String) {
        self.tables.entry(id).or_insert_with(|| Table {
            name,
            objects: Objects::new(),
        });
        self.log.open(id);
    }

    /// Ends a resource that is no longer served.
    pub(crate) fn close(&mut self, id: ResourceId) {
        self.tables.remove(&id);
        self.log.end(id);
    }

    pub(crate) fn table(&self, id: ResourceId) -> Option<&Objects> {
        self.tables.get(&id).map(|table| &table.objects)
    }

    /// The objects whose keys begin with `prefix`.
    pub(crate) fn starting_with<'a>(
        &'a self,
        id: ResourceId,
        prefix: &'a str,
    ) -> impl Iterator<Item = &'a Arc<Stored>> {
        let table = self.table(id).into_iter();
        table
            .flat_map(move |table| table.range(prefix.to_owned()..))
            .take_while(move |(key, _)| key.starts_with(prefix))
            .map(|(_, object)| object)
    }

    pub(crate) fn find(&self, id: ResourceId, namespace: &str, name: &str) -> Option<&Arc<Stored>> {
        self.table(id)?.get(&storage_key(namespace, name))
    }

    /// Stores `members` as the newest version of an object and tells the watchers. Returns it with
    /// the version before, if there was one.
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
        let event = Event::new(change, Arc::clone(&stored), previous.clone());
        self.log.append(id, event);
        (stored, previous)
    }

    /// Removes `object` and tells the watchers. Returns what they see: its last content under the
    /// revision of the removal.
    pub(crate) fn remove(&mut self, id: ResourceId, object: &Arc<Stored>) -> Arc<Stored> {
        self.revision += 1;
        let last = Arc::new(object.at(self.revision));
        self.set(id, object.key(), None);
        let event = Event::new(Change::Deleted, Arc::clone(&last), Some(Arc::clone(object)));
        self.log.append(id, event);
        last
    }

    /// Puts `now` in the place of what is at `key`, which it returns.
    fn set(
        &mut self,
        id: ResourceId,
        key: String,
        now: Option<&Arc<Stored>>,
    ) -> Option<Arc<Stored>> {
        let table = self.tables.get_mut(&id)?;
        #[cfg(feature = "persist")]
        if let Some(journal) = &mut self.journal {
            journal.note(&table.name, &key, now.map(Arc::clone));
        }
        match now {
            Some(object) => table.objects.insert(key, Arc::clone(object)),
            None => table.objects.remove(&key),
        }
    }

    /// What objects that have changed after `revision` were at it; nothing where they were not.
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

    /// Makes everything what it was at `revision`, which counts on from there: a backup restored.
    /// Returns what has changed by that.
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

    /// Puts an object where it was before a restart, as no change.
    #[cfg(feature = "persist")]
    pub(crate) fn insert_restored(&mut self, id: ResourceId, object: Arc<Stored>) {
        if let Some(table) = self.tables.get_mut(&id) {
            table.objects.insert(object.key(), object);
        }
    }

    /// Counts on from `revision`; what was before it has expired.
    #[cfg(feature = "persist")]
    pub(crate) fn resume_at(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
        self.log.start_after(self.revision);
    }
}
