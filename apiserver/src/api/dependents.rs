//! Index of dependents by owner, and the queue of the collector.

use std::collections::{BTreeSet, HashMap, VecDeque};

use crate::store::ResourceId;
use crate::store::Stored;

/// Index of dependents by owner, and the pending work of the collector.
#[derive(Debug, Default)]
pub(crate) struct Dependents {
    /// `true` if only tests work off the queue, step by step.
    pub(crate) held: bool,
    /// Dependents by the uid of the owner.
    pub(super) by_owner: HashMap<String, BTreeSet<ObjectPlace>>,
    pub(super) queue: VecDeque<Work>,
}

/// Position of an object in the store.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct ObjectPlace {
    pub(super) resource: ResourceId,
    pub(super) namespace: String,
    pub(super) name: String,
}

#[derive(Debug)]
pub(super) enum Work {
    /// Delete the object if its owners are gone; finish its deletion if its dependents are gone.
    Examine(ObjectPlace),
    /// Remove the references to the object from its dependents.
    Orphan(ObjectPlace),
}

// === impl Dependents ===

impl Dependents {
    /// Updates the index for the replacement of `old` by `new`, without queueing work.
    pub(crate) fn replace(
        &mut self,
        resource: ResourceId,
        old: Option<&Stored>,
        new: Option<&Stored>,
    ) {
        if let Some(object) = new.or(old) {
            self.reindex(&ObjectPlace::of(resource, object), old, new);
        }
    }

    /// Updates the index for the replacement of `old` by `new` at `place`.
    pub(super) fn reindex(
        &mut self,
        place: &ObjectPlace,
        old: Option<&Stored>,
        new: Option<&Stored>,
    ) {
        for uid in old.into_iter().flat_map(owner_uids) {
            if let Some(places) = self.by_owner.get_mut(uid) {
                places.remove(place);
                if places.is_empty() {
                    self.by_owner.remove(uid);
                }
            }
        }
        for uid in new.into_iter().flat_map(owner_uids) {
            let places = self.by_owner.entry(uid.to_owned()).or_default();
            places.insert(place.clone());
        }
    }

    pub(super) fn examine_dependents(&mut self, uid: &str) {
        if let Some(places) = self.by_owner.get(uid) {
            let work = places.iter().cloned().map(Work::Examine);
            self.queue.extend(work);
        }
    }

    pub(crate) fn is_idle(&self) -> bool {
        self.queue.is_empty()
    }
}

fn owner_uids(object: &Stored) -> impl Iterator<Item = &str> {
    object.header.owners.iter().map(|owner| &*owner.uid)
}

// === impl ObjectPlace ===

impl ObjectPlace {
    pub(super) fn of(resource: ResourceId, object: &Stored) -> Self {
        Self {
            resource,
            namespace: object.namespace.clone(),
            name: object.name.clone(),
        }
    }
}
