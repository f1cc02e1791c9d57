//! Tables: the form of an answer that `kubectl get` prints.
//!
//! A column knows how to find its cell in an object. Custom kinds bring theirs as JSON paths; of
//! the built-in ones the common ones have the real server's columns, and all others name and age.

mod cells;
mod path;

use std::sync::Arc;

use bytes::{BufMut, Bytes, BytesMut};
use jiff::Timestamp;
use serde_json::{Value, json};

use crate::document::{Members, metadata_str};
use crate::registry::forms::shown_by;
use crate::registry::{PrinterColumn, Resource};
use crate::store::{Stored, head};
use path::Path;

/// What a row says about its object: `includeObject`.
#[derive(Debug)]
enum Include {
    Nothing,
    /// Behind the head of its document.
    Metadata(Bytes),
    Object {
        head: Bytes,
        group: String,
    },
}

/// How objects are shown as rows.
#[derive(Debug)]
pub(crate) struct Table {
    columns: Vec<Column>,
    include: Include,
}

#[derive(Debug)]
struct Column {
    definition: PrinterColumn,
    cell: Cell,
}

/// Where a cell comes from.
#[derive(Debug)]
enum Cell {
    Found(Path),
    Made(fn(&Members) -> Value),
}

/// What the real server says about the columns that every kind has.
const NAME: &str = "Name must be unique within a namespace. Is required when creating resources, \
    although some resources may allow a client to request the generation of an appropriate name \
    automatically. Name is primarily intended for creation idempotence and configuration \
    definition. Cannot be updated. More info: \
    https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
const AGE: &str = "CreationTimestamp is a timestamp representing the server time when this object \
    was created. It is not guaranteed to be set in happens-before order across separate \
    operations. Clients may not set this value. It is represented in RFC3339 form and is in \
    UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: \
    https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

// === impl Table ===

impl Table {
    /// The table of a resource in `version`. `include` is the query parameter `includeObject`.
    pub(crate) fn new(resource: &Resource, version: &str, include: &str) -> Arc<Self> {
        let mut columns = Vec::new();
        // Events have their name last, and only where there is room.
        if resource.custom || resource.plural != "events" {
            columns.push(made("Name", "string", "name", |m| {
                metadata_str(m, "name").into()
            }));
        }
        let declared = resource
            .version(version)
            .map_or(&[][..], |version| &version.columns);
        if resource.custom && declared.is_empty() {
            columns.push(made("Age", "date", "", cells::age));
        } else if resource.custom {
            columns.extend(declared.iter().map(|definition| Column {
                cell: Cell::Found(Path::parse(&definition.json_path)),
                definition: definition.clone(),
            }));
        } else {
            let own = cells::columns(&resource.group, &resource.plural);
            columns.extend(own.iter().map(|column| {
                let format = if column.name == "Name" { "name" } else { "" };
                let mut made = made(column.name, column.kind, format, column.make);
                made.definition.priority = column.wide.into();
                made
            }));
        }
        let include = match include {
            "None" => Include::Nothing,
            "Object" => Include::Object {
                head: head(&resource.kind, &resource.api_version(version)),
                group: resource.group.clone(),
            },
            _ => Include::Metadata(head("PartialObjectMetadata", "meta.k8s.io/v1")),
        };
        Arc::new(Self { columns, include })
    }

    /// The value of `columnDefinitions`.
    pub(crate) fn definitions(&self) -> Value {
        self.columns.iter().map(Column::to_value).collect()
    }

    /// Appends one row.
    pub(crate) fn write_row(&self, object: &Stored, out: &mut BytesMut) {
        let now = Timestamp::now();
        let members = object.members();
        let cells: Value = self
            .columns
            .iter()
            .map(|column| column.value(&members, now))
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

/// A table is equal to itself alone.
impl PartialEq for Table {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self, other)
    }
}

impl Eq for Table {}

// === impl Column ===

fn made(name: &str, kind: &str, format: &str, cell: fn(&Members) -> Value) -> Column {
    let description = match name {
        "Name" => NAME,
        "Age" => AGE,
        _ => "",
    };
    Column {
        definition: PrinterColumn {
            name: name.to_owned(),
            kind: kind.to_owned(),
            format: format.to_owned(),
            description: description.to_owned(),
            priority: 0,
            json_path: String::new(),
        },
        cell: Cell::Made(cell),
    }
}

impl Column {
    fn to_value(&self) -> Value {
        let PrinterColumn {
            name,
            kind,
            format,
            description,
            priority,
            json_path,
        } = &self.definition;
        json!({
            "name": name, "type": kind, "format": format,
            "description": if description.is_empty() && !json_path.is_empty() {
                format!("Custom resource definition column (in JSONPath format): {json_path}")
            } else {
                description.clone()
            },
            "priority": priority,
        })
    }

    fn value(&self, members: &Members, now: Timestamp) -> Value {
        let path = match &self.cell {
            Cell::Made(make) => return make(members),
            Cell::Found(path) => path,
        };
        let Some(found) = path.first(members) else {
            return Value::Null;
        };
        match (self.definition.kind.as_str(), found) {
            ("date", Value::String(time)) => cells::since(time, now).into(),
            ("string", Value::String(_))
            | ("number", Value::Number(_))
            | ("boolean", Value::Bool(_)) => found.clone(),
            ("string", other) => other.to_string().into(),
            ("integer", Value::Number(number)) => {
                number.as_i64().map_or_else(|| found.clone(), Value::from)
            }
            _ => Value::Null,
        }
    }
}
