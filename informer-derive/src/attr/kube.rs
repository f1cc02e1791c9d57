//! The sibling `#[kube(...)]` of `#[derive(CustomResource)]`, as kube-derive 5 reads it.
//!
//! Mistakes in it are kube-derive's to report: here a key that makes no sense is a key not given.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{Attribute, LitBool, LitStr, Meta};

use super::entry::{self, Entry};

/// What an informer must know of `#[resource(...)]`, the sibling of `#[derive(kube::Resource)]`: the
/// type that is projected, as `inherit` names it. `None` if there is no such attribute.
pub(crate) fn inherited(attrs: &[Attribute]) -> Option<String> {
    let attr = attrs.iter().find(|attr| attr.path().is_ident("resource"))?;
    let Meta::List(list) = &attr.meta else {
        return Some(String::new());
    };
    let all = entry::entries(list.tokens.clone());
    let inherit = all.iter().find(|entry| entry.key() == "inherit")?;
    // darling takes a path, bare or in a string.
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

/// What an informer must know of `#[kube(...)]`.
pub(crate) struct KubeAttrs {
    /// The first `#[kube]`.
    pub(crate) span: Span,
    /// `group = "..."`.
    pub(crate) group: Option<LitStr>,
    /// `version = "..."`.
    pub(crate) version: Option<LitStr>,
    /// `kind = "..."`.
    pub(crate) kind: Option<LitStr>,
    /// `root = "..."`: the name of the root struct, if not the kind.
    pub(crate) root: Option<LitStr>,
    /// `singular = "..."`.
    pub(crate) singular: Option<LitStr>,
    /// `plural = "..."`.
    pub(crate) plural: Option<LitStr>,
    /// `namespaced`.
    pub(crate) namespaced: bool,
    /// `no_spec`: the fields are at the root of the document.
    pub(crate) no_spec: bool,
    /// Whether there is a `status = "..."`.
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
    /// Reads each `#[kube(...)]` among `attrs`; `None` if there is none.
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

/// A flag as darling reads it: the word, or a boolean, in a string or not.
fn flag(entry: &Entry) -> bool {
    let Some(value) = entry.equals() else {
        return entry.is_word();
    };
    match entry.try_string() {
        Some(text) => text.value() == "true",
        None => syn::parse2::<LitBool>(value.clone()).is_ok_and(|flag| flag.value),
    }
}
