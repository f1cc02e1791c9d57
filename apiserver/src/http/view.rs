//! Views of objects: complete, metadata only, or rows of a table; in JSON or in protobuf.

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::Value;

use crate::http::negotiate::Encoding;
use crate::http::protobuf::Kind;
use crate::kubectl::PrintedTable;
use crate::registry::events::{group_of, shown_by};
use crate::store::log::Change;
use crate::store::{Stored, head};

/// View in which a response shows objects.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct View {
    /// `"kind":"Pod","apiVersion":"v1",`
    type_meta: Bytes,
    shape: ViewShape,
    /// Group of the kind as which objects are shown.
    group: String,
    /// Kind as which objects are shown in protobuf; `None` for JSON.
    protobuf: Option<Arc<Kind>>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum ViewShape {
    /// The complete object.
    Full,
    /// `PartialObjectMetadata`: metadata only.
    Partial,
    /// A `Table`.
    Table {
        table: Arc<PrintedTable>,
        /// `true` to include the column definitions. A watch sends them once.
        headed: bool,
    },
}

// === impl View ===

impl View {
    pub(crate) fn full(kind: &str, api_version: &str) -> Self {
        Self {
            type_meta: head(kind, api_version),
            group: group_of(api_version).to_owned(),
            shape: ViewShape::Full,
            protobuf: None,
        }
    }

    pub(crate) fn partial() -> Self {
        Self {
            type_meta: head("PartialObjectMetadata", "meta.k8s.io/v1"),
            group: String::new(),
            shape: ViewShape::Partial,
            protobuf: None,
        }
    }

    pub(crate) fn table(table: Arc<PrintedTable>) -> Self {
        Self {
            type_meta: head("Table", "meta.k8s.io/v1"),
            group: String::new(),
            shape: ViewShape::Table {
                table,
                headed: true,
            },
            protobuf: None,
        }
    }

    /// Returns the same view in protobuf, if `kind` is given.
    pub(crate) fn in_protobuf(self, kind: Option<Kind>) -> Self {
        Self {
            protobuf: kind.map(Arc::new),
            ..self
        }
    }

    /// Returns the kind as which objects are shown in protobuf; `None` for JSON.
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
        self.shape == ViewShape::Partial
    }

    /// Returns the table whose rows are the objects.
    pub(crate) fn as_table(&self) -> Option<&Arc<PrintedTable>> {
        match &self.shape {
            ViewShape::Table { table, .. } => Some(table),
            ViewShape::Full | ViewShape::Partial => None,
        }
    }

    /// Appends the object in JSON. `bare` omits kind and apiVersion, as lists of built-in kinds do.
    pub(crate) fn write(&self, object: &Stored, bare: bool, out: &mut BytesMut) {
        let head: &[u8] = if bare { b"" } else { &self.type_meta };
        match &self.shape {
            ViewShape::Full => match shown_by(&self.group, object) {
                Some(shown) => shown.write(head, out),
                None => object.write(head, out),
            },
            ViewShape::Partial => object.write_metadata(&self.type_meta, out),
            ViewShape::Table { table, .. } => {
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

    /// Returns the document as one buffer.
    pub(crate) fn bytes_of(&self, object: &Stored) -> Bytes {
        if let Some(kind) = self.protobuf() {
            return kind.object(object);
        }
        let mut out = BytesMut::with_capacity(object.size());
        self.write(object, false, &mut out);
        out.freeze()
    }

    /// Returns the line of a watch body, or the frame in protobuf, for `change` of the object.
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

    /// Returns a key that is equal for views with equal encodings; `None` if encodings must not be
    /// shared.
    pub(crate) fn key(&self) -> Option<(Bytes, bool)> {
        if self.as_table().is_some() {
            return None;
        }
        Some((self.type_meta.clone(), self.protobuf.is_some()))
    }

    /// Omits the column definitions from now on.
    pub(crate) fn drop_headings(&mut self) {
        if let ViewShape::Table { headed, .. } = &mut self.shape {
            *headed = false;
        }
    }

    /// Returns the text before the items of a list: `"items":`, or the columns and `"rows":`.
    pub(crate) fn items_member(&self) -> String {
        match &self.shape {
            ViewShape::Full | ViewShape::Partial => "\"items\":".to_owned(),
            ViewShape::Table { table, headed } => {
                let columns = if *headed {
                    table.definitions()
                } else {
                    Value::Null
                };
                format!("\"columnDefinitions\":{columns},\"rows\":")
            }
        }
    }

    /// Returns the start of each document of this kind: `"kind":"Pod","apiVersion":"v1",`.
    pub(crate) fn type_meta(&self) -> &Bytes {
        &self.type_meta
    }
}
