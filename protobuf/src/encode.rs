//! Encoding: from JSON values to protobuf, by the same tables.
//!
//! Writes the same bytes as Go for the same object: fields in the order of their numbers, zero
//! scalars unless they are pointers, maps sorted by key. Meant for servers and tests, and not
//! optimized.

mod list;
mod value;

use serde::Serialize;
use serde_json::{Map, Value};

pub use self::list::wrap_list;
use self::value::put_message;
use crate::error::Error;
use crate::frame::PREFIX;
use crate::tables::Message;
use crate::wire::{put_bytes, put_head};

/// Encodes an object with `apiVersion` and `kind`, in an envelope.
///
/// Encodes the type's JSON as a server would, without fields that Kubernetes does not know.
///
/// # Examples
///
/// ```
/// use k8s_openapi::api::core::v1::ConfigMap;
///
/// let config = ConfigMap::default();
/// let bytes = informer_protobuf::to_vec(&config)?;
/// assert_eq!(informer_protobuf::from_slice::<ConfigMap>(&bytes)?, config);
/// # Ok::<(), informer_protobuf::Error>(())
/// ```
///
/// # Errors
///
/// The object cannot be serialized, its kind is unknown, or it does not have the form of its kind.
pub fn to_vec<T: Serialize + ?Sized>(object: &T) -> Result<Vec<u8>, Error> {
    let value = serde_json::to_value(object).map_err(|error| Error::data(error.to_string()))?;
    encode(&value)
}

/// Encodes a JSON object with `apiVersion` and `kind`, in an envelope.
///
/// # Errors
///
/// The object's kind is unknown, or the object does not have the form of its kind.
pub fn encode(object: &Value) -> Result<Vec<u8>, Error> {
    let api_version = text_of(object, "apiVersion");
    let kind = text_of(object, "kind");
    let Some(message) = Message::of(api_version, kind) else {
        return Err(Error::unknown_kind(api_version, kind));
    };
    let content = encode_message(message, object)?;
    Ok(wrap(api_version, kind, &content))
}

fn text_of<'v>(object: &'v Value, name: &str) -> &'v str {
    match object.get(name) {
        Some(Value::String(text)) => text,
        _ => "",
    }
}

/// Encodes a JSON object as a message without an envelope, such as an item of a list.
///
/// # Errors
///
/// The object does not have the form of the message.
pub fn encode_message(message: Message, object: &Value) -> Result<Vec<u8>, Error> {
    let Value::Object(members) = object else {
        return Err(Error::data("expected an object"));
    };
    encode_members(message, members)
}

/// Encodes the members of an object like [`encode_message`].
///
/// # Errors
///
/// A member does not have the form of its field.
pub fn encode_members(message: Message, members: &Map<String, Value>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    put_message(&mut out, message, members, value::MAX_DEPTH)?;
    Ok(out)
}

/// Wraps a message in an envelope: the prefix `k8s\0`, and a `runtime.Unknown`.
///
/// [`wrap_list`] does the same for the items of a list.
#[must_use]
pub fn wrap(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let mut out = open(api_version, kind, message.len(), message.len());
    out.extend_from_slice(message);
    out.extend_from_slice(&CLOSE);
    out
}

/// Returns an envelope up to its message of `length` bytes, with capacity for `reserve` more bytes.
fn open(api_version: &str, kind: &str, length: usize, reserve: usize) -> Vec<u8> {
    let mut type_meta = Vec::with_capacity(api_version.len() + kind.len() + 8);
    put_bytes(&mut type_meta, 1, api_version.as_bytes());
    put_bytes(&mut type_meta, 2, kind.as_bytes());
    let mut out = Vec::with_capacity(reserve + type_meta.len() + 24);
    out.extend_from_slice(&PREFIX);
    put_bytes(&mut out, 1, &type_meta);
    put_head(&mut out, 2, length);
    out
}

/// Bytes after the message in an envelope: empty content encoding and content type, both of which
/// Go writes.
const CLOSE: [u8; 4] = [0x1a, 0, 0x22, 0];

/// Encodes a frame of a watch: a length of four bytes, and a `WatchEvent` with an object in its
/// envelope.
#[must_use]
pub fn watch_frame(event_type: &str, object: &[u8]) -> Vec<u8> {
    let mut extension = Vec::with_capacity(object.len() + 8);
    put_bytes(&mut extension, 1, object);
    let mut out = vec![0; 4];
    put_bytes(&mut out, 1, event_type.as_bytes());
    put_bytes(&mut out, 2, &extension);
    let length = u32::try_from(out.len() - 4).unwrap_or(u32::MAX);
    if let Some(slot) = out.first_chunk_mut() {
        *slot = length.to_be_bytes();
    }
    out
}

#[cfg(test)]
mod tests;
