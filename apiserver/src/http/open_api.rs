//! OpenAPI documents, version 3.

use http::{Response, StatusCode};

use crate::http::response::{AnswerBody, json_response, page_not_found};
use crate::registry::openapi;
use crate::shared::Shared;

/// Answers `/openapi/v3` (an empty path) and its documents.
pub(super) fn answer(shared: &Shared, path: &str) -> Response<AnswerBody> {
    let resources: Vec<_> = shared.state().registry.iter().cloned().collect();
    if path.is_empty() {
        let index = openapi::index(&resources);
        return json_response(StatusCode::OK, &index);
    }
    match openapi::document(&resources, path) {
        Some(document) => json_response(StatusCode::OK, &document),
        None => page_not_found(),
    }
}
