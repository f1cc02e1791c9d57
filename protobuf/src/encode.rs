//! Encoding: from JSON values to protobuf, by the same tables.
//!
//! Writes what Go would write for the same object, byte for byte: fields in the order of their
//! numbers, scalars that are no pointers even where they are zero, maps sorted by key. Meant for
//! servers and tests, and so not tuned.

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

/// Encodes an object that says its `apiVersion` and `kind`, in an envelope.
///
/// As a server does it: a type's JSON, fields that Kubernetes does not know left out.
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
/// The object does not serialize, has no kind that is known, or is not of the form that this kind
/// has.
pub fn to_vec<T: Serialize + ?Sized>(object: &T) -> Result<Vec<u8>, Error> {
    let value = serde_json::to_value(object).map_err(|error| Error::data(error.to_string()))?;
    encode(&value)
}

/// Encodes a JSON object that says its `apiVersion` and `kind`, in an envelope.
///
/// # Errors
///
/// The object has no kind that is known, or is not of the form that this kind has.
pub fn encode(object: &Value) -> Result<Vec<u8>, Error> {
    let text = |name| object.get(name).and_then(Value::as_str).unwrap_or_default();
    let (api_version, kind) = (text("apiVersion"), text("kind"));
    let message =
        Message::of(api_version, kind).ok_or_else(|| Error::unknown_kind(api_version, kind))?;
    Ok(wrap(api_version, kind, &encode_message(message, object)?))
}

/// Encodes a JSON object as a message alone, as the items of a list are.
///
/// # Errors
///
/// The object is not of the form that the message has.
pub fn encode_message(message: Message, object: &Value) -> Result<Vec<u8>, Error> {
    let object = object
        .as_object()
        .ok_or_else(|| Error::data("expected an object"))?;
    encode_members(message, object)
}

/// [`encode_message`] of an object whose members are there without it.
///
/// # Errors
///
/// A member is not of the form that the message has.
pub fn encode_members(message: Message, members: &Map<String, Value>) -> Result<Vec<u8>, Error> {
    let mut out = Vec::new();
    put_message(&mut out, message, members, value::MAX_DEPTH)?;
    Ok(out)
}

/// Puts a message into an envelope: the prefix `k8s\0`, and a `runtime.Unknown`.
///
/// [`wrap_list`] is the same for the items of a list.
#[must_use]
pub fn wrap(api_version: &str, kind: &str, message: &[u8]) -> Vec<u8> {
    let mut out = open(api_version, kind, message.len(), message.len());
    out.extend_from_slice(message);
    out.extend_from_slice(&CLOSE);
    out
}

/// An envelope up to its message of `length` bytes, with room for `reserve` more bytes.
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

/// What follows the message in an envelope: no content encoding, no content type; Go writes both.
const CLOSE: [u8; 4] = [0x1a, 0, 0x22, 0];

/// A frame of a watch: a length of four bytes, and a `WatchEvent` with an object in its envelope.
#[must_use]
pub fn watch_frame(event_type: &str, object: &[u8]) -> Vec<u8> {
    let mut extension = Vec::with_capacity(object.len() + 8);
    put_bytes(&mut extension, 1, object);
    let mut out = vec![0; 4];
    put_bytes(&mut out, 1, event_type.as_bytes());
    put_bytes(&mut out, 2, &extension);
    let length = u32::try_from(out.len() - 4).unwrap_or(u32::MAX);
    for (slot, byte) in out.iter_mut().zip(length.to_be_bytes()) {
        *slot = byte;
    }
    out
}

#[cfg(test)]
mod tests;
