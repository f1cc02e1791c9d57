//! Responses and their bodies.

use bytes::Bytes;
use http::{Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use crate::status::ApiError;
use crate::watch::Cut;

/// The body of any answer.
pub(crate) type Body = UnsyncBoxBody<Bytes, Cut>;

pub(super) fn json_body(code: StatusCode, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let value = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// A response of one buffer, as JSON.
pub(crate) fn full(code: StatusCode, bytes: Bytes) -> Response<Body> {
    json_body(
        code,
        Full::new(bytes)
            .map_err(|never| match never {})
            .boxed_unsync(),
    )
}

pub(super) fn json_response(code: StatusCode, document: &Value) -> Response<Body> {
    full(code, document.to_string().into())
}

pub(super) fn text(code: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = full(code, Bytes::from_static(text.as_bytes()));
    let value = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// What the real server says where nothing is served.
pub(super) fn page_not_found() -> Response<Body> {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}

/// An error as its `Status` document.
pub(crate) fn status_response(error: &ApiError) -> Response<Body> {
    let mut response = json_response(error.status_code(), &error.to_value());
    if let Some(seconds) = error.retry_after() {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
