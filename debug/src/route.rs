//! Paths of pages. Pure.

use informer_runtime::ObjectKey;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters of names that a path shows as they are.
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'~');

/// All routes, for the text of a 404.
pub(crate) const ROUTES: [&str; 8] = [
    "/",
    "/events",
    "/metrics",
    "/livez",
    "/readyz",
    "/informers/<plural>",
    "/informers/<plural>/<namespace>/<name>",
    "/why/<controller>/<namespace>/<name>",
];

/// Returns the parts of a path, decoded.
pub(crate) fn parts(path: &str) -> Option<Vec<String>> {
    let mut parts = Vec::new();
    for encoded in path.strip_prefix('/').unwrap_or(path).split('/') {
        let part = percent_decode_str(encoded).decode_utf8().ok()?;
        parts.push(part.into_owned());
    }
    Some(parts)
}

/// Returns the path from a page to the root of the service, which can be mounted anywhere.
pub(crate) fn root_of(path: &str) -> String {
    let depth = path.matches('/').count();
    "../".repeat(depth.saturating_sub(1))
}

/// Returns the path of an informer or a controller, or of a key of it.
pub(crate) fn path(kind: &str, name: &str, key: Option<&ObjectKey>) -> String {
    let mut parts = vec![kind, name];
    if let Some(key) = key {
        parts.extend(key.namespace());
        parts.push(key.name());
    }
    parts
        .into_iter()
        .map(|part| utf8_percent_encode(part, PLAIN).to_string())
        .collect::<Vec<_>>()
        .join("/")
}
