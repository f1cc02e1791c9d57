//! Changes of objects, and their announcement to the garbage collector.

use std::sync::Arc;

use super::dependents::{ObjectPlace, Work};
use super::state::ServerState;
use crate::document::Members;
use crate::registry::Resource;
use crate::registry::crd;
use crate::status::ApiError;
use crate::store::{OwnerReference, ResourceId, Stored, Unreachable};

/// Finalizer that makes an owner wait for its blocking dependents.
pub(crate) const FOREGROUND: &str = "foregroundDeletion";

/// Finalizer that makes an owner wait until its dependents no longer reference it.
pub(crate) const ORPHAN: &str = "orphan";

/// Stores `members` as the newest version of an object and appends the event.
pub(crate) fn put(
    state: &mut ServerState,
    resource: &Resource,
    namespace: &str,
    name: &str,
    members: Members,
) -> Arc<Stored> {
    let (stored, previous) = state.store.put(resource.id, namespace, name, members);
    note_change(state, resource.id, previous.as_deref(), Some(&stored));
    stored
}

/// Removes `object` and appends the event. Returns the object of the event: the last content under
/// the revision of the removal.
pub(crate) fn remove(
    state: &mut ServerState,
    resource: &Resource,
    object: &Arc<Stored>,
) -> Arc<Stored> {
    let last = state.store.remove(resource.id, object);
    note_change(state, resource.id, Some(object), None);
    last
}

/// Restores every object to its state at `revision`, and continues counting from there, as after a
/// restore of etcd from a backup.
pub(crate) fn rewind(state: &mut ServerState, revision: u64) -> Result<(), ApiError> {
    let reachable = state.store.log.compacted()..=state.store.revision();
    if reachable.contains(&revision) && definitions_have_changed(state, revision) {
        return Err(ApiError::bad_request(
            "a CustomResourceDefinition has changed since, which cannot be undone",
        ));
    }
    let replaced = match state.store.rewind(revision) {
        Ok(replaced) => replaced,
        Err(Unreachable::Compacted(oldest)) => return Err(ApiError::too_old(revision, oldest)),
        Err(Unreachable::Future) => {
            return Err(ApiError::bad_request("the revision is in the future"));
        }
    };
    for change in replaced {
        state.dependents.replace(
            change.resource,
            change.old.as_deref(),
            change.new.as_deref(),
        );
    }
    Ok(())
}

fn definitions_have_changed(state: &ServerState, since: u64) -> bool {
    let Some(definitions) = state.registry.get(crd::GROUP, crd::PLURAL) else {
        return false;
    };
    let mut changes = state.store.log.after(definitions.id, since);
    changes.next().is_some()
}

/// Tells the collector that `new` has replaced `old`.
pub(crate) fn note_change(
    state: &mut ServerState,
    resource: ResourceId,
    old: Option<&Stored>,
    new: Option<&Stored>,
) {
    let Some(object) = new.or(old) else { return };
    let place = ObjectPlace::of(resource, object);
    state.dependents.reindex(&place, old, new);
    if let Some(old) = old {
        // An owner that waits for its dependents may now have one less to wait for.
        for reference in &old.header.owners {
            if let Some((resource, owner)) = owner(state, object, reference)
                && is_waiting(&owner)
            {
                let waiting = ObjectPlace::of(resource.id, &owner);
                state.dependents.queue.push_back(Work::Examine(waiting));
            }
        }
    }
    match new {
        None => state.dependents.examine_dependents(object.uid()),
        Some(new) if is_waiting(new) => {
            state.dependents.examine_dependents(new.uid());
            state.dependents.queue.push_back(Work::Examine(place));
        }
        Some(new) if new.is_deleting() && new.finalizers().any(|f| f == ORPHAN) => {
            state.dependents.queue.push_back(Work::Orphan(place));
        }
        Some(_) => {}
    }
}

/// Makes the collector check the owners of an object that a client has just written.
pub(crate) fn note_owners(state: &mut ServerState, resource: ResourceId, object: &Stored) {
    if !object.header.owners.is_empty() {
        let place = ObjectPlace::of(resource, object);
        state.dependents.queue.push_back(Work::Examine(place));
    }
}

/// Reports whether the object waits for its dependents.
pub(crate) fn is_waiting(object: &Stored) -> bool {
    object.is_deleting() && object.finalizers().any(|finalizer| finalizer == FOREGROUND)
}

/// Returns the object that a reference of `dependent` denotes. Its namespace, name and uid have to
/// match.
pub(crate) fn owner(
    state: &ServerState,
    dependent: &Stored,
    reference: &OwnerReference,
) -> Option<(Arc<Resource>, Arc<Stored>)> {
    let resource = state
        .registry
        .of_kind(&reference.api_version, &reference.kind)?;
    let namespace = if resource.namespaced {
        dependent.namespace.as_str()
    } else {
        ""
    };
    let owner = state.store.find(resource.id, namespace, &reference.name)?;
    if *owner.uid() != *reference.uid {
        return None;
    }
    Some((Arc::clone(resource), Arc::clone(owner)))
}
