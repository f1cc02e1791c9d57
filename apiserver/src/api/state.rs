//! The state of the server: revision, registry, objects and log, changed together under one lock.
//!
//! # Invariants
//!
//! 1. Every change of an object raises `revision` by one and appends one event with it.
//! 2. Every resource of the registry has a table and a history.
//!
//! Methods run under [`Shared`](crate::shared::Shared)'s lock; none of them waits.

use std::collections::HashMap;
use std::sync::Arc;

use crate::api::collector::Collector;
use crate::auth::token::Tokens;
use crate::clock::Clock;
use crate::document::Members;
use crate::registry::target::Target;
use crate::registry::{Registry, Resource};
use crate::status::ApiError;
use crate::store::ResourceId;
use crate::store::log::{Change, Event, EventLog};
use crate::store::{Objects, Stored, storage_key};

/// Everything that a request can read or change.
#[derive(Debug)]
pub(crate) struct State {
    revision: u64,
    pub(crate) registry: Registry,
    pub(crate) log: EventLog,
    tables: HashMap<ResourceId, Objects>,
    pub(crate) collector: Collector,
    pub(crate) clock: Clock,
    /// Those that service accounts were given.
    pub(crate) tokens: Tokens,
    /// What is to be kept on disk, if anything is.
    #[cfg(feature = "persist")]
    pub(crate) journal: Option<crate::api::persist::Journal>,
    /// Namespaces that writes to them create, instead of failing.
    pub(crate) create_namespaces: bool,
}

// === impl State ===

impl State {
    pub(crate) fn new(event_window: usize, create_namespaces: bool) -> Self {
        let mut state = Self {
            revision: 0,
            registry: Registry::built_in(),
            log: EventLog::new(event_window),
            tables: HashMap::new(),
            collector: Collector::default(),
            clock: Clock::default(),
            tokens: Tokens::default(),
            #[cfg(feature = "persist")]
            journal: None,
            create_namespaces,
        };
        let ids: Vec<_> = state.registry.iter().map(|resource| resource.id).collect();
        for id in ids {
            state.open(id);
        }
        state
    }

    /// The resourceVersion of the newest change.
    pub(crate) fn revision(&self) -> u64 {
        self.revision
    }

    /// Gives a resource its table and history.
    pub(crate) fn open(&mut self, id: ResourceId) {
        self.tables.entry(id).or_default();
        self.log.open(id);
    }

    /// Ends a resource that the registry no longer has.
    pub(crate) fn close(&mut self, id: ResourceId) {
        self.tables.remove(&id);
        self.log.end(id);
    }

    pub(crate) fn table(&self, id: ResourceId) -> Option<&Objects> {
        self.tables.get(&id)
    }

    pub(crate) fn find(&self, id: ResourceId, namespace: &str, name: &str) -> Option<&Arc<Stored>> {
        self.tables.get(&id)?.get(&storage_key(namespace, name))
    }

    /// The object that `target` names.
    pub(crate) fn get(&self, target: &Target) -> Result<&Arc<Stored>, ApiError> {
        let resource = &target.resource;
        self.find(resource.id, &target.namespace, &target.name)
            .ok_or_else(|| ApiError::not_found(resource, &target.name))
    }

    /// The target again, under the definition that holds now. A request reads the registry when it
    /// is routed and again when it acts, because a definition may go in between.
    pub(crate) fn current(&self, target: &Target) -> Result<(), ApiError> {
        let resource = &target.resource;
        match self.registry.get(&resource.group, &resource.plural) {
            Some(now) if now.id == resource.id => Ok(()),
            _ => Err(ApiError::no_such_resource()),
        }
    }

    /// Stores `members` as the newest version of an object and tells the watchers.
    pub(crate) fn put(
        &mut self,
        resource: &Resource,
        namespace: &str,
        name: &str,
        members: Members,
    ) -> Arc<Stored> {
        self.revision += 1;
        let stored = Arc::new(Stored::new(namespace, name, self.revision, members));
        let table = self.tables.entry(resource.id).or_default();
        let previous = table.insert(stored.key(), Arc::clone(&stored));
        self.note_kept(resource, &stored.key(), Some(&stored));
        self.note_change(resource.id, previous.as_deref(), Some(&stored));
        let change = if previous.is_some() {
            Change::Modified
        } else {
            Change::Added
        };
        let event = Event::new(change, Arc::clone(&stored), previous);
        self.log.append(resource.id, event);
        stored
    }

    /// Makes everything what it was at `revision`, which counts on from there: etcd restored from
    /// a backup.
    pub(crate) fn rewind(&mut self, revision: u64) -> Result<(), ApiError> {
        let oldest = self.log.compacted();
        if revision < oldest {
            return Err(ApiError::too_old(revision, oldest));
        }
        if revision > self.revision {
            return Err(ApiError::bad_request("the revision is still to come"));
        }
        let definitions = self
            .registry
            .get(crate::registry::crd::GROUP, crate::registry::crd::PLURAL);
        if definitions.is_some_and(|crds| self.log.after(crds.id, revision).next().is_some()) {
            return Err(ApiError::bad_request(
                "a CustomResourceDefinition has changed since, which cannot be undone",
            ));
        }
        let ids: Vec<_> = self.tables.keys().copied().collect();
        for id in ids {
            let resource = self.registry.by_id(id).map(Arc::clone);
            for (key, then) in self.past(id, revision) {
                if let Some(resource) = &resource {
                    self.note_kept(resource, &key, then.as_ref());
                }
                let table = self.tables.entry(id).or_default();
                let now = match &then {
                    Some(object) => table.insert(key, Arc::clone(object)),
                    None => table.remove(&key),
                };
                self.reindex(id, now.as_deref(), then.as_deref());
            }
        }
        self.log.rewind(revision);
        self.revision = revision;
        Ok(())
    }

    /// Removes `object` and tells the watchers. Returns what they see: its last content under the
    /// revision of the removal.
    pub(crate) fn remove(&mut self, resource: &Resource, object: &Arc<Stored>) -> Arc<Stored> {
        self.revision += 1;
        let last = Arc::new(object.at(self.revision));
        if let Some(table) = self.tables.get_mut(&resource.id) {
            table.remove(&object.key());
        }
        self.note_kept(resource, &object.key(), None);
        self.note_change(resource.id, Some(object), None);
        let event = Event::new(Change::Deleted, Arc::clone(&last), Some(Arc::clone(object)));
        self.log.append(resource.id, event);
        last
    }

    /// Tells the journal, if there is one, what is now at `key`.
    #[cfg(feature = "persist")]
    fn note_kept(&mut self, resource: &Resource, key: &str, now: Option<&Arc<Stored>>) {
        if let Some(journal) = &mut self.journal {
            journal.note(resource, key, now.map(Arc::clone));
        }
    }

    #[cfg(not(feature = "persist"))]
    #[expect(clippy::unused_self, reason = "there is no journal to tell")]
    fn note_kept(&mut self, _: &Resource, _: &str, _: Option<&Arc<Stored>>) {}

    /// Puts an object where it was before a restart, as no change.
    #[cfg(feature = "persist")]
    pub(crate) fn insert_restored(&mut self, resource: &Resource, object: Arc<Stored>) {
        self.reindex(resource.id, None, Some(&object));
        let table = self.tables.entry(resource.id).or_default();
        table.insert(object.key(), object);
    }

    /// Counts on from `revision`; what was before it has expired.
    #[cfg(feature = "persist")]
    pub(crate) fn resume_at(&mut self, revision: u64) {
        self.revision = self.revision.max(revision);
        self.log.start_after(self.revision);
    }
}
