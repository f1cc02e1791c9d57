//! Requests that are answered and not stored: reviews, evictions, bindings, and requests for
//! tokens.

use http::{Response, StatusCode};
use serde_json::{Value, json};

use super::call::Call;
use super::call::json_document;
use super::fields::object_of;
use super::options::write_options;
use crate::api::binding::bind as bind_pod;
use crate::api::eviction::{Eviction, evict as evict_pod};
use crate::api::write::WriteOptions;
use crate::auth::reviews;
use crate::auth::reviews::Reviewer;
use crate::auth::token::{request_target, request_token};
use crate::http::negotiate::{Encoding, form};
use crate::http::response::{Body, document};
use crate::registry::target::Target;
use crate::shared::Shared;
use crate::status::ApiError;

/// Returns the encoding of the response, the decoded document and the options of the write.
fn parse_question<'a>(
    shared: &Shared,
    target: &Target,
    call: &'a Call,
) -> Result<(Encoding, Value, WriteOptions<'a>), ApiError> {
    let (_, encoding) = form(&call.headers, true)?;
    let question = json_document(call)?;
    let options = write_options(shared, target, call, "CreateOptions")?;
    Ok((encoding, question, options))
}

/// Answers a review of permissions or identities.
pub(super) fn review(
    shared: &Shared,
    target: &Target,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let (encoding, question, options) = parse_question(shared, target, call)?;
    let forbidden = shared.switches().forbidden.clone();
    let state = shared.state();
    let reviewer = Reviewer {
        state: &state,
        signer: &shared.signer,
        forbidden: &forbidden,
        access: shared.access.as_ref(),
        user: &call.user,
    };
    let answer = reviews::answer(&reviewer, target, question, options)?;
    drop(state);
    Ok(document(StatusCode::CREATED, &answer, encoding))
}

/// Evicts a Pod.
pub(super) fn evict(
    shared: &Shared,
    target: &Target,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let (encoding, question, options) = parse_question(shared, target, call)?;
    let eviction = Eviction::of(target, &question, &call.query, options.dry_run)?;
    shared.change(|state| evict_pod(state, target, &eviction))?;
    Ok(success(encoding))
}

/// Assigns a Pod to a node.
pub(super) fn bind(
    shared: &Shared,
    target: &Target,
    call: &Call,
) -> Result<Response<Body>, ApiError> {
    let (encoding, question, options) = parse_question(shared, target, call)?;
    shared.change(|state| bind_pod(state, target, &question, options))?;
    Ok(success(encoding))
}

/// Returns the response of a successful action without an object.
fn success(encoding: Encoding) -> Response<Body> {
    let code = StatusCode::CREATED.as_u16();
    let status = json!({
        "kind": "Status",
        "apiVersion": "v1",
        "metadata": {},
        "status": "Success",
        "code": code,
    });
    document(StatusCode::CREATED, &status, encoding)
}

/// Issues a token of a service account.
pub(super) fn token(
    shared: &Shared,
    target: &Target,
    call: &Call,
    warnings: &mut Vec<String>,
) -> Result<Response<Body>, ApiError> {
    let (_, encoding) = form(&call.headers, true)?;
    #[cfg(feature = "openapi")]
    crate::registry::models::unpack();
    let token_target = request_target(&shared.state(), target)?;
    let request = object_of(&token_target, call, warnings)?;
    let options = write_options(shared, target, call, "CreateOptions")?;
    let answer =
        shared.change(|state| request_token(&shared.signer, state, target, request, options))?;
    Ok(document(StatusCode::CREATED, &answer, encoding))
}
