//! One version of one object.

use std::fmt::Write as _;
use std::sync::OnceLock;

use bytes::{BufMut, Bytes, BytesMut};
use informer_protobuf::Message;
use serde_json::Value;

use super::field::Known;
use super::header::Header;
use super::key::storage_key;
use crate::document::{Members, set_type};

/// One version of one object.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Empty for cluster scope.
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Revision that wrote this version: its resourceVersion.
    pub(crate) revision: u64,
    pub(crate) header: Header,
    /// `{"metadata":{..},..}`: all members.
    encoded: Bytes,
    /// Offset in `encoded` after `{"metadata":{..}`.
    metadata_end: usize,
    /// `kind` and `apiVersion` of an injected object that override the resource's own.
    foreign: Option<Bytes>,
    /// Cached protobuf encodings, as `PartialObjectMetadata` and as the object's kind. An object
    /// that is served in several versions has more messages; these are encoded at each use.
    messages: [OnceLock<(Message, Bytes)>; 2],
    fields: Known,
}

// === impl Stored ===

impl Stored {
    /// Encodes `members` as the version that `revision` wrote. With revision 0, the object has no
    /// resourceVersion.
    pub(crate) fn new(namespace: &str, name: &str, revision: u64, mut members: Members) -> Self {
        let foreign = foreign_type(&mut members);
        if let Some(Value::Object(metadata)) = members.get_mut("metadata") {
            if revision == 0 {
                metadata.remove("resourceVersion");
            } else {
                let version = revision.to_string();
                metadata.insert("resourceVersion".to_owned(), version.into());
            }
        }
        let (encoded, metadata_end) = encode(&members);
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            revision,
            header: Header::of(&members),
            encoded,
            metadata_end,
            foreign,
            messages: Default::default(),
            fields: Known::default(),
        }
    }

    /// Returns the same content under `revision`, for the event of a deletion.
    pub(crate) fn at(&self, revision: u64) -> Self {
        let mut next = Self::new(&self.namespace, &self.name, revision, self.members());
        next.foreign.clone_from(&self.foreign);
        next
    }

    pub(crate) fn key(&self) -> String {
        storage_key(&self.namespace, &self.name)
    }

    /// Decodes the members.
    pub(crate) fn members(&self) -> Members {
        // The bytes were encoded here, and objects deeper than `MAX_DEPTH` are rejected before they
        // are stored.
        serde_json::from_slice(&self.encoded).unwrap_or_default()
    }

    pub(crate) fn uid(&self) -> &str {
        &self.header.uid
    }

    pub(crate) fn finalizers(&self) -> impl Iterator<Item = &str> {
        self.header.finalizers.iter().map(|finalizer| &**finalizer)
    }

    pub(crate) fn is_deleting(&self) -> bool {
        self.header.deleting
    }

    /// Calls `read` with the string, number or boolean at `path` in its printed form.
    pub(crate) fn with_field<R>(&self, path: &[String], read: impl FnOnce(Option<&str>) -> R) -> R {
        self.fields.with(&self.encoded, path, read)
    }

    /// Returns the complete document in the version `api_version`.
    pub(crate) fn to_value(&self, kind: &str, api_version: &str) -> Value {
        let mut members = self.members();
        set_type(&mut members, kind, api_version);
        Value::Object(members)
    }

    /// Appends the object with `head` (its `kind` and `apiVersion`) in front. The type of an
    /// injected object takes precedence over `head`.
    pub(crate) fn write(&self, head: &[u8], out: &mut BytesMut) {
        out.put_u8(b'{');
        out.put_slice(self.foreign.as_deref().unwrap_or(head));
        out.put_slice(self.encoded.get(1..).unwrap_or_default());
    }

    /// Appends the metadata only, with `head` in front.
    pub(crate) fn write_metadata(&self, head: &[u8], out: &mut BytesMut) {
        out.put_u8(b'{');
        out.put_slice(head);
        out.put_slice(self.encoded.get(1..self.metadata_end).unwrap_or_default());
        out.put_u8(b'}');
    }

    /// Returns the approximate size of the document in bytes.
    pub(crate) fn size(&self) -> usize {
        self.encoded.len() + 64
    }

    /// Returns `kind` and `apiVersion` of an injected object that override the resource's own.
    pub(crate) fn foreign_type(&self) -> Option<Members> {
        let members = String::from_utf8_lossy(self.foreign.as_ref()?);
        let object = format!("{{{}}}", members.trim_end_matches(','));
        serde_json::from_str(&object).ok()
    }

    /// Returns the object in the encoding that `encode` produces for `message`; caches two
    /// messages.
    pub(crate) fn encoded_as(&self, message: Message, encode: impl Fn() -> Bytes) -> Bytes {
        for slot in &self.messages {
            let (of, bytes) = slot.get_or_init(|| (message, encode()));
            if *of == message {
                return bytes.clone();
            }
        }
        encode()
    }
}

/// Returns the start of each document of this kind: `"kind":"Pod","apiVersion":"v1",`.
pub(crate) fn head(kind: &str, api_version: &str) -> Bytes {
    let quoted_kind = Value::from(kind);
    let quoted_version = Value::from(api_version);
    format!("\"kind\":{quoted_kind},\"apiVersion\":{quoted_version},").into()
}

/// Removes `kind` and `apiVersion`, which only an injected object still has at this point.
fn foreign_type(members: &mut Members) -> Option<Bytes> {
    let mut out = String::new();
    for name in ["kind", "apiVersion"] {
        if let Some(value) = members.remove(name) {
            // Writing to a String cannot fail.
            let _ = write!(out, "\"{name}\":{value},");
        }
    }
    if out.is_empty() {
        return None;
    }
    Some(out.into())
}

/// Encodes the members, metadata first. Returns also the offset after the metadata.
fn encode(members: &Members) -> (Bytes, usize) {
    let mut out = Vec::with_capacity(512);
    let metadata = members.get("metadata").unwrap_or(&Value::Null);
    out.push(b'{');
    encode_member("metadata", metadata, &mut out);
    let metadata_end = out.len();
    for (name, value) in members {
        if name != "metadata" {
            out.push(b',');
            encode_member(name, value, &mut out);
        }
    }
    out.push(b'}');
    // Boxing releases the unused capacity; the object lives long.
    (out.into_boxed_slice().into(), metadata_end)
}

fn encode_member(name: &str, value: &Value, out: &mut Vec<u8>) {
    // Writing to a Vec cannot fail, and the keys of a Value are strings.
    let _ = serde_json::to_writer(&mut *out, name);
    out.push(b':');
    let _ = serde_json::to_writer(&mut *out, value);
}
