//! Managed fields of a written object: `metadata.managedFields`.
//!
//! The server keeps managed fields of an object once a client applies it, creates it with an
//! explicit `fieldManager`, or sends managers in the document. With
//! [`Builder::managed_fields`](crate::Builder::managed_fields), it keeps them from the creation on,
//! as the real server does.

use serde_json::{Value, json};

use super::decode::metadata_mut;
use super::options::{Manager, Ownership};
use crate::clock::Clock;
use crate::document::{Members, is_too_deep, list_of, metadata};
use crate::registry::target::RequestTarget;
use crate::status::ApiError;
use crate::typed::{self, Context, Managers};

const FIELD: &str = "managedFields";

/// Reports whether a document clears its managers: by an empty list, or by one empty entry.
pub(super) fn clears_managers(document: &Value) -> bool {
    let entries = document.pointer("/metadata/managedFields");
    match entries.and_then(Value::as_array).map(Vec::as_slice) {
        Some([]) => true,
        Some([one]) => *one == json!({}),
        _ => false,
    }
}

fn set_managers(members: &mut Members, managers: Option<Value>) -> Result<(), ApiError> {
    let metadata = metadata_mut(members)?;
    match managers {
        Some(entries) if !list_of(Some(&entries)).is_empty() => {
            // Managed fields are deeper than the object that they describe.
            if is_too_deep(&entries) {
                return Err(ApiError::bad_request("the object is nested too deeply"));
            }
            metadata.insert(FIELD.to_owned(), entries);
        }
        _ => {
            metadata.remove(FIELD);
        }
    }
    Ok(())
}

/// Sets the managers of a new object.
pub(super) fn own_created(
    clock: Clock,
    target: &RequestTarget,
    members: &mut Members,
    ownership: Ownership<'_>,
) -> Result<(), ApiError> {
    match ownership {
        Ownership::Given => Ok(()),
        Ownership::Decided(managers) => set_managers(members, Some(managers.clone())),
        Ownership::Recorded(manager) => record(clock, target, None, members, manager, false),
    }
}

/// Sets the managers of an object that replaces `known`. With `reset`, it has none.
pub(super) fn own_updated(
    clock: Clock,
    target: &RequestTarget,
    known: &Members,
    next: &mut Members,
    ownership: Ownership<'_>,
    reset: bool,
) -> Result<(), ApiError> {
    match ownership {
        Ownership::Given => Ok(()),
        Ownership::Decided(managers) => {
            set_managers(next, Some(managers.clone()))?;
            keep_times(known, next)
        }
        Ownership::Recorded(manager) => {
            let clears = reset && manager.subresource.is_empty();
            record(clock, target, Some(known), next, manager, clears)
        }
    }
}

fn managers_of(members: &Members) -> Option<&Value> {
    metadata(members)?.get(FIELD)
}

/// Records the changes in `next`; without `known`, the object is new.
fn record(
    clock: Clock,
    target: &RequestTarget,
    known: Option<&Members>,
    next: &mut Members,
    manager: Manager<'_>,
    reset: bool,
) -> Result<(), ApiError> {
    let live = known.and_then(managers_of);
    let decode = |entries: &Value| Managers::decode(entries).ok();
    let next_managers = managers_of(next);
    // A subresource's document cannot change the managers.
    let changed = next_managers.filter(|_| manager.subresource.is_empty() && next_managers != live);
    let sent = changed.and_then(decode).filter(|found| !found.is_empty());
    let managers = match sent {
        _ if reset => None,
        None => live.and_then(decode),
        sent => sent,
    };
    let is_managed = managers
        .as_ref()
        .is_some_and(|managers| !managers.is_empty());
    let follows = is_managed || (known.is_none() && manager.follows);
    let types = follows.then(|| target.types()).flatten();
    let Some(types) = types else {
        return set_managers(next, None);
    };
    set_managers(next, None)?;
    if !target.resource.custom {
        types.compact(next);
    }
    let served = target.served();
    let ignored = target.ignored();
    let api_version = target.api_version();
    let now = clock.timestamp();
    let context = Context {
        types: &types,
        manager: manager.name,
        subresource: manager.subresource,
        api_version: &api_version,
        served: &served,
        ignored: &ignored,
        now: &now,
    };
    let nothing = Members::new();
    let recorded = typed::record(
        &context,
        known.unwrap_or(&nothing),
        next,
        managers.unwrap_or_default(),
    );
    set_managers(next, Some(recorded.encode()))
}

/// A change of times only is no change.
fn keep_times(known: &Members, next: &mut Members) -> Result<(), ApiError> {
    let (Some(then), Some(now)) = (managers_of(known), managers_of(next)) else {
        return Ok(());
    };
    if then == now || !typed::same_but_for_times(then, now) {
        return Ok(());
    }
    let content = |members: &Members| {
        let mut content = members.clone();
        set_managers(&mut content, None).map(|()| content)
    };
    if content(known)? == content(next)? {
        set_managers(next, Some(then.clone()))?;
    }
    Ok(())
}
