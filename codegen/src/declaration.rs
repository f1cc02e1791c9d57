//! Declaration of a kind: the grammar of `#[informer(...)]`. Checks the syntax only.
//!
//! The derive reads it from attributes, the generator from text.

pub mod entry;
pub mod index;
pub mod path;
pub mod relation;
pub mod target;

use proc_macro2::{Span, TokenStream};
use syn::{LitStr, Path, Type};

use self::entry::{AllowedKeys, Entry, KeySlot};
use self::index::IndexAttr;
use self::relation::RelationAttr;
use crate::ctxt::Ctxt;
use crate::ir::{Scope, Verb};

/// Declared names, indices and relations of one kind.
#[derive(Default)]
pub struct Declaration {
    /// `crate = path`.
    pub runtime: KeySlot<Path>,
    /// `accessor = "foos"`.
    pub accessor: KeySlot<LitStr>,
    /// `scope = "Namespaced"`.
    pub scope: KeySlot<(Scope, Span)>,
    /// `of = Type`.
    pub of: KeySlot<Type>,
    /// `prefix = "Foo"`.
    pub prefix: KeySlot<LitStr>,
    /// Each `selectable = "spec.field"`.
    pub selectable: Vec<LitStr>,
    /// Each `index`.
    pub indices: Vec<IndexAttr>,
    /// Each relation in `owns`, `references` and `selects`.
    pub relations: Vec<RelationAttr>,
}

const KEYS: AllowedKeys = AllowedKeys {
    of: "informer",
    bare: "index",
    known: &[
        "index",
        "accessor",
        "scope",
        "of",
        "prefix",
        "selectable",
        "owns",
        "references",
        "selects",
        "crate",
    ],
    meant: &[
        ("plural", "accessor"),
        ("name", "accessor"),
        ("type", "of"),
        ("inherit", "of"),
        ("names", "prefix"),
        ("wrapper", "prefix"),
        ("suffix", "prefix"),
        ("path", "index"),
        ("label", "index(label = \"..\")"),
        ("annotation", "index(annotation = \"..\")"),
        ("owner", "index(owner)"),
        ("unique", "index(path = \"..\", unique)"),
        ("with", "index(name = \"..\", with = function)"),
        ("group", "#[kube(group = \"..\")]"),
        ("version", "#[kube(version = \"..\")]"),
        ("kind", "#[kube(kind = \"..\")]"),
        ("status", "#[kube(status = \"..\")]"),
        ("root", "#[kube(root = \"..\")]"),
        ("namespaced", "scope = \"Namespaced\""),
        ("cluster", "scope = \"Cluster\""),
        ("runtime", "crate"),
        ("krate", "crate"),
        ("indices", "index"),
        ("indexes", "index"),
        ("indexer", "index"),
        ("owned", "owns"),
        ("children", "owns"),
        ("refs", "references"),
        ("mentions", "references"),
        ("selector", "selects"),
    ],
};

// === impl Declaration ===

impl Declaration {
    /// Reads a declaration, such as the content of `#[informer(...)]`, in addition to what was read.
    pub fn read(&mut self, ctxt: &Ctxt, tokens: TokenStream) {
        for entry in entry::entries(tokens) {
            self.set(ctxt, &entry);
        }
    }

    fn set(&mut self, ctxt: &Ctxt, entry: &Entry) {
        match KEYS.find(ctxt, entry) {
            Some("index") => self.indices.extend(IndexAttr::read(ctxt, entry)),
            Some("owns") => self.relate(ctxt, Verb::Owns, entry),
            Some("references") => self.relate(ctxt, Verb::References, entry),
            Some("selects") => self.relate(ctxt, Verb::Selects, entry),
            Some("accessor") => {
                self.accessor
                    .set(ctxt, entry, || entry.string(ctxt, "accessor = \"foos\""));
            }
            Some("scope") => self.scope.set(ctxt, entry, || scope(ctxt, entry)),
            Some("of") => self
                .of
                .set(ctxt, entry, || entry.ty(ctxt, "of = \"other::Foo\"")),
            Some("prefix") => self
                .prefix
                .set(ctxt, entry, || entry.string(ctxt, "prefix = \"Foo\"")),
            Some("selectable") => {
                let field = entry.string(ctxt, "selectable = \"spec.field\"");
                self.selectable.extend(field);
            }
            Some("crate") => self
                .runtime
                .set(ctxt, entry, || entry.path(ctxt, "crate = informer")),
            _ => {}
        }
    }

    fn relate(&mut self, ctxt: &Ctxt, verb: Verb, entry: &Entry) {
        self.relations.extend(RelationAttr::read(ctxt, verb, entry));
    }
}

fn scope(ctxt: &Ctxt, entry: &Entry) -> Option<(Scope, Span)> {
    let text = entry.string(ctxt, "scope = \"Namespaced\"")?;
    let scope = match text.value().as_str() {
        "Namespaced" => Scope::Namespaced,
        "Cluster" => Scope::Cluster,
        other => {
            ctxt.error(
                &text,
                format!("unknown scope `{other}`: write \"Namespaced\" or \"Cluster\""),
            );
            return None;
        }
    };
    Some((scope, text.span()))
}
