//! Generates the Rust types of a kind from the structural schema of its definition, in kopium's
//! form.
//!
//! ```text
//! manifest ─► schema ─► build (naming) ─► model ─► text (docs, root)
//! ```
//!
//! A type accepts every object that the schema allows, without loss: it keeps the members that the
//! schema does not name wherever the API server keeps them.

mod build;
mod docs;
mod find;
mod model;
mod naming;
mod root;
pub(crate) mod schema;
mod shape;
#[cfg(test)]
mod tests;
mod text;

pub(crate) use self::docs::lines;
pub(crate) use self::find::Place;
use informer_codegen::path::Segment;

use self::model::Model;
pub(crate) use self::naming::module;
use self::schema::Schema;
use crate::fields::Purpose;
use crate::ir::Scope;

/// Definition of one version of a kind.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Definition<'a> {
    pub(crate) group: &'a str,
    pub(crate) version: &'a str,
    pub(crate) kind: &'a str,
    pub(crate) plural: &'a str,
    pub(crate) scope: Scope,
    pub(crate) short_names: &'a [String],
    pub(crate) schema: Option<&'a Schema>,
}

/// Names that the text of the types refers to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Names<'a> {
    pub(crate) visibility: &'a str,
    pub(crate) runtime: &'a str,
    pub(crate) k8s_openapi: &'a str,
}

/// Types of one kind, which have a separate module.
#[derive(Debug)]
pub(crate) struct Types {
    model: Model,
}

// === impl Types ===

impl Types {
    /// Generates the types of a kind, or returns the reason why that is impossible.
    pub(crate) fn new(definition: &Definition<'_>) -> Result<Self, String> {
        let model = build::model(definition)?;
        Ok(Self { model })
    }

    /// Returns the name of the type of the objects.
    pub(crate) fn root(&self) -> &str {
        &self.model.root.name
    }

    /// Resolves a JSON path in the types of the kind, or returns the error.
    pub(crate) fn find(
        &self,
        kind: &str,
        path: &[Segment],
        purpose: Purpose,
    ) -> Result<Place, String> {
        find::find(&self.model, &module(kind), path, purpose)
    }

    /// Returns the content of the module.
    pub(crate) fn text(&self, definition: &Definition<'_>, names: &Names<'_>) -> String {
        let items = root::items(&self.model, definition, names);
        format!("{}\n{items}", imports(&items, names))
    }
}

/// Returns the imports of the names that the items use.
fn imports(items: &str, names: &Names<'_>) -> String {
    let code: Vec<&str> = items
        .lines()
        .filter(|line| !line.trim_start().starts_with("///"))
        .collect();
    let is_used = |name: &str| {
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
        code.iter().any(|line| {
            line.match_indices(name).any(|(start, _)| {
                let before = line.get(..start).and_then(|text| text.chars().next_back());
                let after = line.get(start + name.len()..);
                let after = after.and_then(|text| text.chars().next());
                !before.is_some_and(is_part) && !after.is_some_and(is_part)
            })
        })
    };
    let k8s = names.k8s_openapi;
    let mut lines = Vec::new();
    let meta = "apimachinery::pkg::apis::meta::v1";
    for (name, path) in [
        ("Condition", format!("{k8s}::{meta}::Condition")),
        ("ObjectMeta", format!("{k8s}::{meta}::ObjectMeta")),
        (
            "ObjectReference",
            format!("{k8s}::api::core::v1::ObjectReference"),
        ),
        (
            "IntOrString",
            format!("{k8s}::apimachinery::pkg::util::intstr::IntOrString"),
        ),
        ("CustomResource", "::kube::CustomResource".to_owned()),
        ("Deserialize", "::serde::Deserialize".to_owned()),
        ("Serialize", "::serde::Serialize".to_owned()),
        (
            "serialize_map",
            "::serde::ser::SerializeMap as _".to_owned(),
        ),
        ("BTreeMap", "::std::collections::BTreeMap".to_owned()),
    ] {
        if is_used(name) {
            lines.push(format!("use {path};\n"));
        }
    }
    lines.concat()
}
