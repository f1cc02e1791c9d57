//! Kubernetes protobuf, the second encoding of requests and responses.
//!
//! Objects are stored as JSON. Their protobuf messages are encoded when the first client requests
//! them, and cached.
//!
//! Some objects that a test stores raw cannot be represented in protobuf, for example one with a
//! string as `spec`. For such an object the message contains the metadata that can be represented,
//! followed by a truncated record. In both encodings it is therefore an object whose name can be
//! read, which fails to decode, and which does not affect the objects around it.

use std::sync::Arc;

use bytes::Bytes;
use http::{HeaderMap, header};
use informer_protobuf::{
    Envelope, EventSplitter, ListSplitter, MEDIA_TYPE, Message, encode_members, from_slice,
    watch_frame, wrap, wrap_list,
};
use serde_json::{Map, Value};

use crate::document::{set, str_of};
use crate::http::call::media_type;
use crate::registry::events::{group_of, to_shown};
use crate::registry::subresource::Subresource;
use crate::registry::target::{RequestTarget, Verb};
use crate::status::ApiError;
use crate::store::Stored;

/// Header of a record of 127 bytes whose content is missing.
const BROKEN: [u8; 2] = [0x12, 0x7f];

/// First field of a bookmark's frame, after the length of the frame.
const BOOKMARK: &[u8] = b"\x0a\x08BOOKMARK";

/// A kind with a protobuf message.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kind {
    api_version: String,
    name: String,
    message: Message,
}

// === impl Kind ===

impl Kind {
    /// Returns the kind, if it has a message.
    pub(crate) fn of(api_version: &str, name: &str) -> Option<Self> {
        Some(Self {
            api_version: api_version.to_owned(),
            name: name.to_owned(),
            message: Message::of(api_version, name)?,
        })
    }

    /// Returns the kind for metadata only, which all objects have.
    pub(crate) fn partial() -> Option<Self> {
        Self::of("meta.k8s.io/v1", "PartialObjectMetadata")
    }

    /// Encodes the object in its envelope.
    pub(crate) fn object(&self, object: &Stored) -> Bytes {
        let message = encoded(self.message, group_of(&self.api_version), object);
        if !self.is_partial()
            && let Some(foreign) = object.foreign_type()
        {
            let api_version = str_of(foreign.get("apiVersion"));
            let kind = str_of(foreign.get("kind"));
            return wrap(api_version, kind, &message).into();
        }
        wrap(&self.api_version, &self.name, &message).into()
    }

    pub(crate) fn is_partial(&self) -> bool {
        self.name == "PartialObjectMetadata"
    }

    /// Encodes the watch event `change` of the object as a frame.
    pub(crate) fn frame(&self, change: &str, object: &Stored) -> Bytes {
        watch_frame(change, &self.object(object)).into()
    }

    /// Encodes a bookmark with this metadata as a frame.
    pub(crate) fn bookmark(&self, metadata: &Value) -> Bytes {
        let members = Map::from_iter([("metadata".to_owned(), metadata.clone())]);
        let message = message_of(self.message, &members);
        let object = wrap(&self.api_version, &self.name, &message);
        watch_frame("BOOKMARK", &object).into()
    }

    /// Encodes a list in its envelope, in chunks that are produced on demand.
    pub(crate) fn list(
        &self,
        metadata: &Map<String, Value>,
        items: &[Arc<Stored>],
    ) -> impl Iterator<Item = Bytes> + use<> {
        let kind = format!("{}List", self.name);
        // The server created this metadata, so it can be encoded.
        let list_meta = self.list_meta(&kind, metadata).unwrap_or_default();
        let group = group_of(&self.api_version);
        let mut messages = Vec::with_capacity(items.len());
        for object in items {
            messages.push(encoded(self.message, group, object));
        }
        wrap_list(&self.api_version, &kind, &list_meta, messages)
    }

    fn list_meta(&self, kind: &str, metadata: &Map<String, Value>) -> Option<Vec<u8>> {
        let list = Message::of(&self.api_version, kind)?;
        let list_meta = list.field("metadata")?.message()?;
        encode_members(list_meta, metadata).ok()
    }
}

/// Returns the message of an object for this group, cached in the object.
fn encoded(message: Message, group: &str, object: &Stored) -> Bytes {
    object.encoded_as(message, || {
        let mut members = object.members();
        to_shown(group, &mut members);
        message_of(message, &members)
    })
}

/// Encodes an object, or a truncated message with its metadata.
fn message_of(message: Message, members: &Map<String, Value>) -> Bytes {
    if let Ok(encoded) = encode_members(message, members) {
        return encoded.into();
    }
    let metadata = members.get("metadata").unwrap_or(&Value::Null);
    let mut broken = metadata_message(metadata)
        .or_else(|| metadata_message(&identity(metadata)))
        .unwrap_or_default();
    broken.extend_from_slice(&BROKEN);
    broken.into()
}

/// Encodes an object that has only this metadata; `None` if protobuf cannot represent it.
fn metadata_message(metadata: &Value) -> Option<Vec<u8>> {
    let kind = Kind::partial()?;
    let members = Map::from_iter([("metadata".to_owned(), metadata.clone())]);
    encode_members(kind.message, &members).ok()
}

/// Returns the members that identify an object, from metadata that cannot be encoded.
fn identity(metadata: &Value) -> Value {
    let mut texts = Map::new();
    for name in ["name", "namespace", "uid", "resourceVersion"] {
        if let Some(value) = metadata.get(name)
            && value.is_string()
        {
            texts.insert(name.to_owned(), value.clone());
        }
    }
    Value::Object(texts)
}

// === documents, frames and bodies ===

/// Encodes a document by the kind that it contains, if that kind has a message.
pub(crate) fn document(document: &Value) -> Option<Bytes> {
    informer_protobuf::encode(document).ok().map(Bytes::from)
}

/// Encodes an `ERROR` event with this status as a frame.
pub(crate) fn error_frame(status: &Value) -> Bytes {
    watch_frame("ERROR", &document(status).unwrap_or_default()).into()
}

/// Reports whether `frame` is that of a bookmark.
pub(crate) fn is_bookmark(frame: &[u8]) -> bool {
    frame.get(4..).unwrap_or_default().starts_with(BOOKMARK)
}

/// Returns the frame of a watch with a truncated object; the frame itself stays well formed.
pub(crate) fn undecodable_event(frame: &Bytes) -> Option<Bytes> {
    let mut splitter = EventSplitter::new();
    let mut events = Vec::new();
    splitter.push(frame, &mut events).ok()?;
    let event = events.into_iter().next()?.ok()?;
    let envelope = Envelope::parse(&event.object).ok()?;
    let object = wrap(
        envelope.api_version,
        envelope.kind,
        &broken_off(envelope.raw),
    );
    Some(watch_frame(&event.event_type, &object).into())
}

/// Returns the document with its first objects (`count` of a list) truncated; a list itself stays
/// well formed.
pub(crate) fn undecodable_objects(document: &Bytes, count: usize) -> Option<Bytes> {
    let Envelope {
        api_version,
        kind,
        raw,
        ..
    } = Envelope::parse(document).ok()?;
    if !kind.ends_with("List") {
        return Some(wrap(api_version, kind, &broken_off(raw)).into());
    }
    let mut splitter = ListSplitter::new();
    let mut parts = Vec::new();
    splitter.push(document, &mut parts).ok()?;
    let mut items: Vec<Bytes> = Vec::new();
    for part in parts {
        items.push(part.ok()?);
    }
    for item in items.iter_mut().take(count) {
        *item = broken_off(item).into();
    }
    let metadata = list_metadata(raw)?;
    let chunks: Vec<Bytes> = wrap_list(api_version, kind, metadata, items).collect();
    Some(chunks.concat().into())
}

/// Appends a record without content to a message.
fn broken_off(message: &[u8]) -> Vec<u8> {
    [message, &BROKEN].concat()
}

/// Returns the metadata of a list, which is the first record of its message.
fn list_metadata(list: &[u8]) -> Option<&[u8]> {
    const METADATA: u8 = 0x0a;
    let rest = list.strip_prefix(&[METADATA])?;
    let end = rest.iter().position(|byte| byte & 0x80 == 0)?;
    let (digits, content) = rest.split_at_checked(end + 1)?;
    let mut length = 0_usize;
    for digit in digits.iter().rev() {
        length = length.checked_mul(128)? + usize::from(digit & 0x7f);
    }
    content.get(..length)
}

/// Converts a body in protobuf to JSON and adapts the headers. Patches are never protobuf.
pub(crate) fn read_body(
    target: &RequestTarget,
    verb: Verb,
    headers: &mut HeaderMap,
    body: Bytes,
) -> Result<Bytes, ApiError> {
    let is_protobuf = media_type(headers) == MEDIA_TYPE;
    if !is_protobuf || body.is_empty() || verb == Verb::Patch {
        return Ok(body);
    }
    let is_write = matches!(verb, Verb::Create | Verb::Update);
    let is_custom = target.resource.custom && target.subresource != Subresource::Scale;
    if is_write && is_custom {
        return Err(ApiError::not_acceptable(
            "object *unstructured.Unstructured does not implement the protobuf marshalling \
             interface and cannot be encoded to a protobuf message",
        ));
    }
    let document: Value = document_of(&body).map_err(|error| {
        ApiError::bad_request(format!("the object provided is unrecognized: {error}"))
    })?;
    let json = header::HeaderValue::from_static("application/json");
    headers.insert(header::CONTENT_TYPE, json);
    Ok(document.to_string().into())
}

/// Decodes the document in `body`. Options exist in all groups, with the same message.
fn document_of(body: &[u8]) -> Result<Value, informer_protobuf::Error> {
    const OPTIONS: &str = "DeleteOptions";
    let envelope = Envelope::parse(body)?;
    if envelope.kind != OPTIONS {
        return from_slice(body);
    }
    let mut document: Value = from_slice(&wrap("v1", OPTIONS, envelope.raw))?;
    set(&mut document, "apiVersion", envelope.api_version);
    Ok(document)
}

#[cfg(test)]
mod tests;
