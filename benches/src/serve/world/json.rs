//! Parts of JSON bodies.

use kube::core::ApiResource;
use serde_json::{Value, json};

use super::body::PageMeta;
use crate::objects;

/// Status of a watch whose version is too old.
pub(super) const EXPIRED: &[u8] = br#"{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure","message":"too old resource version","reason":"Expired","code":410}"#;

/// Returns an event of a watch.
pub(super) fn event(event_type: &str, object: &[u8]) -> Vec<u8> {
    let mut event = format!(r#"{{"type":"{event_type}","object":"#).into_bytes();
    event.extend_from_slice(object);
    event.extend_from_slice(b"}\n");
    event
}

/// Returns an item of a list with its type, as events have it.
pub(super) fn typed(resource: &ApiResource, item: &[u8]) -> Vec<u8> {
    let mut object = b"{".to_vec();
    object.extend_from_slice(objects::types(resource).as_bytes());
    object.extend_from_slice(item.strip_prefix(b"{").unwrap_or(item));
    object
}

/// Returns the object of the bookmark that ends the initial events of a watch.
pub(super) fn end_of_initial_events(resource: &ApiResource, version: u64) -> Value {
    json!({
        "kind": resource.kind,
        "apiVersion": resource.api_version,
        "metadata": {
            "resourceVersion": version.to_string(),
            "annotations": { "k8s.io/initial-events-end": "true" },
        },
    })
}

/// Returns the bytes before the items of a page.
pub(super) fn page_head(resource: &ApiResource, meta: PageMeta) -> Vec<u8> {
    let ApiResource {
        kind, api_version, ..
    } = resource;
    let version = meta.version;
    let more = match meta.more {
        Some((next, left)) => format!(r#","continue":"{next}","remainingItemCount":{left}"#),
        None => String::new(),
    };
    format!(
        r#"{{"kind":"{kind}List","apiVersion":"{api_version}","metadata":{{"resourceVersion":"{version}"{more}}},"items":["#
    )
    .into_bytes()
}
