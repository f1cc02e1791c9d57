//! Parses `index = ...` and `index(...)`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{LitStr, Path, Type};

use super::entry::{self, AllowedKeys, Entry, KeySlot};
use super::path::Written;
use super::target::NamedType;
use crate::ctxt::Ctxt;

/// Entry `index`.
pub struct IndexAttr {
    /// Position of the key `index`.
    pub span: Span,
    /// `name = "by_x"`.
    pub name: Option<LitStr>,
    /// Source of the values.
    pub source: IndexedBy,
    /// `value = "Type"`.
    pub value: Option<Type>,
    /// Position of `unique`.
    pub unique: Option<Span>,
}

/// Source of the values of an index.
pub enum IndexedBy {
    /// Values at a path.
    Path(Written),
    /// Value of one label or annotation, by its key.
    Entry(&'static str, LitStr),
    /// Controlling owner, of any kind or of one type only.
    Owner(Span, Option<NamedType>),
    /// Results of a function.
    With(Path),
}

const INDEX_KEYS: AllowedKeys = AllowedKeys {
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

// === impl IndexAttr ===

/// Keys of one `index(...)`.
#[derive(Default)]
struct IndexSlots {
    name: KeySlot<LitStr>,
    value: KeySlot<Type>,
    unique: KeySlot<Span>,
    path: KeySlot<IndexedBy>,
    label: KeySlot<IndexedBy>,
    annotation: KeySlot<IndexedBy>,
    owner: KeySlot<IndexedBy>,
    with: KeySlot<IndexedBy>,
}

impl IndexAttr {
    pub(crate) fn read(ctxt: &Ctxt, entry: &Entry) -> Option<Self> {
        let span = entry.span();
        let Some(list) = entry.list() else {
            let path = Written::read(ctxt, entry, "index = \"spec.field\"")?;
            return Some(Self {
                span,
                name: None,
                source: IndexedBy::Path(path),
                value: None,
                unique: None,
            });
        };
        let mut slots = IndexSlots::default();
        let mut all_known = true;
        for setting in &entry::entries(list) {
            slots.set(ctxt, setting);
            all_known &= INDEX_KEYS.knows(setting);
        }
        // An unknown key has been reported, so a missing source is not.
        let source = slots.source(ctxt, all_known.then_some(span))?;
        Some(Self {
            span,
            name: slots.name.value,
            source,
            value: slots.value.value,
            unique: slots.unique.value,
        })
    }

    /// Returns the position of the source: of the path, of the function, or of the key.
    #[must_use]
    pub fn source_span(&self) -> Span {
        match &self.source {
            IndexedBy::Path(path) => path.span(),
            IndexedBy::Entry(_, text) => text.span(),
            IndexedBy::Owner(span, _) => *span,
            IndexedBy::With(with) => with.span(),
        }
    }
}

/// Reads `owner`, or `owner = Type`.
fn owner(ctxt: &Ctxt, entry: &Entry) -> Option<IndexedBy> {
    if entry.is_word() {
        return Some(IndexedBy::Owner(entry.span(), None));
    }
    let ty = entry.target(ctxt, "owner = Deployment")?;
    Some(IndexedBy::Owner(entry.span(), Some(ty)))
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
                Written::read(ctxt, entry, "path = \"spec.field\"").map(IndexedBy::Path)
            }),
            Some("label") => self.label.set(ctxt, entry, || {
                text("label = \"app\"").map(|key| IndexedBy::Entry("labels", key))
            }),
            Some("annotation") => self.annotation.set(ctxt, entry, || {
                text("annotation = \"key\"").map(|key| IndexedBy::Entry("annotations", key))
            }),
            Some("owner") => self.owner.set(ctxt, entry, || owner(ctxt, entry)),
            Some("with") => self.with.set(ctxt, entry, || {
                entry.path(ctxt, "with = function").map(IndexedBy::With)
            }),
            _ => {}
        }
    }

    /// Returns the only source. Reports a second source, and reports a missing source at `span`.
    fn source(&mut self, ctxt: &Ctxt, span: Option<Span>) -> Option<IndexedBy> {
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
