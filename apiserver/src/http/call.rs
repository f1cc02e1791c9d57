//! A request and its decoded body.

use bytes::Bytes;
use http::{HeaderMap, header};
use serde_json::Value;

use crate::api::query::Query;
use crate::auth::User;
use crate::status::ApiError;

/// A request in parts.
pub(super) struct HttpCall {
    pub(super) user: User,
    pub(super) headers: HeaderMap,
    pub(super) query: Query,
    pub(super) body: Bytes,
}

/// Returns the media type of the body, without parameters; empty if the header is missing.
pub(super) fn media_type(headers: &HeaderMap) -> &str {
    headers
        .get(header::CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split(';').next())
        .unwrap_or_default()
        .trim()
}

pub(super) fn json_document(call: &HttpCall) -> Result<Value, ApiError> {
    check_json(call)?;
    serde_json::from_slice(&call.body).map_err(|error| {
        ApiError::bad_request(format!("the object provided is unrecognized: {error}"))
    })
}

pub(super) fn check_json(call: &HttpCall) -> Result<(), ApiError> {
    if !matches!(media_type(&call.headers), "" | "application/json") {
        return Err(ApiError::unsupported_media_type(
            "the body of the request was in an unknown format - accepted media types include: \
             application/json, application/vnd.kubernetes.protobuf",
        ));
    }
    Ok(())
}
