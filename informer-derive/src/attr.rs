//! What `#[informer(...)]` says, checked for form only.

pub(crate) mod entry;
pub(crate) mod kube;
pub(crate) mod serde;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta, Path, Type};

use self::entry::{Entry, Keys, Slot};
use crate::ctxt::Ctxt;

/// All `#[informer(...)]` of one struct.
#[derive(Default)]
pub(crate) struct Attrs {
    /// `crate = path`.
    pub(crate) runtime: Slot<Path>,
    /// `accessor = "foos"`.
    pub(crate) accessor: Slot<LitStr>,
    /// `scope = "Namespaced"`.
    pub(crate) scope: Slot<(Scope, Span)>,
    /// Each `index`.
    pub(crate) indices: Vec<IndexAttr>,
}

/// Where objects live, in the words of a CRD.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Scope {
    /// Each in a namespace.
    Namespaced,
    /// In the cluster.
    Cluster,
}

/// One `index`.
pub(crate) struct IndexAttr {
    /// The key `index`.
    pub(crate) span: Span,
    /// `name = "by_x"`.
    pub(crate) name: Option<LitStr>,
    /// What is indexed.
    pub(crate) target: Target,
    /// `value = "Type"`.
    pub(crate) value: Option<Type>,
}

/// What an index is over.
pub(crate) enum Target {
    /// The values at a path.
    Path(LitStr),
    /// The values that a function returns.
    With(Path),
}

const KEYS: Keys = Keys {
    of: "informer",
    bare: "index",
    known: &["index", "accessor", "scope", "crate"],
    meant: &[
        ("plural", "accessor"),
        ("name", "accessor"),
        ("namespaced", "scope = \"Namespaced\""),
        ("cluster", "scope = \"Cluster\""),
        ("runtime", "crate"),
        ("krate", "crate"),
        ("indices", "index"),
        ("indexes", "index"),
        ("indexer", "index"),
    ],
};

const INDEX_KEYS: Keys = Keys {
    of: "index",
    bare: "path",
    known: &["path", "name", "with", "value"],
    meant: &[
        ("field", "path"),
        ("accessor", "name"),
        ("function", "with"),
        ("type", "value"),
    ],
};

// === impl Attrs ===

impl Attrs {
    /// Reads each `#[informer(...)]` among `attrs`.
    pub(crate) fn read(ctxt: &Ctxt, attrs: &[Attribute]) -> Self {
        let mut all = Self::default();
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("informer")) {
            let Meta::List(list) = &attr.meta else {
                ctxt.error(
                    attr,
                    "expected a list: write `#[informer(index = \"spec.field\")]`, \
                     `#[informer(accessor = \"foos\")]`, or remove it",
                );
                continue;
            };
            for entry in entry::entries(list.tokens.clone()) {
                all.set(ctxt, &entry);
            }
        }
        all
    }

    fn set(&mut self, ctxt: &Ctxt, entry: &Entry) {
        match KEYS.find(ctxt, entry) {
            Some("index") => self.indices.extend(IndexAttr::read(ctxt, entry)),
            Some("accessor") => {
                self.accessor
                    .set(ctxt, entry, || entry.string(ctxt, "accessor = \"foos\""));
            }
            Some("scope") => self.scope.set(ctxt, entry, || scope(ctxt, entry)),
            Some("crate") => self
                .runtime
                .set(ctxt, entry, || entry.path(ctxt, "crate = informer")),
            _ => {}
        }
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

// === impl IndexAttr ===

impl IndexAttr {
    fn read(ctxt: &Ctxt, entry: &Entry) -> Option<Self> {
        let Some(list) = entry.list() else {
            let path = entry.string(ctxt, "index = \"spec.field\"")?;
            let target = Target::Path(path);
            return Some(Self {
                span: entry.span(),
                name: None,
                target,
                value: None,
            });
        };

        let (mut name, mut path, mut with, mut value) = (
            Slot::default(),
            Slot::default(),
            Slot::default(),
            Slot::default(),
        );
        let entries = entry::entries(list);
        for entry in &entries {
            match INDEX_KEYS.find(ctxt, entry) {
                Some("name") => name.set(ctxt, entry, || entry.string(ctxt, "name = \"by_x\"")),
                Some("path") => {
                    path.set(ctxt, entry, || entry.string(ctxt, "path = \"spec.field\""));
                }
                Some("with") => with.set(ctxt, entry, || entry.path(ctxt, "with = function")),
                Some("value") => value.set(ctxt, entry, || entry.ty(ctxt, "value = \"u16\"")),
                _ => {}
            }
        }
        let target = match (path.value, with.value) {
            (Some(path), None) => Target::Path(path),
            (None, Some(with)) => Target::With(with),
            (Some(_), Some(with)) => {
                ctxt.error(
                    with,
                    "an index has a `path` or a function (`with`): remove one",
                );
                return None;
            }
            (None, None) => {
                // What is wrong with a key that is there has been said.
                let others = ["name", "value"];
                if entries.iter().all(|entry| others.contains(&entry.key())) {
                    ctxt.error_at(
                        entry.span(),
                        "an index is over a path or what a function returns: write \
                         `index(path = \"spec.field\")` or `index(name = \"by_x\", with = function)`",
                    );
                }
                return None;
            }
        };
        Some(Self {
            span: entry.span(),
            name: name.value,
            target,
            value: value.value,
        })
    }

    /// Where the index is given: its path, its function, else its key.
    pub(crate) fn target_span(&self) -> Span {
        match &self.target {
            Target::Path(path) => path.span(),
            Target::With(with) => with.span(),
        }
    }
}
