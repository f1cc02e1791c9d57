//! Tables: the form of an answer that `kubectl get` prints.
//!
//! Custom kinds declare their columns as JSON paths. Common built-in kinds have the columns of the
//! real server; all others have name and age.

mod cells;
mod columns;
mod path;

use std::borrow::Cow;
use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use serde_json::{Value, json};

use self::columns::Column;
use crate::registry::Resource;
use crate::registry::events::shown_by;
use crate::store::{Stored, head};

/// The object in a row: `includeObject`.
#[derive(Debug)]
enum Include {
    Nothing,
    /// Metadata, after this head of the document.
    Metadata(Bytes),
    Object {
        head: Bytes,
        group: String,
    },
}

/// A form of answers with a row for each object.
#[derive(Debug)]
pub(crate) struct PrintedTable {
    columns: Cow<'static, [Column]>,
    include: Include,
}

// === impl PrintedTable ===

impl PrintedTable {
    /// Creates the table of a resource in `version`. `include` is the query parameter
    /// `includeObject`.
    pub(crate) fn new(resource: &Resource, version: &str, include: &str) -> Arc<Self> {
        Arc::new(Self {
            columns: columns_of(resource, version),
            include: Include::parse(include, resource, version),
        })
    }

    /// Returns the value of `columnDefinitions`.
    pub(crate) fn definitions(&self) -> Value {
        self.columns
            .iter()
            .map(|column| json!(column.definition))
            .collect()
    }

    /// Appends one row.
    pub(crate) fn write_row(&self, object: &Stored, out: &mut BytesMut) {
        let members = object.members();
        let cells: Value = self
            .columns
            .iter()
            .map(|column| column.cell(&members))
            .collect();
        out.put_slice(format!("{{\"cells\":{cells},\"object\":").as_bytes());
        match &self.include {
            Include::Nothing => out.put_slice(b"null"),
            Include::Metadata(head) => object.write_metadata(head, out),
            Include::Object { head, group } => match shown_by(group, object) {
                Some(shown) => shown.write(head, out),
                None => object.write(head, out),
            },
        }
        out.put_u8(b'}');
    }
}

fn columns_of(resource: &Resource, version: &str) -> Cow<'static, [Column]> {
    if !resource.custom {
        return columns::built_in(&resource.table_name()).into();
    }
    match resource.version(version) {
        Some(version) => columns::custom(&version.columns).into(),
        None => columns::custom(&[]).into(),
    }
}

// === impl Include ===

impl Include {
    fn parse(text: &str, resource: &Resource, version: &str) -> Self {
        match text {
            "None" => Self::Nothing,
            "Object" => Self::Object {
                head: head(&resource.kind, &resource.api_version(version)),
                group: resource.group.clone(),
            },
            _ => Self::Metadata(head("PartialObjectMetadata", "meta.k8s.io/v1")),
        }
    }
}

/// A table is equal only to itself.
impl PartialEq for PrintedTable {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for PrintedTable {}
