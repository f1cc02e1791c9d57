//! Deletion of objects, collections and namespaces.

mod options;

use std::sync::Arc;

use serde_json::{Value, json};

pub(crate) use self::options::{DeleteOptions, Propagation};
use super::commit::{commit, erase};
use super::decode::metadata_mut;
use super::options::WriteOptions;
use crate::api::list::{ListRequest, Page, list};
use crate::api::namespace::{finish_namespace, in_namespace};
use crate::api::selector::Selector;
use crate::api::state::ServerState;
use crate::registry::Resource;
use crate::registry::target::RequestTarget;
use crate::status::ApiError;
use crate::store::Stored;

/// Namespaces that the real server does not delete.
const IMMORTAL: [&str; 3] = ["default", "kube-public", "kube-system"];

/// Outcome of a delete.
#[derive(Debug)]
pub(crate) enum Deleted {
    /// The object is gone; its last content.
    Gone(Arc<Stored>),
    /// The object waits for its finalizers.
    Pending(Arc<Stored>),
}

/// Deletes the object that `target` names, or marks it if it has finalizers.
pub(crate) fn delete(
    state: &mut ServerState,
    target: &RequestTarget,
    options: &DeleteOptions,
) -> Result<Deleted, ApiError> {
    state.current(target)?;
    let resource = &target.resource;
    let object = Arc::clone(state.get(target)?);
    options.check(resource, &object)?;
    let deleted = delete_by_rule(state, resource, object, options.propagation, options.write)?;
    Ok(deleted)
}

/// Deletes `object` by the rules of its kind.
pub(crate) fn delete_by_rule(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: Arc<Stored>,
    propagation: Option<Propagation>,
    options: WriteOptions<'_>,
) -> Result<Deleted, ApiError> {
    if resource.is("", "namespaces") {
        return delete_namespace(state, resource, object, options);
    }
    delete_object(state, resource, object, propagation, options)
}

/// Deletes the objects of the collection `target` that match `selector`.
pub(crate) fn delete_collection(
    state: &mut ServerState,
    target: &RequestTarget,
    selector: Selector,
    options: &DeleteOptions,
) -> Result<Page, ApiError> {
    let mut page = list(state, target, &ListRequest::all(selector))?;
    let mut deleted = Vec::with_capacity(page.items.len());
    for object in page.items {
        let object_target = target.at(&object.namespace, &object.name);
        match delete(state, &object_target, options) {
            Ok(_) => deleted.push(object),
            // The deletion of an earlier object has removed this one.
            Err(error) if error.code() == 404 => {}
            Err(error) => return Err(error),
        }
    }
    page.items = deleted;
    page.revision = state.store.revision();
    Ok(page)
}

fn delete_object(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    object: Arc<Stored>,
    propagation: Option<Propagation>,
    options: WriteOptions<'_>,
) -> Result<Deleted, ApiError> {
    let before: Vec<String> = object.finalizers().map(str::to_owned).collect();
    let finalizers = match propagation.or_else(|| Propagation::default_of(resource)) {
        Some(policy) => policy.finalizers(&object),
        None => before.clone(),
    };
    if finalizers.is_empty() {
        return Ok(Deleted::Gone(erase(state, resource, &object, options)));
    }
    if object.is_deleting() && finalizers == before {
        return Ok(Deleted::Pending(object));
    }
    let mut members = object.members();
    let metadata = metadata_mut(&mut members)?;
    metadata.insert("finalizers".to_owned(), finalizers.into());
    if !object.is_deleting() {
        metadata.insert(
            "deletionTimestamp".to_owned(),
            state.clock.timestamp().into(),
        );
        metadata.insert("deletionGracePeriodSeconds".to_owned(), 0.into());
        if let Some(generation) = metadata.get("generation").and_then(Value::as_u64) {
            metadata.insert("generation".to_owned(), json!(generation + 1));
        }
    }
    let marked = commit(
        state,
        resource,
        &object.namespace,
        &object.name,
        members,
        options,
    );
    Ok(Deleted::Pending(marked))
}

/// Marks a namespace as terminating, deletes its contents, and removes it when it is empty.
fn delete_namespace(
    state: &mut ServerState,
    resource: &Arc<Resource>,
    namespace: Arc<Stored>,
    options: WriteOptions<'_>,
) -> Result<Deleted, ApiError> {
    let name = namespace.name.clone();
    if IMMORTAL.contains(&name.as_str()) {
        let message = "this namespace may not be deleted";
        return Err(ApiError::forbidden(resource, &name, message));
    }
    if namespace.is_deleting() || options.dry_run {
        return Ok(Deleted::Pending(namespace));
    }
    let mut members = namespace.members();
    let metadata = metadata_mut(&mut members)?;
    metadata.insert(
        "deletionTimestamp".to_owned(),
        state.clock.timestamp().into(),
    );
    members.insert("status".to_owned(), json!({ "phase": "Terminating" }));
    let marked = commit(state, resource, "", &name, members, options);
    let namespaced: Vec<_> = state
        .registry
        .iter()
        .filter(|resource| resource.namespaced)
        .map(Arc::clone)
        .collect();
    for content in namespaced {
        for object in in_namespace(state, &content, &name) {
            delete_object(
                state,
                &content,
                object,
                Some(Propagation::Background),
                options,
            )?;
        }
    }
    finish_namespace(state, &name);
    Ok(Deleted::Pending(marked))
}
