//! Objects as they are stored: decoded once, encoded once, both shared.
//!
//! An object's `kind` and `apiVersion` depend on the version it is asked in, so they are kept out
//! of both forms and put in front when the object is written out. `metadata` is the first member,
//! which makes a metadata-only answer a prefix of the full one.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Map, Value};

use crate::negotiate::Encoding;
use crate::protobuf::{Kind, Messages};
use crate::table::Table;

/// The members of an object, without `kind` and `apiVersion`.
pub(crate) type Members = Map<String, Value>;

/// The objects of one resource, ordered by storage key as etcd orders them.
pub(crate) type Objects = BTreeMap<String, Arc<Stored>>;

/// One version of one object.
#[derive(Debug)]
pub(crate) struct Stored {
    /// Empty for cluster scope.
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// The revision that wrote this version: its resourceVersion.
    pub(crate) revision: u64,
    pub(crate) members: Members,
    /// `"metadata":{..},..}`, all members and the closing brace.
    encoded: Bytes,
    /// Where `"metadata":{..}` ends in `encoded`.
    metadata_end: usize,
    /// `kind` and `apiVersion` that an injected object insists on.
    foreign: Option<Bytes>,
    messages: Messages,
}

/// How an object is written out for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// `"kind":"Pod","apiVersion":"v1",`
    type_meta: Bytes,
    shape: Shape,
    /// Objects are shown in protobuf, as this kind.
    protobuf: Option<Arc<Kind>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Shape {
    /// The whole object.
    Full,
    /// `PartialObjectMetadata`: metadata alone.
    Partial,
    /// A `Table`.
    Table {
        table: Arc<Table>,
        /// Says which columns there are. A watch says so once.
        headed: bool,
    },
}

/// The storage key, which is also the order of lists: `namespace/name`, or `name`.
pub(crate) fn storage_key(namespace: &str, name: &str) -> String {
    if namespace.is_empty() {
        name.to_owned()
    } else {
        format!("{namespace}/{name}")
    }
}

/// The members of `members.metadata`, nothing if it is not an object.
pub(crate) fn metadata(members: &Members) -> Option<&Map<String, Value>> {
    members.get("metadata")?.as_object()
}

/// The string at `metadata.field`; empty if there is none.
pub(crate) fn metadata_str<'a>(members: &'a Members, field: &str) -> &'a str {
    metadata(members)
        .and_then(|metadata| metadata.get(field)?.as_str())
        .unwrap_or_default()
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
            members,
            encoded,
            metadata_end,
            foreign,
            messages: Messages::default(),
        }
    }

    /// The same content, written by `revision`: what the event of a deletion shows.
    pub(crate) fn at(&self, revision: u64) -> Self {
        let mut next = Self::new(&self.namespace, &self.name, revision, self.members.clone());
        next.foreign.clone_from(&self.foreign);
        next
    }

    pub(crate) fn key(&self) -> String {
        storage_key(&self.namespace, &self.name)
    }

    pub(crate) fn metadata_str(&self, field: &str) -> &str {
        metadata_str(&self.members, field)
    }

    pub(crate) fn finalizers(&self) -> impl Iterator<Item = &str> {
        finalizers(&self.members)
    }

    pub(crate) fn is_deleting(&self) -> bool {
        metadata(&self.members).is_some_and(|metadata| metadata.contains_key("deletionTimestamp"))
    }

    /// The complete document, in the version that `api_version` names.
    pub(crate) fn to_value(&self, kind: &str, api_version: &str) -> Value {
        let mut members = self.members.clone();
        members.insert("kind".to_owned(), kind.into());
        members.insert("apiVersion".to_owned(), api_version.into());
        Value::Object(members)
    }

    /// Appends the object as `view` shows it in JSON. `bare` leaves out kind and apiVersion, as lists of
    /// built-in kinds do.
    pub(crate) fn write(&self, view: &View, bare: bool, out: &mut BytesMut) {
        out.put_u8(b'{');
        let encoded = &self.encoded;
        match &view.shape {
            Shape::Full => {}
            Shape::Partial => {
                out.put_slice(&view.type_meta);
                out.put_slice(encoded.get(..self.metadata_end).unwrap_or_default());
                out.put_u8(b'}');
                return;
            }
            Shape::Table { table, .. } => {
                out.put_slice(&view.type_meta);
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
            None => out.put_slice(&view.type_meta),
        }
        out.put_slice(encoded);
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

pub(crate) fn finalizers(members: &Members) -> impl Iterator<Item = &str> {
    metadata(members)
        .and_then(|metadata| metadata.get("finalizers")?.as_array())
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
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
        if !out.is_empty() {
            out.push(b',');
        }
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
    (out.into(), metadata_end)
}

// === impl View ===

impl View {
    pub(crate) fn full(kind: &str, api_version: &str) -> Self {
        Self {
            type_meta: type_meta(kind, api_version),
            shape: Shape::Full,
            protobuf: None,
        }
    }

    pub(crate) fn partial() -> Self {
        Self {
            type_meta: type_meta("PartialObjectMetadata", "meta.k8s.io/v1"),
            shape: Shape::Partial,
            protobuf: None,
        }
    }

    pub(crate) fn table(table: Arc<Table>) -> Self {
        Self {
            type_meta: type_meta("Table", "meta.k8s.io/v1"),
            shape: Shape::Table {
                table,
                headed: true,
            },
            protobuf: None,
        }
    }

    /// The same in protobuf, where there is a kind for it.
    pub(crate) fn in_protobuf(self, kind: Option<Kind>) -> Self {
        Self {
            protobuf: kind.map(Arc::new),
            ..self
        }
    }

    /// The kind as which objects are shown in protobuf, if they are.
    pub(crate) fn protobuf(&self) -> Option<&Kind> {
        self.protobuf.as_deref()
    }

    pub(crate) fn encoding(&self) -> Encoding {
        match self.protobuf {
            Some(_) => Encoding::Protobuf,
            None => Encoding::Json,
        }
    }

    pub(crate) fn is_partial(&self) -> bool {
        self.shape == Shape::Partial
    }

    /// The table that objects are rows of.
    pub(crate) fn as_table(&self) -> Option<&Arc<Table>> {
        match &self.shape {
            Shape::Table { table, .. } => Some(table),
            Shape::Full | Shape::Partial => None,
        }
    }

    /// Leaves out from now on what is said once.
    pub(crate) fn drop_headings(&mut self) {
        if let Shape::Table { headed, .. } = &mut self.shape {
            *headed = false;
        }
    }

    /// What comes before the items of a list: `"items":`, or the columns and `"rows":`.
    pub(crate) fn items_member(&self) -> String {
        match &self.shape {
            Shape::Full | Shape::Partial => "\"items\":".to_owned(),
            Shape::Table { table, headed } => {
                let columns = if *headed {
                    table.definitions()
                } else {
                    Value::Null
                };
                format!("\"columnDefinitions\":{columns},\"rows\":")
            }
        }
    }

    /// Whether each encoding may differ from the last one, so that none is kept.
    pub(crate) fn is_fleeting(&self) -> bool {
        self.as_table().is_some()
    }

    /// The start of any document of this kind: `"kind":"Pod","apiVersion":"v1",`.
    pub(crate) fn type_meta(&self) -> &Bytes {
        &self.type_meta
    }
}

fn type_meta(kind: &str, api_version: &str) -> Bytes {
    format!(
        "\"kind\":{},\"apiVersion\":{},",
        Value::from(kind),
        Value::from(api_version)
    )
    .into()
}
