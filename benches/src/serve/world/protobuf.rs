//! Parts of protobuf bodies: Kubernetes' framing around the output of `informer-protobuf`.

use informer_protobuf::{Envelope, PREFIX, encode, watch_frame};
use kube::core::ApiResource;
use serde_json::Value;

use super::body::PageMeta;
use crate::Result;

/// Wire types: a number, and bytes after their length.
const VARINT: u8 = 0;
const BYTES: u8 = 2;

/// Encodes an object from JSON: its message, and the message in its envelope.
pub(super) fn object(json: &Value) -> Result<(Vec<u8>, Vec<u8>)> {
    let object = encode(json)?;
    let message = Envelope::parse(&object)
        .map_err(|error| format!("{error:?}"))?
        .raw
        .to_vec();
    Ok((message, object))
}

/// Returns an event of a watch.
pub(super) fn event(event_type: &str, object: &[u8]) -> Vec<u8> {
    watch_frame(event_type, object)
}

/// Adds an item of a list.
pub(super) fn put_item(out: &mut Vec<u8>, message: &[u8]) {
    put_bytes(out, 2, message);
}

/// Returns an item of a list in its envelope, as events have it.
pub(super) fn typed(resource: &ApiResource, item: &[u8]) -> Vec<u8> {
    // The tag and the length of the item come first.
    let length = item
        .iter()
        .skip(1)
        .position(|byte| *byte < 0x80)
        .unwrap_or_default();
    let message = item.get(length + 2..).unwrap_or_default();
    let mut object = PREFIX.to_vec();
    put_bytes(&mut object, 1, &type_meta(resource, ""));
    put_bytes(&mut object, 2, message);
    object
}

/// Returns the type of an envelope.
fn type_meta(resource: &ApiResource, suffix: &str) -> Vec<u8> {
    let kind = format!("{}{suffix}", resource.kind);
    let mut type_meta = Vec::new();
    put_bytes(&mut type_meta, 1, resource.api_version.as_bytes());
    put_bytes(&mut type_meta, 2, kind.as_bytes());
    type_meta
}

/// Returns the bytes before the items of a page. `items` is the number of bytes of the items.
pub(super) fn page_head(resource: &ApiResource, meta: PageMeta, items: usize) -> Vec<u8> {
    let version = meta.version.to_string();
    let mut list_meta = Vec::new();
    put_bytes(&mut list_meta, 1, b"");
    put_bytes(&mut list_meta, 2, version.as_bytes());
    match meta.more {
        Some((next, left)) => {
            let token = next.to_string();
            put_bytes(&mut list_meta, 3, token.as_bytes());
            put_tag(&mut list_meta, 4, VARINT);
            put_varint(&mut list_meta, left as u64);
        }
        None => put_bytes(&mut list_meta, 3, b""),
    }
    let mut list = Vec::new();
    put_bytes(&mut list, 1, &list_meta);

    let list_type = type_meta(resource, "List");
    let length = list.len() + items;
    let mut head = PREFIX.to_vec();
    put_bytes(&mut head, 1, &list_type);
    put_tag(&mut head, 2, BYTES);
    put_varint(&mut head, length as u64);
    head.extend_from_slice(&list);
    head
}

fn put_bytes(out: &mut Vec<u8>, number: u8, bytes: &[u8]) {
    put_tag(out, number, BYTES);
    put_varint(out, bytes.len() as u64);
    out.extend_from_slice(bytes);
}

fn put_tag(out: &mut Vec<u8>, number: u8, kind: u8) {
    out.push(number << 3 | kind);
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(lowest_byte(value) | 0x80);
        value >>= 7;
    }
    out.push(lowest_byte(value));
}

fn lowest_byte(value: u64) -> u8 {
    let [byte, ..] = value.to_le_bytes();
    byte
}
