//! How objects are shown: whole, as metadata, as rows of a table; in JSON or in protobuf.

use std::sync::Arc;

use bytes::Bytes;
use serde_json::Value;

use crate::negotiate::Encoding;
use crate::protobuf::Kind;
use crate::table::Table;

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
pub(super) enum Shape {
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

    pub(super) fn shape(&self) -> &Shape {
        &self.shape
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
