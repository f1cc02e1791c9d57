//! Updates of objects and of their status.

use std::sync::Arc;

use serde_json::Value;

use super::commit::{commit, erase};
use super::create::create_missing;
use super::decode::{members_of, metadata_mut};
use super::options::WriteOptions;
use super::owners::{clears_managers, own_updated};
use super::rules::{check, check_identity, check_number, name_label, new_finalizers};
use crate::api::namespace::finish_namespace;
use crate::api::state::ServerState;
use crate::document::{Members, finalizers, metadata, metadata_str};
use crate::registry::events::to_stored;
use crate::registry::subresource::Subresource;
use crate::registry::target::RequestTarget;
use crate::registry::{Generation, KeptByStatus, crd};
use crate::status::{ApiError, FieldCause};
use crate::store::{Stored, storage_key};

/// Metadata that the server sets and clients cannot change.
const SERVER_OWNED: [&str; 7] = [
    "namespace",
    "uid",
    "resourceVersion",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "generation",
];

/// A decoded document that replaces an object.
#[derive(Debug)]
pub(crate) struct Given {
    pub(crate) members: Members,
    /// `true` if the document clears the managed fields.
    resets: bool,
}

// === impl Given ===

impl Given {
    pub(crate) fn decode(
        target: &RequestTarget,
        document: Value,
        options: WriteOptions<'_>,
    ) -> Result<Self, ApiError> {
        Ok(Self {
            resets: clears_managers(&document),
            members: members_of(target, document, options)?,
        })
    }
}

/// Decodes `document` and [replaces](replace) the object by it.
pub(crate) fn update(
    state: &mut ServerState,
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    state.current(target)?;
    let given = Given::decode(target, document, options)?;
    replace(state, target, given, options)
}

/// Replaces the object (or the status) that `target` names.
///
/// Keeps the members that belong to the other endpoint. A document without a difference causes no
/// change.
pub(crate) fn replace(
    state: &mut ServerState,
    target: &RequestTarget,
    given: Given,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    state.current(target)?;
    let resource = &target.resource;
    let Given {
        members: mut given,
        resets: reset,
    } = given;
    target.complete(&mut given, options.ownership.is_applied());
    check_identity(target, &given)?;
    let current = Arc::clone(state.get(target)?);
    check_version(target, &given, &current)?;
    let known = target.members_of(&current);
    check_immutable(target, &given, &known)?;
    let mut next = merge(target, given, &known, options)?;
    own_updated(
        state.clock,
        target,
        &known,
        &mut next,
        options.ownership,
        reset,
    )?;
    if next == known {
        return Ok(current);
    }
    check(target, &target.name, &next, Some(&known))?;
    target.check_schema(&target.name, &next)?;
    if resource.is(crd::GROUP, crd::PLURAL) {
        crd::validate(resource, &target.name, &next)?;
    }
    if current.is_deleting() {
        let new = new_finalizers(&known, &next);
        if !new.is_empty() {
            let quoted: Vec<String> = new.iter().map(|name| format!("{name:?}")).collect();
            let detail = format!(
                "no new finalizers can be added if the object is being deleted, found new finalizers []string{{{}}}",
                quoted.join(", ")
            );
            let cause = FieldCause::forbidden("metadata.finalizers", &detail);
            return Err(ApiError::invalid(resource, &target.name, &[cause]));
        }
        // A namespace is removed when it is empty, any other object when its last finalizer is
        // removed.
        if finalizers(&next).next().is_none() && !resource.is("", "namespaces") {
            erase(state, resource, &current, options);
            // As in the real server, the response has the version before the removal.
            to_stored(&resource.group, &mut next);
            return Ok(Arc::new(Stored::new(
                &current.namespace,
                &current.name,
                current.revision,
                next,
            )));
        }
    }
    let stored = commit(
        state,
        resource,
        &target.namespace,
        &target.name,
        next,
        options,
    );
    if resource.is("", "namespaces") && !options.dry_run {
        finish_namespace(state, &target.name);
    }
    Ok(stored)
}

/// Creates the missing object of an update, for a kind that allows this.
pub(crate) fn create_by_update(
    state: &mut ServerState,
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    state.current(target)?;
    let given = members_of(target, document.clone(), options)?;
    check_identity(target, &given)?;
    // The real server's message for a dry run omits the root of the storage key, as for other
    // updates.
    let root = if options.dry_run { "" } else { "/registry" };
    check_uid(target, &given, root, "")?;
    create_missing(state, target, document, options)
}

fn check_version(
    target: &RequestTarget,
    given: &Members,
    current: &Stored,
) -> Result<(), ApiError> {
    let resource = &target.resource;
    let version = metadata_str(given, "resourceVersion");
    check_number(version)?;
    check_uid(target, given, "", current.uid())?;
    // In an update, "0" means no version.
    match version {
        "" | "0" if resource.rules.put_needs_version => {
            Err(ApiError::version_required(resource, &target.name))
        }
        "" | "0" => Ok(()),
        version if version == current.revision.to_string() => Ok(()),
        _ => Err(ApiError::modified(resource, &target.name)),
    }
}

/// Checks the uid of a document, if it has one. `root` is the prefix of the storage key in the
/// error message.
fn check_uid(
    target: &RequestTarget,
    given: &Members,
    root: &str,
    known: &str,
) -> Result<(), ApiError> {
    let resource = &target.resource;
    let uid = metadata_str(given, "uid");
    if uid.is_empty() || uid == known {
        return Ok(());
    }
    let prefix = resource.storage_prefix();
    let key = storage_key(&target.namespace, &target.name);
    let message = format!(
        "StorageError: invalid object, Code: 4, Key: {root}/{prefix}/{key}, ResourceVersion: 0, \
         AdditionalErrorMsg: Precondition failed: UID in precondition: {uid}, UID in object meta: \
         {known}"
    );
    Err(ApiError::conflict(resource, &target.name, &message))
}

/// Rejects a change of the deletion time.
fn check_immutable(
    target: &RequestTarget,
    given: &Members,
    current: &Members,
) -> Result<(), ApiError> {
    const FIELD: &str = "deletionTimestamp";
    let requested = metadata_str(given, FIELD);
    if requested.is_empty() || requested == metadata_str(current, FIELD) {
        return Ok(());
    }
    let cause = FieldCause::invalid(
        "metadata.deletionTimestamp",
        requested,
        "field is immutable",
    );
    Err(ApiError::invalid(&target.resource, &target.name, &[cause]))
}

/// Returns the next version: `given`, with the immutable members of `current`.
fn merge(
    target: &RequestTarget,
    given: Members,
    current: &Members,
    options: WriteOptions<'_>,
) -> Result<Members, ApiError> {
    if target.subresource == Subresource::Status {
        return merge_status(target, &given, current);
    }
    let mut next = given;
    if target.has_status() && !options.with_status {
        keep(&["status"], current, &mut next);
    }
    keep_metadata(&SERVER_OWNED, current, &mut next)?;
    if target.resource.is("", "namespaces") {
        // The finalizers of a namespace have their own endpoint.
        if let Some(spec) = current.get("spec") {
            next.insert("spec".to_owned(), spec.clone());
        }
        name_label(&target.name, &mut next)?;
    }
    if is_counted(target.resource.rules.generation, &next, current) {
        let fields = metadata_mut(&mut next)?;
        let known = fields.get("generation").and_then(Value::as_u64);
        let generation = known.unwrap_or_default() + 1;
        fields.insert("generation".to_owned(), generation.into());
    }
    Ok(next)
}

/// Returns the next version for a document that was sent to the endpoint of the status.
fn merge_status(
    target: &RequestTarget,
    given: &Members,
    current: &Members,
) -> Result<Members, ApiError> {
    let mut next = current.clone();
    keep(&["status"], given, &mut next);
    let kept = match target.resource.rules.kept_by_status {
        KeptByStatus::Metadata => return Ok(next),
        KeptByStatus::Nothing => None,
        KeptByStatus::Field(field) => Some(field),
    };
    keep(&["metadata"], given, &mut next);
    keep_metadata(&SERVER_OWNED, current, &mut next)?;
    keep_metadata(kept.as_slice(), current, &mut next)?;
    if target.resource.is("", "namespaces") {
        name_label(&target.name, &mut next)?;
    }
    Ok(next)
}

/// Replaces these members of `next` by those of `known`.
fn keep(names: &[&str], known: &Members, next: &mut Members) {
    for name in names {
        match known.get(*name) {
            Some(value) => next.insert((*name).to_owned(), value.clone()),
            None => next.remove(*name),
        };
    }
}

/// Replaces these members in the metadata of `next` by those of `known`.
fn keep_metadata(names: &[&str], known: &Members, next: &mut Members) -> Result<(), ApiError> {
    let none = Members::new();
    let fields = metadata(known).unwrap_or(&none);
    keep(names, fields, metadata_mut(next)?);
    Ok(())
}

/// Reports whether an update raises the generation.
fn is_counted(generation: Generation, next: &Members, current: &Members) -> bool {
    match generation {
        Generation::Given | Generation::One => false,
        Generation::Counted | Generation::Late => content_differs(next, current),
        Generation::CountedWith(field) => {
            content_differs(next, current) || metadata_differs(next, current, field)
        }
    }
}

fn metadata_differs(a: &Members, b: &Members, field: &str) -> bool {
    let of = |members| metadata(members).and_then(|fields: &Members| fields.get(field).cloned());
    of(a) != of(b)
}

/// Reports whether any member other than metadata and status differs.
fn content_differs(a: &Members, b: &Members) -> bool {
    !content(a).eq(content(b))
}

fn content(members: &Members) -> impl Iterator<Item = (&String, &Value)> {
    members
        .iter()
        .filter(|(name, _)| *name != "metadata" && *name != "status")
}
