//! Parses `#[informer(...)]`, and checks its syntax only.

pub(crate) mod entry;
pub(crate) mod index;
pub(crate) mod kube;
pub(crate) mod relation;
pub(crate) mod serde;

use informer_codegen::ir::Scope;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta, Path, Type};

use self::entry::{Entry, Keys, Slot};
use self::index::IndexAttr;
use self::relation::{RelationAttr, Verb};
use crate::ctxt::Ctxt;

/// All `#[informer(...)]` attributes of one item.
#[derive(Default)]
pub(crate) struct Attrs {
    /// `crate = path`.
    pub(crate) runtime: Slot<Path>,
    /// `accessor = "foos"`.
    pub(crate) accessor: Slot<LitStr>,
    /// `scope = "Namespaced"`.
    pub(crate) scope: Slot<(Scope, Span)>,
    /// `of = Type`.
    pub(crate) of: Slot<Type>,
    /// `prefix = "Foo"`.
    pub(crate) prefix: Slot<LitStr>,
    /// Each `selectable = "spec.field"`.
    pub(crate) selectable: Vec<LitStr>,
    /// Each `index`.
    pub(crate) indices: Vec<IndexAttr>,
    /// Each relation in `owns`, `references` and `selects`.
    pub(crate) relations: Vec<RelationAttr>,
}

/// Path as written in the attribute.
pub(crate) enum PathAttr {
    /// `"spec.deploymentName"`: with the names in JSON.
    Json(LitStr),
    /// `spec.deployment_name`: with the names in Rust.
    Rust(TokenStream),
}

const KEYS: Keys = Keys {
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

// === impl Attrs ===

impl Attrs {
    /// Reads each `#[informer(...)]` among `attrs`.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute]) -> Self {
        let form = "`#[informer(index = \"spec.field\")]`, `#[informer(accessor = \"foos\")]`";
        let mut all = Self::default();
        for entry in entries(ctxt, attrs, form) {
            all.set(ctxt, &entry);
        }
        all
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

/// Returns the path in `#[informer(crate = path)]`, the only key of an enum's attribute.
pub(crate) fn runtime_only(ctxt: &Ctxt, attrs: &[Attribute]) -> Slot<Path> {
    const KEYS: Keys = Keys {
        of: "informer",
        bare: "crate",
        known: &["crate"],
        meant: &[("runtime", "crate"), ("krate", "crate")],
    };
    let mut runtime = Slot::default();
    for entry in entries(ctxt, attrs, "`#[informer(crate = path)]`") {
        if KEYS.find(ctxt, &entry).is_some() {
            runtime.set(ctxt, &entry, || entry.path(ctxt, "crate = informer"));
        }
    }
    runtime
}

/// Returns the entries of each `#[informer(...)]`. `form` is the example in the error of an
/// attribute without entries.
fn entries(ctxt: &Ctxt, attrs: &[Attribute], form: &str) -> Vec<Entry> {
    let mut all = Vec::new();
    for attr in attrs.iter().filter(|attr| attr.path().is_ident("informer")) {
        match &attr.meta {
            Meta::List(list) => all.extend(entry::entries(list.tokens.clone())),
            Meta::Path(_) | Meta::NameValue(_) => {
                let message = format!("expected a list: write {form}, or remove it");
                ctxt.error(attr, message);
            }
        }
    }
    all
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

// === impl PathAttr ===

impl PathAttr {
    /// Parses the value of `entry`. `form` is the example in the error.
    fn read(ctxt: &Ctxt, entry: &Entry, form: &str) -> Option<Self> {
        let starts = |tokens: &TokenStream| {
            let first = tokens.clone().into_iter().next();
            matches!(first, Some(TokenTree::Ident(_)))
        };
        match entry.equals() {
            Some(tokens) if starts(tokens) => Some(Self::Rust(tokens.clone())),
            _ => entry.string(ctxt, form).map(Self::Json),
        }
    }

    /// Returns the position of the path, or of its start.
    pub(crate) fn span(&self) -> Span {
        match self {
            Self::Json(text) => text.span(),
            Self::Rust(tokens) => tokens.span(),
        }
    }
}

impl ToTokens for PathAttr {
    fn to_tokens(&self, tokens: &mut TokenStream) {
        match self {
            Self::Json(text) => text.to_tokens(tokens),
            Self::Rust(path) => path.to_tokens(tokens),
        }
    }
}
