//! Reads the sibling `#[kube(...)]` of `#[derive(CustomResource)]` as kube-derive 5 does.
//!
//! kube-derive reports mistakes in it. Here a malformed key counts as missing.

use informer_codegen::declaration::entry::{self, Entry};
use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, LitBool, LitStr, Meta};

/// Returns the type that a `#[derive(kube::Resource)]` projects: the value of `inherit` in the
/// sibling `#[resource(...)]`, or `None` without such an attribute.
pub(crate) fn inherited(attrs: &[Attribute]) -> Option<String> {
    let attr = attrs.iter().find(|attr| attr.path().is_ident("resource"))?;
    let Meta::List(list) = &attr.meta else {
        return Some(String::new());
    };
    let all = entry::entries(list.tokens.clone());
    let inherit = all.iter().find(|entry| entry.key() == "inherit")?;
    // darling accepts a path, bare or in a string.
    let path = match inherit.try_string() {
        Some(text) => text.value(),
        None => inherit.equals()?.to_string(),
    };
    Some(
        path.split("::")
            .last()
            .unwrap_or_default()
            .trim()
            .to_owned(),
    )
}

/// Keys of `#[kube(...)]` that an informer depends on.
pub(crate) struct KubeAttrs {
    /// Position of the first `#[kube]`.
    pub(crate) span: Span,
    /// `group = "..."`.
    pub(crate) group: Option<LitStr>,
    /// `version = "..."`.
    pub(crate) version: Option<LitStr>,
    /// `kind = "..."`.
    pub(crate) kind: Option<LitStr>,
    /// `root = "..."`: name of the root struct, if it differs from the kind.
    pub(crate) root: Option<LitStr>,
    /// `singular = "..."`.
    pub(crate) singular: Option<LitStr>,
    /// `plural = "..."`.
    pub(crate) plural: Option<LitStr>,
    /// `namespaced`.
    pub(crate) namespaced: bool,
    /// `no_spec`: the fields are at the root of the document.
    pub(crate) no_spec: bool,
    /// `true` if `status = "..."` is set.
    pub(crate) status: bool,
    /// `served = false`: the API server does not serve this version.
    pub(crate) unserved: Option<Span>,
    /// Each `selectable = ".spec.field"`.
    pub(crate) selectable: Vec<LitStr>,
    /// `derive = "Informer"`.
    pub(crate) derives_informer: Option<Span>,
}

// === impl KubeAttrs ===

impl KubeAttrs {
    /// Reads each `#[kube(...)]` among `attrs`. Returns `None` if none exists.
    pub(crate) fn read(attrs: &[Attribute]) -> Option<Self> {
        let mut all: Option<Self> = None;
        for attr in attrs.iter().filter(|attr| attr.path().is_ident("kube")) {
            let kube = all.get_or_insert_with(|| Self::empty(attr.path().span()));
            if let Meta::List(list) = &attr.meta {
                for entry in entry::entries(list.tokens.clone()) {
                    kube.set(&entry);
                }
            }
        }
        all
    }

    fn empty(span: Span) -> Self {
        Self {
            span,
            group: None,
            version: None,
            kind: None,
            root: None,
            singular: None,
            plural: None,
            namespaced: false,
            no_spec: false,
            status: false,
            unserved: None,
            selectable: Vec::new(),
            derives_informer: None,
        }
    }

    fn set(&mut self, entry: &Entry) {
        let string = entry.try_string();
        match entry.key() {
            "group" => self.group = string,
            "version" => self.version = string,
            "kind" => self.kind = string,
            "root" => self.root = string,
            "singular" => self.singular = string,
            "plural" => self.plural = string,
            "namespaced" => self.namespaced = flag(entry),
            "no_spec" => self.no_spec = flag(entry),
            "status" => self.status = true,
            "selectable" => self.selectable.extend(string),
            "served" => self.unserved = (!flag(entry)).then(|| entry.span()),
            "derive" => {
                let derives = string.and_then(|path| path.parse::<syn::Path>().ok());
                let last = derives.as_ref().and_then(|path| path.segments.last());
                if last.is_some_and(|last| last.ident == "Informer") {
                    self.derives_informer = Some(entry.span());
                }
            }
            _ => {}
        }
    }
}

/// Reads a flag as darling does: the word, or a boolean, in a string or not.
fn flag(entry: &Entry) -> bool {
    let Some(value) = entry.equals() else {
        return entry.is_word();
    };
    match entry.try_string() {
        Some(text) => text.value() == "true",
        None => syn::parse2::<LitBool>(value.clone()).is_ok_and(|flag| flag.value),
    }
}
