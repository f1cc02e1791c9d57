//! The garbage collector: deletes dependents and maintains `ownerReferences` when an owner is
//! deleted.
//!
//! The real collector is a controller beside the API server, so it acts a moment later. This
//! collector works off its queue at the end of each request, under the same lock: a DELETE is
//! answered after all its consequences have happened, in the same order in each run. Tests that
//! need the moment in between [hold](crate::Control::hold_garbage_collection) the collector.
//!
//! ```text
//! put, remove --note--> Dependents { by_owner, queue } --settle--> put, delete, ..
//! ```
//!
//! # Invariants
//!
//! 1. `by_owner` has an entry for each pair of a stored object and a uid of its owner references,
//!    and no other entry.
//! 2. Only a change queues work, and work that changes nothing queues nothing. The queue therefore
//!    becomes empty.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Map, Value};

use super::change::{FOREGROUND, ORPHAN, is_waiting, owner, put};
use super::dependents::Work;
use super::namespace::finish_namespace;
use super::state::ServerState;
use super::write::{Propagation, WriteOptions, delete_by_rule, erase, metadata_mut};
use crate::document::Members;
use crate::registry::Resource;
use crate::store::{OwnerReference, Stored};

/// State of the owner in a reference.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OwnerState {
    /// The owner exists, or its kind is unknown; an unknown kind is no reason to delete the
    /// dependent.
    Solid,
    /// The owner exists and waits for the deletion of its dependents.
    Waiting,
    /// The owner does not exist.
    Dangling,
}

fn blocks(object: &Stored, owner_uid: &str) -> bool {
    object
        .header
        .owners
        .iter()
        .any(|owner| *owner.uid == *owner_uid && owner.blocks)
}

/// Applies `change` to each reference and removes those for which it returns `false`.
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

/// Works off the queue, unless the collector is held.
pub(crate) fn settle(state: &mut ServerState) {
    while !state.dependents.held && collect_one(state) {}
}

/// Processes one entry of the queue. Returns `false` if the queue is empty.
pub(crate) fn collect_one(state: &mut ServerState) -> bool {
    let Some(work) = state.dependents.queue.pop_front() else {
        return false;
    };
    let (Work::Examine(place) | Work::Orphan(place)) = &work;
    let resource = state.registry.by_id(place.resource).map(Arc::clone);
    let object = state
        .store
        .find(place.resource, &place.namespace, &place.name)
        .map(Arc::clone);
    if let (Some(resource), Some(object)) = (resource, object) {
        match work {
            Work::Examine(_) => examine(state, &resource, &object),
            Work::Orphan(_) => orphan(state, &resource, &object),
        }
    }
    true
}

fn examine(state: &mut ServerState, resource: &Arc<Resource>, object: &Arc<Stored>) {
    if is_waiting(object) {
        let uid = object.uid();
        let blocked = dependents_of(state, uid).any(|(_, dependent)| blocks(dependent, uid));
        if !blocked {
            drop_finalizer(state, resource, object, FOREGROUND);
        }
        return;
    }
    let references = &object.header.owners;
    if object.is_deleting() || references.is_empty() {
        return;
    }
    let owners: Vec<OwnerState> = references
        .iter()
        .map(|reference| state_of_owner(state, object, reference))
        .collect();
    if !owners.contains(&OwnerState::Solid) {
        let waited_for = owners.contains(&OwnerState::Waiting);
        collect(state, resource, object, waited_for);
        return;
    }
    let gone: BTreeSet<&str> = references
        .iter()
        .zip(&owners)
        .filter(|(_, owner)| **owner != OwnerState::Solid)
        .map(|(reference, _)| &*reference.uid)
        .collect();
    if !gone.is_empty() {
        let mut members = object.members();
        edit_references(&mut members, |reference| {
            let uid = reference.get("uid").and_then(Value::as_str);
            !uid.is_some_and(|uid| gone.contains(uid))
        });
        rewrite(state, resource, object, members);
    }
}

/// Deletes an object without a remaining owner. `waited_for` is `true` if an owner waits for the
/// object; the object then waits for its own dependents.
fn collect(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: &Arc<Stored>,
    waited_for: bool,
) {
    let uid = object.uid();
    let mut current = Arc::clone(object);
    let mut propagation = None;
    if waited_for && dependents_of(state, uid).next().is_some() {
        // A cycle of owners would otherwise wait forever.
        if dependents_of(state, uid).any(|(_, dependent)| is_waiting(dependent)) {
            let mut members = object.members();
            edit_references(&mut members, |reference| {
                reference.remove("blockOwnerDeletion");
                true
            });
            if let Some(next) = rewrite(state, resource, object, members) {
                current = next;
            }
        }
        propagation = Some(Propagation::Foreground);
    } else if !object.finalizers().any(|f| f == ORPHAN || f == FOREGROUND) {
        propagation = Some(Propagation::Background);
    }
    let deleted = delete_by_rule(
        state,
        resource,
        current,
        propagation,
        WriteOptions::default(),
    );
    if let Err(error) = deleted {
        tracing::debug!(%error, "the garbage collector cannot delete an object");
    }
}

/// Removes the references to the owner from its dependents, then releases the owner.
fn orphan(state: &mut ServerState, resource: &Arc<Resource>, owner: &Arc<Stored>) {
    let uid = owner.uid();
    let dependents: Vec<_> = dependents_of(state, uid)
        .map(|(resource, object)| (Arc::clone(resource), Arc::clone(object)))
        .collect();
    for (resource, dependent) in dependents {
        let mut members = dependent.members();
        edit_references(&mut members, |reference| {
            reference.get("uid").and_then(Value::as_str) != Some(uid)
        });
        rewrite(state, &resource, &dependent, members);
    }
    drop_finalizer(state, resource, owner, ORPHAN);
}

/// Stores `members`, unless they equal the stored ones.
fn rewrite(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: &Stored,
    members: Members,
) -> Option<Arc<Stored>> {
    (members != object.members())
        .then(|| put(state, resource, &object.namespace, &object.name, members))
}

fn drop_finalizer(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: &Arc<Stored>,
    name: &str,
) {
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
            erase(state, resource, object, WriteOptions::default());
            return;
        }
    }
    rewrite(state, resource, object, members);
    if resource.is("", "namespaces") {
        finish_namespace(state, &object.name);
    }
}

fn dependents_of<'a>(
    state: &'a ServerState,
    uid: &str,
) -> impl Iterator<Item = (&'a Arc<Resource>, &'a Arc<Stored>)> {
    state
        .dependents
        .by_owner
        .get(uid)
        .into_iter()
        .flatten()
        .filter_map(|place| {
            let object = state
                .store
                .find(place.resource, &place.namespace, &place.name)?;
            Some((state.registry.by_id(place.resource)?, object))
        })
}

fn state_of_owner(
    state: &ServerState,
    dependent: &Stored,
    reference: &OwnerReference,
) -> OwnerState {
    let kind = state
        .registry
        .of_kind(&reference.api_version, &reference.kind);
    if kind.is_none() {
        return OwnerState::Solid;
    }
    match owner(state, dependent, reference) {
        None => OwnerState::Dangling,
        Some((_, owner)) if is_waiting(&owner) => OwnerState::Waiting,
        Some(_) => OwnerState::Solid,
    }
}
