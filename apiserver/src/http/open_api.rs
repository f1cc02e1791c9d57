//! OpenAPI documents, version 3.

use http::{Response, StatusCode};

use crate::http::response::{AnswerBody, json_response, page_not_found};
use crate::registry::openapi;
use crate::shared::Shared;

/// Answers `/openapi/v3` (an empty path) and its documents.
pub(super) fn answer(shared: &Shared, path: &str) -> Response<AnswerBody> {
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
