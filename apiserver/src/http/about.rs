//! Documents that describe the server: discovery and OpenAPI.

use http::{HeaderMap, Response, StatusCode, header};
use serde_json::{Value, json};

use crate::auth::token::AUDIENCE;
use crate::http::negotiate::{AGGREGATED_DISCOVERY, aggregated_discovery};
#[cfg(feature = "openapi")]
use crate::http::response::text;
use crate::http::response::{Body, json_response, page_not_found};
use crate::http::route::Route;
use crate::registry::discovery;
#[cfg(feature = "openapi")]
use crate::registry::openapi;
use crate::shared::Shared;

/// Answers a request for discovery.
pub(super) fn describe(shared: &Shared, route: &Route, headers: &HeaderMap) -> Response<Body> {
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
            Route::Health
            | Route::Issuer
            | Route::Keys
            | Route::OpenApi2
            | Route::OpenApi(_)
            | Route::Resource(_)
            | Route::Unknown => None,
        }
    };
    document.map_or_else(page_not_found, |document| {
        let mut response = json_response(StatusCode::OK, &document);
        // Clients recognize the aggregated form by its content type.
        if document.get("kind").and_then(Value::as_str) == Some("APIGroupDiscoveryList") {
            let value = header::HeaderValue::from_static(AGGREGATED_DISCOVERY);
            response.headers_mut().insert(header::CONTENT_TYPE, value);
        }
        response
    })
}

/// Answers with an OpenAPI document, or with the index of the documents.
#[cfg(feature = "openapi")]
pub(super) fn open_api(shared: &Shared, path: &str) -> Response<Body> {
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

/// Answers with the OpenAPI document of version 2, as JSON only; its protobuf form, which client-go
/// also supports, is not served.
#[cfg(feature = "openapi")]
pub(super) fn open_api_2(shared: &Shared, headers: &HeaderMap) -> Response<Body> {
    let accepted = headers
        .get(header::ACCEPT)
        .and_then(|accept| accept.to_str().ok());
    let is_json = |accepted: &str| {
        let media_type = accepted.split(';').next().unwrap_or_default().trim();
        matches!(
            media_type,
            "" | "*/*" | "application/*" | "application/json"
        )
    };
    if !accepted.is_none_or(|accepted| accepted.split(',').any(is_json)) {
        return text(
            StatusCode::NOT_ACCEPTABLE,
            "only application/json is served here",
        );
    }
    let resources: Vec<_> = shared.state().registry.iter().cloned().collect();
    json_response(StatusCode::OK, &openapi::document_v2(&resources))
}

#[cfg(not(feature = "openapi"))]
pub(super) fn open_api_2(_: &Shared, _: &HeaderMap) -> Response<Body> {
    page_not_found()
}

#[cfg(not(feature = "openapi"))]
pub(super) fn open_api(_: &Shared, _: &str) -> Response<Body> {
    page_not_found()
}

/// Returns the issuer document for verifiers of tokens.
pub(super) fn issuer() -> Response<Body> {
    json_response(
        StatusCode::OK,
        &json!({
            "issuer": AUDIENCE,
            "jwks_uri": format!("{AUDIENCE}/openid/v1/jwks"),
            "response_types_supported": ["id_token"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["ES256"],
        }),
    )
}

/// Returns the keys that verify tokens.
pub(super) fn keys(shared: &Shared) -> Response<Body> {
    let mut response = json_response(StatusCode::OK, &shared.signer.keys());
    let value = header::HeaderValue::from_static("application/jwk-set+json");
    response.headers_mut().insert(header::CONTENT_TYPE, value);
    response
}
