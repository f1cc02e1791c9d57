//! The garbage collector: what `ownerReferences` mean when an owner goes.
//!
//! The real one is a controller beside the API server, and so late by a moment. This one works
//! off its queue at the end of each write, under the same lock: an answer to a DELETE comes when
//! everything that follows from it has happened, in an order that is the same in each run. Tests
//! that want the moment in between [hold](crate::Control::hold_garbage_collection) it.
//!
//! ```text
//! State::put, State::remove --note--> Collector { dependents, queue } --settle--> State::put, ..
//! ```
//!
//! # Invariants
//!
//! 1. `dependents` has an entry for each pair of a stored object and a uid that it names as owner,
//!    and no other.
//! 2. Work is queued only by a change, and work that finds nothing to change queues nothing: the
//!    queue runs dry.

mod index;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

pub(crate) use self::index::Collector;
use self::index::{Place, Work};
use crate::api::state::State;
use crate::api::write::{Propagation, WriteOptions, metadata_mut};
use crate::document::Members;
use crate::registry::Resource;
use crate::store::ResourceId;
use crate::store::{OwnerReference, Stored};

/// Waits for the dependents that block.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// Waits until the dependents have forgotten their owner.
pub(crate) const ORPHAN: &str = "orphan";

/// What has become of the owner in a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Owner {
    /// It is there, or its kind is unknown, which is no reason to delete anything.
    Solid,
    /// It is there and waits for its dependents to go.
    Waiting,
    /// It is gone.
    Dangling,
}

fn blocks(object: &Stored, owner_uid: &str) -> bool {
    let mut owners = object.header.owners.iter();
    owners.any(|owner| *owner.uid == *owner_uid && owner.blocks)
}

/// Whether the object waits for its dependents.
fn is_waiting(object: &Stored) -> bool {
    object.is_deleting() && object.finalizers().any(|finalizer| finalizer == FOREGROUND)
}

/// Changes each reference with `change`, which drops those that it returns nothing for.
fn edit_references(members: &mut Members, change: impl Fn(&mut Map<String, Value>) -> bool) {
    let Ok(metadata) = metadata_mut(members) else {
        return;
    };
    let Some(Value::Array(references)) = metadata.get_mut("ownerReferences") else {
        return;
    };
    references.retain_mut(|reference| reference.as_object_mut().is_none_or(&change));
    if references.is_empty() {
        metadata.remove("ownerReferences");
    }
}

// === impl State ===

impl State {
    /// Tells the collector that `new` has taken the place of `old`.
    pub(crate) fn note_change(
        &mut self,
        resource: ResourceId,
        old: Option<&Stored>,
        new: Option<&Stored>,
    ) {
        let Some(object) = new.or(old) else { return };
        let place = Place::of(resource, object);
        self.collector.reindex(&place, old, new);
        if !self.collector.enabled {
            return;
        }
        // An owner that waits for its dependents has one less to wait for, perhaps.
        let owners: Vec<Place> = old
            .into_iter()
            .flat_map(|old| &old.header.owners)
            .filter_map(|reference| self.owner(object, reference))
            .filter(|(_, owner)| is_waiting(owner))
            .map(|(resource, owner)| Place::of(resource.id, &owner))
            .collect();
        let queue = &mut self.collector.queue;
        queue.extend(owners.into_iter().map(Work::Examine));
        match new {
            None => self.collector.examine_dependents(object.uid()),
            Some(new) if is_waiting(new) => {
                self.collector.examine_dependents(new.uid());
                self.collector.queue.push_back(Work::Examine(place));
            }
            Some(new) if new.is_deleting() && new.finalizers().any(|f| f == ORPHAN) => {
                self.collector.queue.push_back(Work::Orphan(place));
            }
            Some(_) => {}
        }
    }

    /// As [`note_change`](Self::note_change), for a change that nobody is to react to.
    pub(crate) fn reindex(
        &mut self,
        resource: ResourceId,
        old: Option<&Stored>,
        new: Option<&Stored>,
    ) {
        if let Some(object) = new.or(old) {
            let place = Place::of(resource, object);
            self.collector.reindex(&place, old, new);
        }
    }

    /// Has the owners of an object checked that a client has just written.
    pub(crate) fn note_owners(&mut self, resource: ResourceId, object: &Stored) {
        if self.collector.enabled && !object.header.owners.is_empty() {
            let place = Place::of(resource, object);
            self.collector.queue.push_back(Work::Examine(place));
        }
    }

    /// Works the queue off, unless it is held.
    pub(crate) fn settle(&mut self) {
        while !self.collector.held && self.collect_one() {}
    }

    /// Does one piece of work; false if there is none.
    pub(crate) fn collect_one(&mut self) -> bool {
        let Some(work) = self.collector.queue.pop_front() else {
            return false;
        };
        let (Work::Examine(place) | Work::Orphan(place)) = &work;
        let resource = self.registry.by_id(place.resource).map(Arc::clone);
        let object = self
            .find(place.resource, &place.namespace, &place.name)
            .map(Arc::clone);
        if let (Some(resource), Some(object)) = (resource, object) {
            match work {
                Work::Examine(_) => self.examine(&resource, &object),
                Work::Orphan(_) => self.orphan(&resource, &object),
            }
        }
        true
    }

    fn examine(&mut self, resource: &Arc<Resource>, object: &Arc<Stored>) {
        if is_waiting(object) {
            let uid = object.uid();
            let blocked = self
                .dependents(uid)
                .any(|(_, dependent)| blocks(dependent, uid));
            if !blocked {
                self.drop_finalizer(resource, object, FOREGROUND);
            }
            return;
        }
        let references = &object.header.owners;
        if object.is_deleting() || references.is_empty() {
            return;
        }
        let owners: Vec<Owner> = references
            .iter()
            .map(|reference| self.state_of_owner(object, reference))
            .collect();
        if owners.contains(&Owner::Solid) {
            let gone: BTreeSet<&str> = references
                .iter()
                .zip(&owners)
                .filter(|(_, owner)| **owner != Owner::Solid)
                .map(|(reference, _)| &*reference.uid)
                .collect();
            if !gone.is_empty() {
                let mut members = object.members();
                edit_references(&mut members, |reference| {
                    let uid = reference.get("uid").and_then(Value::as_str);
                    !uid.is_some_and(|uid| gone.contains(uid))
                });
                self.rewrite(resource, object, members);
            }
            return;
        }
        let waited_for = owners.contains(&Owner::Waiting);
        self.collect(resource, object, waited_for);
    }

    /// Deletes an object that no owner holds. `waited_for` is true if an owner waits for it, which
    /// makes it wait for its own dependents.
    fn collect(&mut self, resource: &Arc<Resource>, object: &Arc<Stored>, waited_for: bool) {
        let uid = object.uid();
        let mut object = Arc::clone(object);
        let mut propagation = None;
        if waited_for && self.dependents(uid).next().is_some() {
            // Owners in a circle would wait for each other for ever.
            if self
                .dependents(uid)
                .any(|(_, dependent)| is_waiting(dependent))
            {
                let mut members = object.members();
                edit_references(&mut members, |reference| {
                    reference.remove("blockOwnerDeletion");
                    true
                });
                if let Some(next) = self.rewrite(resource, &object, members) {
                    object = next;
                }
            }
            propagation = Some(Propagation::Foreground);
        } else if !object.finalizers().any(|f| f == ORPHAN || f == FOREGROUND) {
            propagation = Some(Propagation::Background);
        }
        let deleted = self.delete_by_rule(resource, object, propagation, WriteOptions::default());
        if let Err(error) = deleted {
            tracing::debug!(%error, "the garbage collector was refused");
        }
    }

    /// Takes the owner out of its dependents, then lets it go.
    fn orphan(&mut self, resource: &Arc<Resource>, owner: &Arc<Stored>) {
        let uid = owner.uid();
        let dependents: Vec<_> = self
            .dependents(uid)
            .map(|(resource, object)| (Arc::clone(resource), Arc::clone(object)))
            .collect();
        for (resource, dependent) in dependents {
            let mut members = dependent.members();
            edit_references(&mut members, |reference| {
                reference.get("uid").and_then(Value::as_str) != Some(uid)
            });
            self.rewrite(&resource, &dependent, members);
        }
        self.drop_finalizer(resource, owner, ORPHAN);
    }

    /// Stores `members`, unless they are what is stored.
    fn rewrite(
        &mut self,
        resource: &Arc<Resource>,
        object: &Stored,
        members: Members,
    ) -> Option<Arc<Stored>> {
        (members != object.members())
            .then(|| self.put(resource, &object.namespace, &object.name, members))
    }

    fn drop_finalizer(&mut self, resource: &Arc<Resource>, object: &Arc<Stored>, name: &str) {
        let mut members = object.members();
        let Ok(metadata) = metadata_mut(&mut members) else {
            return;
        };
        let Some(Value::Array(finalizers)) = metadata.get_mut("finalizers") else {
            return;
        };
        finalizers.retain(|finalizer| finalizer != name);
        if finalizers.is_empty() {
            metadata.remove("finalizers");
            if object.is_deleting() && !resource.is("", "namespaces") {
                self.erase(resource, object, WriteOptions::default());
                return;
            }
        }
        self.rewrite(resource, object, members);
        if resource.is("", "namespaces") {
            self.finish_namespace(&object.name);
        }
    }

    fn dependents(&self, uid: &str) -> impl Iterator<Item = (&Arc<Resource>, &Arc<Stored>)> {
        let places = self.collector.dependents.get(uid);
        places.into_iter().flatten().filter_map(|place| {
            let object = self.find(place.resource, &place.namespace, &place.name)?;
            Some((self.registry.by_id(place.resource)?, object))
        })
    }

    fn state_of_owner(&self, dependent: &Stored, reference: &OwnerReference) -> Owner {
        let of_kind = |reference: &OwnerReference| {
            let registry = &self.registry;
            registry.of_kind(&reference.api_version, &reference.kind)
        };
        if of_kind(reference).is_none() {
            return Owner::Solid;
        }
        match self.owner(dependent, reference) {
            None => Owner::Dangling,
            Some((_, owner)) if is_waiting(&owner) => Owner::Waiting,
            Some(_) => Owner::Solid,
        }
    }

    /// The object that a reference of `dependent` means: of that name, in reach, with that uid.
    fn owner(
        &self,
        dependent: &Stored,
        reference: &OwnerReference,
    ) -> Option<(Arc<Resource>, Arc<Stored>)> {
        let resource = self
            .registry
            .of_kind(&reference.api_version, &reference.kind)?;
        let namespace = if resource.namespaced {
            dependent.namespace.as_str()
        } else {
            ""
        };
        let owner = self.find(resource.id, namespace, &reference.name)?;
        (*owner.uid() == *reference.uid).then(|| (Arc::clone(resource), Arc::clone(owner)))
    }
}
