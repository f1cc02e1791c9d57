//! Server-side apply.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};

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
    if !target.resource.custom
        && let Value::Object(members) = &mut document
    {
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
    let outcome = typed::apply(context, live, document, managers, application.force);
    outcome.map_err(|failure| match failure {
        ApplyFailure::Conflicts(conflicts) => ApiError::apply_conflict(&conflicts),
        ApplyFailure::Applied(reason) => broken("patch", document, &reason),
        ApplyFailure::Live(reason) => broken("live", live, &reason),
    })
}

/// Error of a document that violates the schema.
fn broken(what: &str, document: &Value, reason: &str) -> ApiError {
    let object = named(document);
    let message = format!("failed to create typed {what} object ({object}): {reason}");
    ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
}

/// Checks that the document has the target's kind and contains no managed fields.
pub(crate) fn check_applied(
    kind: &str,
    api_version: &str,
    document: &Value,
) -> Result<(), ApiError> {
    let is_of_kind = str_of(document.get("kind")) == kind;
    if !is_of_kind || str_of(document.get("apiVersion")) != api_version {
        let found = named_kind(document);
        return Err(ApiError::bad_request(format!(
            "invalid object type: {found}"
        )));
    }
    match document.pointer("/metadata/managedFields") {
        None | Some(Value::Null) => Ok(()),
        Some(_) => Err(ApiError::bad_request("metadata.managedFields must be nil")),
    }
}

/// Returns a text such as `default/a; apps/v1, Kind=Deployment`.
fn named(document: &Value) -> String {
    let namespace = str_of(document.pointer("/metadata/namespace"));
    let name = str_of(document.pointer("/metadata/name"));
    let kind = named_kind(document);
    format!("{namespace}/{name}; {kind}")
}

/// Returns a text such as `apps/v1, Kind=Deployment` or `/v1, Kind=Pod`.
fn named_kind(document: &Value) -> String {
    let api_version = str_of(document.get("apiVersion"));
    let (group, version) = api_version.rsplit_once('/').unwrap_or(("", api_version));
    let kind = str_of(document.get("kind"));
    format!("{group}/{version}, Kind={kind}")
}

fn take_managers(live: &mut Value) -> Result<Managers, ApiError> {
    let Some(Value::Object(metadata)) = live.get_mut("metadata") else {
        return Ok(Managers::default());
    };
    let Some(entries) = metadata.remove("managedFields") else {
        return Ok(Managers::default());
    };
    Managers::decode(&entries).map_err(|reason| {
        let message = format!("failed to decode managed fields: {reason}");
        ApiError::new(StatusCode::INTERNAL_SERVER_ERROR, "", message)
    })
}
