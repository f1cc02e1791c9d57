//! Documents that describe the server: version and discovery.

use http::{HeaderMap, Response, StatusCode, header};
use serde_json::Value;

use crate::http::negotiate::{AGGREGATED_DISCOVERY, aggregated_discovery};
use crate::http::response::{AnswerBody, json_response, page_not_found};
use crate::http::route::Route;
use crate::registry::discovery;
use crate::shared::Shared;

/// Answers a request for discovery.
pub(super) fn describe(
    shared: &Shared,
    route: &Route,
    headers: &HeaderMap,
) -> Response<AnswerBody> {
    let document = {
        let aggregated = aggregated_discovery(headers);
        let state = shared.state();
        match route {
            Route::Version => Some(discovery::version()),
            Route::CoreVersions => Some(discovery::core_versions(&state.registry, aggregated)),
            Route::Groups => Some(discovery::groups(&state.registry, aggregated)),
            Route::Group(group) => discovery::group(&state.registry, group),
            Route::GroupVersion { group, version } => {
                discovery::resources(&state.registry, group, version)
            }
            Route::Health | Route::OpenApi(_) | Route::Resource(_) | Route::Unknown => None,
        }
    };
    let Some(document) = document else {
        return page_not_found();
    };
    let mut response = json_response(StatusCode::OK, &document);
    // Clients recognize the aggregated form by its content type.
    if document.get("kind").and_then(Value::as_str) == Some("APIGroupDiscoveryList") {
        let value = header::HeaderValue::from_static(AGGREGATED_DISCOVERY);
        response.headers_mut().insert(header::CONTENT_TYPE, value);
    }
    response
}
