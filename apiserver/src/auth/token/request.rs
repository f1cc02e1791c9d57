//! `TokenRequest`: requests for a token of a service account.

use std::sync::Arc;

use http::StatusCode;
use serde_json::{Value, json};
use uuid::Uuid;

use super::binding::Binding;
use super::issued::{AUDIENCE, Issued};
use super::jwt::Signer;
use crate::api::state::State;
use crate::api::write::{WriteOptions, accepts_content, members_of, metadata_mut};
use crate::document::texts;
use crate::document::{Members, metadata_str};
use crate::registry::Resource;
use crate::registry::part::Part;
use crate::registry::target::Target;
use crate::status::{ApiError, Cause};

const GROUP: &str = "authentication.k8s.io";
const KIND: &str = "TokenRequest";

/// Default lifetime of a token, in seconds.
const HOUR: i64 = 60 * 60;

/// Minimum and maximum lifetime that a request can have, in seconds.
const SHORTEST: i64 = 10 * 60;
const LONGEST: i64 = 1 << 32;

/// Issues a token of the account that `target` names: returns the same document with a status.
///
/// As in the real server, a dry run issues a token as well.
pub(crate) fn request_token(
    signer: &Signer,
    state: &mut State,
    target: &Target,
    document: Value,
    options: WriteOptions<'_>,
) -> Result<Value, ApiError> {
    state.current(target)?;
    let token_target = request_target(state, target)?;
    let mut request = members_of(&token_target, document, options)?;
    // A token request does not create the namespace.
    let dry_options = WriteOptions {
        dry_run: true,
        ..options
    };
    accepts_content(state, &token_target, &target.name, dry_options)?;
    check_names(&token_target, &request)?;
    let account = Arc::clone(state.get(target)?);
    check_uid(&token_target, metadata_str(&request, "uid"), account.uid())?;
    let spec = request.remove("spec").unwrap_or_default();
    let audiences = audiences_of(&spec);
    let seconds = spec.get("expirationSeconds").and_then(Value::as_i64);
    let seconds = seconds.unwrap_or(HOUR);
    check_seconds(&token_target.resource, seconds)?;
    let bound = spec.get("boundObjectRef").filter(|bound| bound.is_object());
    let binding = bound
        .map(|bound| Binding::of(state, target, bound))
        .transpose()?;
    let since = state.clock.seconds();
    let until = since.saturating_add(seconds);
    let metadata = metadata_mut(&mut request)?;
    for (field, value) in [
        ("name", account.name.as_str()),
        ("namespace", &account.namespace),
        ("uid", account.uid()),
        ("creationTimestamp", &state.clock.timestamp()),
    ] {
        metadata.insert(field.to_owned(), value.into());
    }
    let metadata = request.remove("metadata");
    let spec = json!({
        "audiences": audiences,
        "expirationSeconds": seconds,
        "boundObjectRef": bound.map(reference),
    });
    let issued = Issued {
        id: Uuid::new_v4().to_string(),
        namespace: account.namespace.clone(),
        account: account.name.clone(),
        uid: account.uid().to_owned(),
        audiences,
        binding,
        since,
        until,
    };
    let token = signer.sign(&issued.claims()).map_err(|error| {
        ApiError::new(
            StatusCode::INTERNAL_SERVER_ERROR,
            "InternalError",
            error.to_string(),
        )
    })?;
    Ok(json!({
        "kind": KIND,
        "apiVersion": token_target.api_version(),
        "metadata": metadata,
        "spec": spec,
        "status": { "token": token, "expirationTimestamp": crate::clock::format_time(until) },
    }))
}

/// Returns the target of a request for a token, which has a kind of its own.
pub(crate) fn request_target(state: &State, target: &Target) -> Result<Target, ApiError> {
    let reviews = state.registry.get(GROUP, "tokenreviews");
    let reviews = reviews.ok_or_else(ApiError::no_such_resource)?;
    let resource = Resource {
        plural: "tokenrequests".to_owned(),
        singular: KIND.to_lowercase(),
        kind: KIND.to_owned(),
        namespaced: true,
        ..(**reviews).clone()
    };
    Ok(Target {
        resource: Arc::new(resource),
        version: "v1".to_owned(),
        part: Part::Object,
        ..target.clone()
    })
}

/// Checks that a request names its own account, or none.
fn check_names(token_target: &Target, request: &Members) -> Result<(), ApiError> {
    let namespace = metadata_str(request, "namespace");
    if !namespace.is_empty() && namespace != token_target.namespace {
        return Err(ApiError::bad_request(
            "the namespace of the provided object does not match the namespace sent on the request",
        ));
    }
    let name = metadata_str(request, "name");
    if name.is_empty() || name == token_target.name {
        return Ok(());
    }
    let detail = "must match the service account name if specified";
    let cause = Cause::invalid("metadata.name", name, detail);
    Err(ApiError::invalid(
        &token_target.resource,
        &token_target.name,
        &[cause],
    ))
}

fn check_uid(token_target: &Target, uid: &str, known: &str) -> Result<(), ApiError> {
    if uid.is_empty() || uid == known {
        return Ok(());
    }
    let mut named = (*token_target.resource).clone();
    KIND.clone_into(&mut named.plural);
    let reason = format!(
        "the UID in the token request ({uid}) does not match the UID of the service account ({known})"
    );
    Err(ApiError::conflict(&named, &token_target.name, &reason))
}

/// Returns a `boundObjectRef` without its empty members.
fn reference(given: &Value) -> Value {
    let fields = ["kind", "apiVersion", "name", "uid"].into_iter();
    let found = fields.filter_map(|field| Some((field.to_owned(), given.get(field)?.clone())));
    Value::Object(found.filter(|(_, value)| value != "").collect())
}

/// Returns the audiences of a request or a review; by default, this server.
pub(crate) fn audiences_of(spec: &Value) -> Vec<String> {
    let given = texts(spec, "audiences");
    if given.is_empty() {
        vec![AUDIENCE.to_owned()]
    } else {
        given
    }
}

fn check_seconds(resource: &Resource, seconds: i64) -> Result<(), ApiError> {
    let detail = if seconds < SHORTEST {
        "may not specify a duration less than 10 minutes"
    } else if seconds > LONGEST {
        "may not specify a duration larger than 2^32 seconds"
    } else {
        return Ok(());
    };
    let cause = Cause::new(
        "FieldValueInvalid",
        "spec.expirationSeconds".to_owned(),
        format!("Invalid value: {seconds}: {detail}"),
    );
    Err(ApiError::invalid(resource, "", &[cause]))
}
