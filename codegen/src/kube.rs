//! Reads `#[kube(..)]`, the attribute of `#[derive(CustomResource)]`, as kube-derive 5 does.
//!
//! kube-derive reports mistakes in it. Here a malformed entry has no text and is no flag.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{LitBool, LitStr, Meta, Path};

use crate::declaration::entry::{self, Entry};
use crate::names;

/// All `#[kube(..)]` of an item.
pub struct Kube {
    /// Position of the first one.
    pub span: Span,
    entries: Vec<Entry>,
}

// === impl Kube ===

impl Kube {
    /// Reads each `#[kube(..)]` among `metas`. Returns `None` if none exists.
    #[must_use]
    pub fn read<'a>(metas: impl IntoIterator<Item = &'a Meta>) -> Option<Self> {
        let mut metas = metas
            .into_iter()
            .filter(|meta| meta.path().is_ident("kube"));
        let first = metas.next()?;
        let lists = [first].into_iter().chain(metas);
        let lists = lists.filter_map(|meta| meta.require_list().ok());
        Some(Self {
            span: first.path().span(),
            entries: lists
                .flat_map(|list| entry::entries(list.tokens.clone()))
                .collect(),
        })
    }

    /// Returns the entries with a key, in order.
    #[must_use]
    pub fn all<'a>(&'a self, key: &'a str) -> impl DoubleEndedIterator<Item = &'a Entry> {
        self.entries.iter().filter(move |entry| entry.key() == key)
    }

    /// Returns the entry of a key. The last one counts.
    #[must_use]
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().rfind(|entry| entry.key() == key)
    }

    /// Returns the string of a key.
    #[must_use]
    pub fn text(&self, key: &str) -> Option<LitStr> {
        self.entry(key)?.try_string()
    }

    /// Reports whether a flag is set.
    #[must_use]
    pub fn is(&self, key: &str) -> bool {
        self.entry(key).and_then(flag) == Some(true)
    }

    /// Returns the plural that kube-derive infers from `singular` or the kind, if `plural` is
    /// missing. kube-derive panics if the word is a single `y`.
    #[must_use]
    pub fn plural(&self, kind: &str) -> String {
        let word = self.text("singular");
        names::kube_plural(&word.map_or_else(|| kind.to_ascii_lowercase(), |word| word.value()))
    }

    /// Returns the position of `derive = "Informer"`, under any path.
    #[must_use]
    pub fn derives_informer(&self) -> Option<Span> {
        let is_informer = |entry: &&Entry| {
            let derives = entry.try_string();
            let derives = derives.and_then(|path| path.parse::<Path>().ok());
            let last = derives.as_ref().and_then(|path| path.segments.last());
            last.is_some_and(|last| last.ident == "Informer")
        };
        self.all("derive").rfind(is_informer).map(Entry::span)
    }
}

/// Reads a flag as darling does: the word, or a boolean, in a string or not. Returns `None` for any
/// other value.
#[must_use]
pub fn flag(entry: &Entry) -> Option<bool> {
    let Some(value) = entry.equals() else {
        return entry.is_word().then_some(true);
    };
    match entry.try_string() {
        Some(text) => text.value().parse().ok(),
        None => syn::parse2::<LitBool>(value.clone())
            .ok()
            .map(|flag| flag.value),
    }
}

#[cfg(test)]
mod tests;
