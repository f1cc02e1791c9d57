//! Parses `index = ...` and `index(...)`.

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::{LitStr, Path, Type};

use super::PathAttr;
use super::entry::{self, Entry, Keys, Slot};
use crate::ctxt::Ctxt;

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
    pub(super) fn read(ctxt: &Ctxt, entry: &Entry) -> Option<Self> {
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
