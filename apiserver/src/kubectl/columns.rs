//! The columns of tables.
//!
//! `columns.jsonl` has a line for each built-in resource, followed by its columns. The definitions
//! of columns are those of the real server: a test, `tests/kubectl`, compares them, and rewrites
//! them if told to. Other members of a line tell the origin of the cells: a path, the name of a
//! function of [`cells`](super::cells), or both. The first table is that of all resources without
//! a table of their own. A line that is only a name is the column of that name in the first table.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::cells::Function;
use super::path::Path;
use crate::document::Members;
use crate::registry::PrinterColumn;

/// Columns by the table name of their resource.
static BUILT_IN: LazyLock<HashMap<String, Vec<Column>>> =
    LazyLock::new(|| read(include_str!("columns.jsonl")));

/// Table name of the resources without a table of their own.
const OTHERS: &str = ".";

#[derive(Debug, Clone, Deserialize)]
pub(super) struct Column {
    #[serde(flatten)]
    pub(super) definition: ColumnDefinition,
    #[serde(flatten)]
    cell: CellSource,
}

/// A column as clients are told of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct ColumnDefinition {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    format: String,
    description: String,
    /// Above 0 for a column that only `-o wide` shows.
    priority: i32,
}

/// Origin of the cells of a column.
#[derive(Debug, Clone, Deserialize)]
#[serde(default)]
struct CellSource {
    #[serde(rename = "cell")]
    function: Function,
    paths: Vec<Path>,
    /// The cell if the function finds nothing.
    #[serde(rename = "else")]
    otherwise: Value,
    /// The cell is empty if nothing is at this path.
    #[serde(rename = "if")]
    condition: Option<Path>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Line {
    Resource { resource: String },
    Common(String),
    Column(Column),
}

/// Returns the columns of a built-in resource.
pub(super) fn built_in(table_name: &str) -> &'static [Column] {
    BUILT_IN
        .get(table_name)
        .or_else(|| BUILT_IN.get(OTHERS))
        .map_or(&[], Vec::as_slice)
}

/// Returns the columns of a custom resource: its name and the `declared` columns, or its age.
pub(super) fn custom(declared: &[PrinterColumn]) -> Vec<Column> {
    let mut columns = built_in(OTHERS).to_vec();
    if declared.is_empty() {
        // The type differs from that of built-in kinds.
        for age in columns.iter_mut().skip(1) {
            "date".clone_into(&mut age.definition.kind);
        }
    } else {
        columns.truncate(1);
        columns.extend(declared.iter().map(Column::declared));
    }
    columns
}

fn read(text: &str) -> HashMap<String, Vec<Column>> {
    let mut tables: HashMap<String, Vec<Column>> = HashMap::new();
    let mut resource = String::new();
    for line in text.lines() {
        let column = match serde_json::from_str(line) {
            Ok(Line::Resource { resource: next }) => {
                resource = next;
                continue;
            }
            Ok(Line::Common(name)) => common(&tables, &name),
            Ok(Line::Column(column)) => Some(column),
            // A test reads every line.
            Err(_) => None,
        };
        tables.entry(resource.clone()).or_default().extend(column);
    }
    tables
}

/// Returns the column of this name in the first table.
fn common(tables: &HashMap<String, Vec<Column>>, name: &str) -> Option<Column> {
    for column in tables.get(OTHERS)? {
        if column.definition.name == name {
            return Some(column.clone());
        }
    }
    None
}

// === impl Column ===

impl Column {
    fn declared(column: &PrinterColumn) -> Self {
        let path = &column.json_path;
        let description = if column.description.is_empty() {
            format!("Custom resource definition column (in JSONPath format): {path}")
        } else {
            column.description.clone()
        };
        Self {
            definition: ColumnDefinition {
                name: column.name.clone(),
                kind: column.kind.clone(),
                format: column.format.clone(),
                description,
                priority: column.priority,
            },
            cell: CellSource {
                function: Function::declared(&column.kind),
                paths: vec![Path::from(path.clone())],
                otherwise: Value::Null,
                condition: None,
            },
        }
    }

    /// Returns the cell of an object.
    pub(super) fn cell(&self, members: &Members) -> Value {
        let source = &self.cell;
        if let Some(condition) = &source.condition
            && condition.find(members).is_empty()
        {
            return "".into();
        }
        let found = match source.function {
            Function::OfObject(function) => Some(function(members)),
            Function::OfValues(function) => {
                let mut values = Vec::new();
                for path in &source.paths {
                    values.extend(path.find(members));
                }
                function(&values)
            }
        };
        found.unwrap_or_else(|| source.otherwise.clone())
    }
}

// === impl CellSource ===

impl Default for CellSource {
    fn default() -> Self {
        Self {
            function: Function::default(),
            paths: Vec::new(),
            otherwise: "".into(),
            condition: None,
        }
    }
}

#[cfg(test)]
mod tests;
