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
        let mut attributes = metas
            .into_iter()
            .filter(|meta| meta.path().is_ident("kube"))
            .peekable();
        let span = attributes.peek()?.path().span();
        let entries = attributes
            .filter_map(|meta| meta.require_list().ok())
            .flat_map(|list| entry::entries(list.tokens.clone()))
            .collect();
        Some(Self { span, entries })
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
        let singular = match self.text("singular") {
            Some(word) => word.value(),
            None => kind.to_ascii_lowercase(),
        };
        names::kube_plural(&singular)
    }

    /// Returns the position of `derive = "Informer"`, under any path.
    #[must_use]
    pub fn derives_informer(&self) -> Option<Span> {
        self.all("derive")
            .rfind(|derive| names_informer(derive))
            .map(Entry::span)
    }
}

/// Reports whether the path in `derive = ".."` leads to `Informer`.
fn names_informer(derive: &Entry) -> bool {
    let Some(text) = derive.try_string() else {
        return false;
    };
    let Ok(path) = text.parse::<Path>() else {
        return false;
    };
    path.segments
        .last()
        .is_some_and(|last| last.ident == "Informer")
}

/// Reads a flag as darling does: the word, or a boolean, in a string or not. Returns `None` for any
/// other value.
#[must_use]
pub fn flag(entry: &Entry) -> Option<bool> {
    let Some(value) = entry.equals() else {
        return entry.is_word().then_some(true);
    };
    if let Some(text) = entry.try_string() {
        return text.value().parse().ok();
    }
    let flag: LitBool = syn::parse2(value.clone()).ok()?;
    Some(flag.value)
}

#[cfg(test)]
mod tests;
