//! Parses `#[informer(...)]`, and checks its syntax only.

pub(crate) mod entry;
pub(crate) mod kube;
pub(crate) mod serde;

use informer_codegen::ir::Scope;
use proc_macro2::{Span, TokenStream, TokenTree};
use quote::ToTokens;
use syn::spanned::Spanned;
use syn::{Attribute, LitStr, Meta, Path, Type};

use self::entry::{Entry, Keys, Slot};
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
}

/// Entry `index`.
pub(crate) struct IndexAttr {
    /// Position of the key `index`.
    pub(crate) span: Span,
    /// `name = "by_x"`.
    pub(crate) name: Option<LitStr>,
    /// Source of the values.
    pub(crate) target: Target,
    /// `value = "Type"`.
    pub(crate) value: Option<Type>,
    /// Position of `unique`.
    pub(crate) unique: Option<Span>,
}

/// Source of the values of an index.
pub(crate) enum Target {
    /// Values at a path.
    Path(PathAttr),
    /// Value of one label or annotation, by its key.
    Entry(&'static str, LitStr),
    /// Controlling owner, of any kind or of one type only.
    Owner(Span, Option<Box<Type>>),
    /// Results of a function.
    With(Path),
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
    ],
};

const INDEX_KEYS: Keys = Keys {
    of: "index",
    bare: "path",
    known: &[
        "path",
        "label",
        "annotation",
        "owner",
        "with",
        "name",
        "value",
        "unique",
    ],
    meant: &[
        ("field", "path"),
        ("labels", "label"),
        ("annotations", "annotation"),
        ("controller", "owner"),
        ("accessor", "name"),
        ("function", "with"),
        ("type", "value"),
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

// === impl IndexAttr ===

/// Keys of one `index(...)`.
#[derive(Default)]
struct IndexSlots {
    name: Slot<LitStr>,
    value: Slot<Type>,
    unique: Slot<Span>,
    path: Slot<Target>,
    label: Slot<Target>,
    annotation: Slot<Target>,
    owner: Slot<Target>,
    with: Slot<Target>,
}

impl IndexAttr {
    fn read(ctxt: &Ctxt, entry: &Entry) -> Option<Self> {
        let span = entry.span();
        let Some(list) = entry.list() else {
            let path = PathAttr::read(ctxt, entry, "index = \"spec.field\"")?;
            return Some(Self {
                span,
                name: None,
                target: Target::Path(path),
                value: None,
                unique: None,
            });
        };
        let mut slots = IndexSlots::default();
        let entries = entry::entries(list);
        for entry in &entries {
            slots.set(ctxt, entry);
        }
        // An unknown key has been reported, so a missing source is not.
        let all_known = entries.iter().all(|entry| INDEX_KEYS.knows(entry));
        let target = slots.target(ctxt, all_known.then_some(span))?;
        Some(Self {
            span,
            name: slots.name.value,
            target,
            value: slots.value.value,
            unique: slots.unique.value,
        })
    }

    /// Returns the position of the source: of the path, of the function, or of the key.
    pub(crate) fn target_span(&self) -> Span {
        match &self.target {
            Target::Path(path) => path.span(),
            Target::Entry(_, text) => text.span(),
            Target::Owner(span, _) => *span,
            Target::With(with) => with.span(),
        }
    }
}

impl IndexSlots {
    fn set(&mut self, ctxt: &Ctxt, entry: &Entry) {
        let text = |form: &str| entry.string(ctxt, form);
        match INDEX_KEYS.find(ctxt, entry) {
            Some("name") => self.name.set(ctxt, entry, || text("name = \"by_x\"")),
            Some("value") => self
                .value
                .set(ctxt, entry, || entry.ty(ctxt, "value = \"u16\"")),
            Some("unique") => self.unique.set(ctxt, entry, || {
                entry.word(ctxt, "unique").then(|| entry.span())
            }),
            Some("path") => self.path.set(ctxt, entry, || {
                PathAttr::read(ctxt, entry, "path = \"spec.field\"").map(Target::Path)
            }),
            Some("label") => self.label.set(ctxt, entry, || {
                text("label = \"app\"").map(|key| Target::Entry("labels", key))
            }),
            Some("annotation") => self.annotation.set(ctxt, entry, || {
                text("annotation = \"key\"").map(|key| Target::Entry("annotations", key))
            }),
            Some("owner") => self.owner.set(ctxt, entry, || {
                if entry.is_word() {
                    return Some(Target::Owner(entry.span(), None));
                }
                let owner = entry.ty(ctxt, "owner = Deployment")?;
                Some(Target::Owner(entry.span(), Some(Box::new(owner))))
            }),
            Some("with") => self.with.set(ctxt, entry, || {
                entry.path(ctxt, "with = function").map(Target::With)
            }),
            _ => {}
        }
    }

    /// Returns the only source. Reports a second source, and reports a missing source at `span`.
    fn target(&mut self, ctxt: &Ctxt, span: Option<Span>) -> Option<Target> {
        let all = [
            ("path", &mut self.path),
            ("label", &mut self.label),
            ("annotation", &mut self.annotation),
            ("owner", &mut self.owner),
            ("with", &mut self.with),
        ];
        let mut given = all
            .into_iter()
            .filter_map(|(key, slot)| Some((key, slot.first?, slot)));
        let Some((key, first, slot)) = given.next() else {
            ctxt.error_at(
                span?,
                "an index needs a path or a function: write \
                 `index(path = \"spec.field\")`, `index(label = \"app\")`, `index(owner)` or \
                 `index(name = \"by_x\", with = function)`",
            );
            return None;
        };
        if let Some((other, second, _)) = given.next() {
            let message = format!(
                "an index has one source, but both `{key}` and `{other}` are set: remove one, or \
                 write two indices"
            );
            ctxt.conflict(second, message, first, "the first one is here");
            return None;
        }
        slot.value.take()
    }
}
