//! Responses and their bodies.

use bytes::Bytes;
use http::{Response, StatusCode, header};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use serde_json::Value;

use crate::http::negotiate::Encoding;
use crate::http::protobuf;
use crate::http::view::View;
use crate::status::ApiError;
use crate::store::Stored;

/// Body of any response.
pub(crate) type AnswerBody = UnsyncBoxBody<Bytes, ConnectionCut>;

/// Error that breaks the connection instead of ending the body.
#[derive(Debug, thiserror::Error)]
#[error("the connection was cut on purpose")]
pub(crate) struct ConnectionCut;

/// Creates a response of this content type.
pub(crate) fn typed_body(
    media_type: &'static str,
    code: StatusCode,
    body: AnswerBody,
) -> Response<AnswerBody> {
    let mut response = Response::new(body);
    *response.status_mut() = code;
    let value = header::HeaderValue::from_static(media_type);
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

fn encoded(encoding: Encoding, code: StatusCode, bytes: Bytes) -> Response<AnswerBody> {
    let body = Full::new(bytes).map_err(|never| match never {});
    typed_body(encoding.media_type(), code, body.boxed_unsync())
}

/// Creates a JSON response from one buffer.
pub(crate) fn full(code: StatusCode, bytes: Bytes) -> Response<AnswerBody> {
    encoded(Encoding::Json, code, bytes)
}

/// Creates a response with an object as `view` shows it.
pub(crate) fn object(code: StatusCode, object: &Stored, view: &View) -> Response<AnswerBody> {
    encoded(view.encoding(), code, view.bytes_of(object))
}

/// Creates a response with a document of a kind of the API; in JSON if the kind has no protobuf
/// encoding.
pub(crate) fn document(
    code: StatusCode,
    value: &Value,
    requested: Encoding,
) -> Response<AnswerBody> {
    if requested == Encoding::Protobuf
        && let Some(bytes) = protobuf::document(value)
    {
        return encoded(Encoding::Protobuf, code, bytes);
    }
    json_response(code, value)
}

pub(crate) fn json_response(code: StatusCode, document: &Value) -> Response<AnswerBody> {
    full(code, document.to_string().into())
}

pub(crate) fn text(code: StatusCode, text: &'static str) -> Response<AnswerBody> {
    let mut response = full(code, Bytes::from_static(text.as_bytes()));
    let value = header::HeaderValue::from_static("text/plain; charset=utf-8");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}

/// Creates the real server's response for an unknown path.
pub(crate) fn page_not_found() -> Response<AnswerBody> {
    text(StatusCode::NOT_FOUND, "404 page not found\n")
}

/// Creates the response of an error, with its `Status` document.
pub(crate) fn status_response(error: &ApiError, encoding: Encoding) -> Response<AnswerBody> {
    let mut response = document(error.status_code(), &error.to_value(), encoding);
    if let Some(seconds) = error.retry_after() {
        response
            .headers_mut()
            .insert(header::RETRY_AFTER, seconds.into());
    }
    response
}
