//! Server-side apply.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Map, Value, json};

use super::create::create_missing;
use super::decode::members_of;
use super::options::{Ownership, WriteOptions};
use super::rules::check_identity;
use super::update::update;
use crate::api::state::ServerState;
use crate::document::{is_too_deep, metadata_str, str_of};
use crate::registry::subresource::Subresource;
use crate::registry::target::RequestTarget;
use crate::status::{ApiError, FieldCause};
use crate::store::Stored;
use crate::typed::{self, ApplyFailure, Context, Managers};

/// An apply request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Application<'a> {
    pub(crate) document: &'a Value,
    pub(crate) manager: &'a str,
    /// Subresource of the request.
    pub(crate) subresource: &'static str,
    /// `true` to take over fields of other managers.
    pub(crate) force: bool,
}

/// Applies a document to the object (or the status) that `target` names, and creates a missing
/// object.
pub(crate) fn apply(
    state: &mut ServerState,
    target: &RequestTarget,
    application: Application<'_>,
    options: WriteOptions<'_>,
) -> Result<(StatusCode, Arc<Stored>), ApiError> {
    state.current(target)?;
    let current = state
        .store
        .find(target.resource.id, &target.namespace, &target.name)
        .map(Arc::clone);
    if current.is_none() && target.subresource != Subresource::None {
        return Err(ApiError::not_found(&target.resource, &target.name));
    }

    // A YAML document may be deeper than the JSON parser allows.
    if is_too_deep(application.document) {
        return Err(ApiError::bad_request("the document is nested too deeply"));
    }
    let kind = &target.resource.kind;
    check_applied(kind, &target.api_version(), application.document)?;
    let mut live = match &current {
        Some(current) => target.document_of(current),
        None => json!({ "kind": target.resource.kind, "apiVersion": target.api_version() }),
    };
    let managers = take_managers(&mut live)?;
    let types = target.types().ok_or_else(|| {
        ApiError::unsupported_media_type(format!(
            "server-side apply needs a schema, and {} has none",
            target.resource.kind
        ))
    })?;
    let context = Context {
        types: &types,
        manager: application.manager,
        subresource: application.subresource,
        api_version: &target.api_version(),
        served: &target.served(),
        ignored: &target.ignored(),
        now: &state.clock.timestamp(),
    };
    let outcome = merge_applied(&context, application, &live, managers)?;
    let managers = outcome.managers.encode();
    let decided = WriteOptions {
        // The schema has already rejected unknown fields.
        strict: false,
        ownership: Ownership::Decided(&managers),
        ..options
    };
    let mut document = outcome.document;
    if let (false, Value::Object(members)) = (target.resource.custom, &mut document) {
        types.compact(members);
    }
    if let Some(current) = current {
        let uid = str_of(document.pointer("/metadata/uid"));
        if !uid.is_empty() && uid != current.uid() {
            let cause = FieldCause::invalid("metadata.uid", uid, "field is immutable");
            return Err(ApiError::invalid(&target.resource, &target.name, &[cause]));
        }
        let stored = update(state, target, document, decided)?;
        return Ok((StatusCode::OK, stored));
    }
    let created = create_applied(state, target, document, decided)?;
    Ok((StatusCode::CREATED, created))
}

/// Creates the object that an apply has found missing.
fn create_applied(
    state: &mut ServerState,
    target: &RequestTarget,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Arc<Stored>, ApiError> {
    let members = members_of(target, document.clone(), options)?;
    check_identity(target, &members)?;
    let uid = metadata_str(&members, "uid");
    if !uid.is_empty() {
        let reason = format!(
            "uid mismatch: the provided object specified uid {uid}, and no existing object was found"
        );
        return Err(ApiError::conflict(&target.resource, &target.name, &reason));
    }
    create_missing(state, target, document, options)
}

/// Merges the applied document into `live`, with the real server's error messages.
fn merge_applied(
    context: &Context<'_>,
    application: Application<'_>,
    live: &Value,
    managers: Managers,
) -> Result<typed::ApplyOutcome, ApiError> {
    let document = application.document;
    let broken = |what: &str, document: &Value, reason: &str| {
        let message = format!(
            "failed to create typed {what} object ({}): {reason}",
            named(document)
        );
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
    };
    typed::apply(context, live, document, managers, application.force).map_err(|failure| {
        match failure {
            ApplyFailure::Conflicts(conflicts) => ApiError::apply_conflict(&conflicts),
            ApplyFailure::Applied(reason) => broken("patch", document, &reason),
            ApplyFailure::Live(reason) => broken("live", live, &reason),
        }
    })
}

/// Checks that the document has the target's kind and contains no managed fields.
pub(crate) fn check_applied(
    kind: &str,
    api_version: &str,
    document: &Value,
) -> Result<(), ApiError> {
    let is =
        |field: &str, expected: &str| document.get(field).is_some_and(|found| found == expected);
    if !is("kind", kind) || !is("apiVersion", api_version) {
        return Err(ApiError::bad_request(format!(
            "invalid object type: {}",
            named_kind(document)
        )));
    }
    let managers = document.pointer("/metadata/managedFields");
    if managers.is_some_and(|managers| !managers.is_null()) {
        return Err(ApiError::bad_request("metadata.managedFields must be nil"));
    }
    Ok(())
}

/// Returns a text such as `default/a; apps/v1, Kind=Deployment`.
fn named(document: &Value) -> String {
    let text = |field: &str| str_of(document.get("metadata").and_then(|m| m.get(field)));
    let namespace = text("namespace");
    let name = text("name");
    format!("{namespace}/{name}; {}", named_kind(document))
}

/// Returns a text such as `apps/v1, Kind=Deployment` or `/v1, Kind=Pod`.
fn named_kind(document: &Value) -> String {
    let api_version = str_of(document.get("apiVersion"));
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let kind = str_of(document.get("kind"));
    format!("{group}/{version}, Kind={kind}")
}

fn take_managers(live: &mut Value) -> Result<Managers, ApiError> {
    let metadata = live.get_mut("metadata").and_then(Value::as_object_mut);
    let entries =
        metadata.and_then(|metadata: &mut Map<String, Value>| metadata.remove("managedFields"));
    match entries {
        None => Ok(Managers::default()),
        Some(entries) => Managers::decode(&entries).map_err(|reason| {
            let message = format!("failed to decode managed fields: {reason}");
            ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
        }),
    }
}
