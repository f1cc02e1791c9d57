//! Answers of `/openapi`.

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt, Full};
use ring::digest::{SHA512, digest};

use crate::http::negotiate::{self, Encoding, OPEN_API_PROTOBUF};
use crate::http::response::{Body, empty, full, json_response, page_not_found, typed_body};
use crate::registry::openapi;
use crate::shared::Shared;

/// Answers with a document of version 3, or with the index of all of them.
pub(super) fn version_3(shared: &Shared, path: &str) -> Response<Body> {
    let resources: Vec<_> = shared.state().registry.iter().cloned().collect();
    let document = if path.is_empty() {
        Some(openapi::index(&resources))
    } else {
        openapi::document(&resources, path)
    };
    document.map_or_else(page_not_found, |document| {
        json_response(StatusCode::OK, &document)
    })
}

/// Answers with the one document of version 2, in JSON or protobuf. As in the real server, both
/// have the entity tag of the JSON.
pub(super) fn version_2(shared: &Shared, headers: &HeaderMap) -> Response<Body> {
    let mut response = match negotiate::open_api_2(headers) {
        Some(encoding) => document_2(shared, headers, encoding),
        None => empty(StatusCode::NOT_ACCEPTABLE),
    };
    let accept = HeaderValue::from_static("Accept");
    response.headers_mut().insert(header::VARY, accept);
    response
}

fn document_2(shared: &Shared, headers: &HeaderMap, encoding: Encoding) -> Response<Body> {
    let resources: Vec<_> = shared.state().registry.iter().cloned().collect();
    let document = openapi::document_2(&resources);
    let json = Bytes::from(document.to_string());
    let tag = entity_tag(&json);
    let mut response = if has(headers, &tag) {
        empty(StatusCode::NOT_MODIFIED)
    } else if encoding == Encoding::Protobuf {
        let body = Full::from(openapi::to_protobuf(&document)).map_err(|never| match never {});
        typed_body(OPEN_API_PROTOBUF, StatusCode::OK, body.boxed_unsync())
    } else {
        full(StatusCode::OK, json)
    };
    if let Ok(tag) = tag.parse() {
        response.headers_mut().insert(header::ETAG, tag);
    }
    response
}

/// Returns the entity tag of a body, with its quotes.
fn entity_tag(body: &[u8]) -> String {
    let hash = digest(&SHA512, body);
    let digits = hash.as_ref().iter().map(|byte| format!("{byte:02X}"));
    format!("\"{}\"", digits.collect::<String>())
}

/// Reports whether the client has the body with this entity tag already.
fn has(headers: &HeaderMap, tag: &str) -> bool {
    let known = headers.get(header::IF_NONE_MATCH);
    let known = known.and_then(|known| known.to_str().ok());
    known.is_some_and(|known| known.split(',').any(|known| known.trim() == tag))
}
