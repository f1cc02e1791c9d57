//! Generates the Rust types of a kind from the structural schema of its definition, in kopium's
//! form.
//!
//! ```text
//! manifest ─► schema ─► build ─► model ─► text (root)
//! ```
//!
//! A type accepts every object that the schema allows, without loss: it keeps the members that the
//! schema does not name wherever the API server keeps them.

mod build;
mod definition;
mod find;
mod model;
mod root;
pub(crate) mod schema;
mod shape;
mod text;

use std::collections::BTreeSet;

use informer_codegen::check::resolver::Purpose;
use informer_codegen::names::kopium;
use informer_codegen::path::Segment;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::quote;

pub(crate) use self::definition::{KindDefinition, TypePaths};
pub(crate) use self::find::{FieldPlace, NO_NAME};
use self::model::Model;
use self::schema::Schema;

/// Types of one kind, which have a separate module.
#[derive(Debug)]
pub(crate) struct Types {
    model: Model,
}

// === impl Types ===

impl Types {
    /// Generates the types of a kind, or returns the reason why that is impossible.
    pub(crate) fn new(kind: &str, schema: Option<&Schema>) -> Result<Self, String> {
        Ok(Self {
            model: build::model(kind, schema)?,
        })
    }

    /// Returns the name of the type of the objects.
    pub(crate) fn root(&self) -> &Ident {
        &self.model.root.name
    }

    /// Resolves a JSON path in the types of the kind, or returns the error.
    pub(crate) fn find(
        &self,
        kind: &str,
        path: &[Segment],
        purpose: Purpose,
    ) -> Result<FieldPlace, String> {
        find::find(&self.model, &kopium::module(kind), path, purpose)
    }

    /// Returns the content of the module: the imports, and the items.
    pub(crate) fn items(
        &self,
        definition: &KindDefinition<'_>,
        names: &TypePaths<'_>,
    ) -> TokenStream {
        let content = root::items(&self.model, definition, names);
        let mut used_names = BTreeSet::new();
        add_identifiers(content.clone(), &mut used_names);
        let uses = imports(&used_names, names);
        quote!(#uses #content)
    }
}

/// Adds the identifiers among `tokens`.
fn add_identifiers(tokens: TokenStream, identifiers: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            TokenTree::Ident(identifier) => {
                identifiers.insert(identifier.to_string());
            }
            TokenTree::Group(group) => add_identifiers(group.stream(), identifiers),
            TokenTree::Punct(_) | TokenTree::Literal(_) => {}
        }
    }
}

/// Returns the imports of the names that the items use.
fn imports(used_names: &BTreeSet<String>, names: &TypePaths<'_>) -> TokenStream {
    let TypePaths {
        runtime,
        k8s_openapi,
        ..
    } = names;
    let meta_v1 = quote!(#k8s_openapi::apimachinery::pkg::apis::meta::v1);
    let all = [
        ("Condition", quote!(#meta_v1::Condition)),
        ("ObjectMeta", quote!(#meta_v1::ObjectMeta)),
        (
            "ObjectReference",
            quote!(#k8s_openapi::api::core::v1::ObjectReference),
        ),
        ("IntOrString", quote!(#runtime::IntOrString)),
        ("CustomResource", quote!(::kube::CustomResource)),
        ("Deserialize", quote!(::serde::Deserialize)),
        ("Serialize", quote!(::serde::Serialize)),
        ("serialize_map", quote!(::serde::ser::SerializeMap as _)),
        ("BTreeMap", quote!(::std::collections::BTreeMap)),
    ];
    let mut imports = TokenStream::new();
    for (name, path) in &all {
        if used_names.contains(*name) {
            imports.extend(quote!(use #path;));
        }
    }
    imports
}
