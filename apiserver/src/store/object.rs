//! One version of one object.

use std::fmt::Write as _;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::Value;

use super::field::Known;
use super::view::Shape;
use super::{Header, Members, View, storage_key};
use crate::protobuf::Messages;

/// One version of one object.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Empty for cluster scope.
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The revision that wrote this version: its resourceVersion.
    pub(crate) revision: u64,
    pub(crate) header: Header,
    /// `{"metadata":{..},..}`: all members.
    encoded: Bytes,
    /// Where `{"metadata":{..}` ends in `encoded`.
    metadata_end: usize,
    /// `kind` and `apiVersion` that an injected object insists on.
    foreign: Option<Bytes>,
    messages: Messages,
    fields: Known,
}

// === impl Stored ===

impl Stored {
    /// Encodes `members` as the version that `revision` wrote; 0 is that of no version.
    pub(crate) fn new(namespace: &str, name: &str, revision: u64, mut members: Members) -> Self {
        let foreign = foreign_type(&mut members);
        if let Some(Value::Object(metadata)) = members.get_mut("metadata") {
            if revision == 0 {
                metadata.remove("resourceVersion");
            } else {
                metadata.insert("resourceVersion".to_owned(), revision.to_string().into());
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
            messages: Messages::default(),
            fields: Known::default(),
        }
    }

    /// The same content, written by `revision`: what the event of a deletion shows.
    pub(crate) fn at(&self, revision: u64) -> Self {
        let mut next = Self::new(&self.namespace, &self.name, revision, self.members());
        next.foreign.clone_from(&self.foreign);
        next
    }

    pub(crate) fn key(&self) -> String {
        storage_key(&self.namespace, &self.name)
    }

    /// Decodes it.
    pub(crate) fn members(&self) -> Members {
        // What we have encoded can be decoded: nothing deeper than `MAX_DEPTH` gets here.
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

    /// Calls `read` with the text, number or boolean at `path`, as it prints.
    pub(crate) fn with_field<R>(&self, path: &[String], read: impl FnOnce(Option<&str>) -> R) -> R {
        self.fields.with(&self.encoded, path, read)
    }

    /// The complete document, in the version that `api_version` names.
    pub(crate) fn to_value(&self, kind: &str, api_version: &str) -> Value {
        let mut members = self.members();
        members.insert("kind".to_owned(), kind.into());
        members.insert("apiVersion".to_owned(), api_version.into());
        Value::Object(members)
    }

    /// Appends the object as `view` shows it in JSON. `bare` leaves out kind and apiVersion, as lists of
    /// built-in kinds do.
    pub(crate) fn write(&self, view: &View, bare: bool, out: &mut BytesMut) {
        out.put_u8(b'{');
        match view.shape() {
            Shape::Full => {}
            Shape::Partial => {
                out.put_slice(view.type_meta());
                out.put_slice(self.encoded.get(1..self.metadata_end).unwrap_or_default());
                out.put_u8(b'}');
                return;
            }
            Shape::Table { table, .. } => {
                out.put_slice(view.type_meta());
                let metadata = format!(
                    "\"metadata\":{{\"resourceVersion\":\"{}\"}},",
                    self.revision
                );
                out.put_slice(metadata.as_bytes());
                out.put_slice(view.items_member().as_bytes());
                out.put_u8(b'[');
                table.write_row(self, out);
                out.put_slice(b"]}");
                return;
            }
        }
        match &self.foreign {
            Some(foreign) => out.put_slice(foreign),
            None if bare => {}
            None => out.put_slice(view.type_meta()),
        }
        out.put_slice(self.encoded.get(1..).unwrap_or_default());
    }

    /// About how many bytes [`Stored::write`] appends.
    pub(crate) fn size(&self) -> usize {
        self.encoded.len() + 64
    }

    /// `kind` and `apiVersion` that an injected object insists on.
    pub(crate) fn foreign_type(&self) -> Option<Members> {
        let members = String::from_utf8_lossy(self.foreign.as_ref()?);
        serde_json::from_str(&format!("{{{}}}", members.trim_end_matches(','))).ok()
    }

    pub(crate) fn messages(&self) -> &Messages {
        &self.messages
    }

    /// The document as one buffer.
    pub(crate) fn to_bytes(&self, view: &View) -> Bytes {
        if let Some(kind) = view.protobuf() {
            return kind.object(self);
        }
        let mut out = BytesMut::with_capacity(self.size());
        self.write(view, false, &mut out);
        out.freeze()
    }
}

/// Takes out `kind` and `apiVersion`, which only an injected object still has here.
fn foreign_type(members: &mut Members) -> Option<Bytes> {
    let kind = members.remove("kind");
    let api_version = members.remove("apiVersion");
    let mut out = String::new();
    for (name, value) in [("kind", kind), ("apiVersion", api_version)] {
        if let Some(value) = value {
            // Writing to a String cannot fail.
            let _ = write!(out, "\"{name}\":{value},");
        }
    }
    (!out.is_empty()).then(|| out.into())
}

fn encode(members: &Members) -> (Bytes, usize) {
    let mut out = Vec::with_capacity(512);
    let member = |name: &str, value: &Value, out: &mut Vec<u8>| {
        out.push(if out.is_empty() { b'{' } else { b',' });
        // Writing to a Vec cannot fail, and the keys of a Value are strings.
        let _ = serde_json::to_writer(&mut *out, name);
        out.push(b':');
        let _ = serde_json::to_writer(&mut *out, value);
    };
    member(
        "metadata",
        members.get("metadata").unwrap_or(&Value::Null),
        &mut out,
    );
    let metadata_end = out.len();
    for (name, value) in members.iter().filter(|(name, _)| *name != "metadata") {
        member(name, value, &mut out);
    }
    out.push(b'}');
    // It is kept for long: not with the room that it grew by.
    (out.into_boxed_slice().into(), metadata_end)
}
