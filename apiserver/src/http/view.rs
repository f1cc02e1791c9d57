//! How objects are shown: whole, as metadata, as rows of a table; in JSON or in protobuf.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::Value;

use crate::http::negotiate::Encoding;
use crate::http::protobuf::Kind;
use crate::kubectl::Table;
use crate::registry::forms::{group_of, shown_by};
use crate::store::log::Change;
use crate::store::{Stored, head};

/// How an object is written out for a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// `"kind":"Pod","apiVersion":"v1",`
    type_meta: Bytes,
    shape: Shape,
    /// Of the kind that objects are shown as.
    group: String,
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

// === impl View ===

impl View {
    pub(crate) fn full(kind: &str, api_version: &str) -> Self {
        Self {
            type_meta: head(kind, api_version),
            group: group_of(api_version).to_owned(),
            shape: Shape::Full,
            protobuf: None,
        }
    }

    pub(crate) fn partial() -> Self {
        Self {
            type_meta: head("PartialObjectMetadata", "meta.k8s.io/v1"),
            group: String::new(),
            shape: Shape::Partial,
            protobuf: None,
        }
    }

    pub(crate) fn table(table: Arc<Table>) -> Self {
        Self {
            type_meta: head("Table", "meta.k8s.io/v1"),
            group: String::new(),
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

    /// Appends the object in JSON. `bare` leaves out kind and apiVersion, as lists of built-in kinds
    /// do.
    pub(crate) fn write(&self, object: &Stored, bare: bool, out: &mut BytesMut) {
        let head: &[u8] = if bare { b"" } else { &self.type_meta };
        match &self.shape {
            Shape::Full => match shown_by(&self.group, object) {
                Some(shown) => shown.write(head, out),
                None => object.write(head, out),
            },
            Shape::Partial => object.write_metadata(&self.type_meta, out),
            Shape::Table { table, .. } => {
                out.put_u8(b'{');
                out.put_slice(&self.type_meta);
                let metadata = format!(
                    "\"metadata\":{{\"resourceVersion\":\"{}\"}},",
                    object.revision
                );
                out.put_slice(metadata.as_bytes());
                out.put_slice(self.items_member().as_bytes());
                out.put_u8(b'[');
                table.write_row(object, out);
                out.put_slice(b"]}");
            }
        }
    }

    /// The document as one buffer.
    pub(crate) fn bytes_of(&self, object: &Stored) -> Bytes {
        if let Some(kind) = self.protobuf() {
            return kind.object(object);
        }
        let mut out = BytesMut::with_capacity(object.size());
        self.write(object, false, &mut out);
        out.freeze()
    }

    /// The line of a watch body in which `change` has happened to the object, or the frame in
    /// protobuf.
    pub(crate) fn line(&self, change: Change, object: &Stored) -> Bytes {
        let kind = match change {
            Change::Added => "ADDED",
            Change::Modified => "MODIFIED",
            Change::Deleted => "DELETED",
        };
        if let Some(shown_as) = self.protobuf() {
            return shown_as.frame(kind, object);
        }
        let mut out = BytesMut::with_capacity(object.size() + 32);
        out.put_slice(b"{\"type\":\"");
        out.put_slice(kind.as_bytes());
        out.put_slice(b"\",\"object\":");
        self.write(object, false, &mut out);
        out.put_slice(b"}\n");
        out.freeze()
    }

    /// What two views have in common that show the same; nothing if each encoding may differ from
    /// the last one, so that none is kept.
    pub(crate) fn key(&self) -> Option<(Bytes, bool)> {
        let is_kept = self.as_table().is_none();
        is_kept.then(|| (self.type_meta.clone(), self.protobuf.is_some()))
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

    /// The start of any document of this kind: `"kind":"Pod","apiVersion":"v1",`.
    pub(crate) fn type_meta(&self) -> &Bytes {
        &self.type_meta
    }
}
