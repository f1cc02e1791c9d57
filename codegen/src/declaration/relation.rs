//! Parses `owns(...)`, `references(...)` and `selects(...)`.

use proc_macro2::Span;
use syn::LitStr;

use super::entry::{self, AllowedKeys, Entry, KeySlot};
use super::path::Written;
use super::target::NamedType;
use crate::ctxt::Ctxt;
use crate::ir::Verb;

/// Entry of `owns(...)`, `references(...)` or `selects(...)`.
pub struct RelationAttr {
    /// Kind of relation.
    pub verb: Verb,
    /// Type of the related objects.
    pub target: NamedType,
    /// `accessor = "pull_secrets"`.
    pub accessor: Option<LitStr>,
    /// Path of the names or of the selectors. `None` for `owns`, and after a reported mistake.
    pub path: Option<Written>,
    /// `namespace = path`.
    pub namespace: Option<Written>,
    /// `kind = path`.
    pub kind: Option<Written>,
}

const OWNS_KEYS: AllowedKeys = AllowedKeys {
    of: "owns",
    bare: "accessor",
    known: &["accessor"],
    meant: &[("name", "accessor"), ("by", "accessor")],
};

const REFERENCES_KEYS: AllowedKeys = AllowedKeys {
    of: "references",
    bare: "path",
    known: &["path", "namespace", "kind", "accessor"],
    meant: &[
        ("name", "path"),
        ("field", "path"),
        ("ns", "namespace"),
        ("by", "accessor"),
    ],
};

const SELECTS_KEYS: AllowedKeys = AllowedKeys {
    of: "selects",
    bare: "path",
    known: &["path", "accessor"],
    meant: &[
        ("selector", "path"),
        ("field", "path"),
        ("name", "accessor"),
        ("by", "accessor"),
    ],
};

// === impl Verb ===

impl Verb {
    /// Returns the key.
    #[must_use]
    pub fn key(self) -> &'static str {
        self.keys().of
    }

    /// Returns an example of the key with a type.
    pub(crate) fn form(self) -> &'static str {
        match self {
            Self::Owns => "owns(Deployment)",
            Self::References => "references(Secret = spec.tls.secret_name)",
            Self::Selects => "selects(Pod = spec.selector)",
        }
    }

    /// Returns the keys in parentheses after a type.
    fn keys(self) -> &'static AllowedKeys {
        match self {
            Self::Owns => &OWNS_KEYS,
            Self::References => &REFERENCES_KEYS,
            Self::Selects => &SELECTS_KEYS,
        }
    }
}

// === impl RelationAttr ===

/// Keys in parentheses after a type.
#[derive(Default)]
struct Slots {
    path: KeySlot<Written>,
    namespace: KeySlot<Written>,
    kind: KeySlot<Written>,
    accessor: KeySlot<LitStr>,
}

impl RelationAttr {
    /// Reads the relations that `entry` declares.
    pub(crate) fn read(ctxt: &Ctxt, verb: Verb, entry: &Entry) -> Vec<Self> {
        let Some(list) = entry.list().filter(|list| !list.is_empty()) else {
            entry.report(ctxt, "types in parentheses", verb.form());
            return Vec::new();
        };
        entry::entries(list)
            .into_iter()
            .filter_map(|target| Self::one(ctxt, verb, target))
            .collect()
    }

    fn one(ctxt: &Ctxt, verb: Verb, entry: Entry) -> Option<Self> {
        if entry.is_empty() {
            verb.keys().find(ctxt, &entry);
            return None;
        }
        let (target, entry) = entry.typed(ctxt, verb.form())?;
        let mut slots = Slots::default();
        let mut all_known = true;
        if let Some(list) = entry.list() {
            for setting in &entry::entries(list) {
                all_known &= slots.set(ctxt, verb, setting);
            }
        } else if !entry.is_word() {
            match verb {
                Verb::References | Verb::Selects => slots
                    .path
                    .set(ctxt, &entry, || Written::read(ctxt, &entry, verb.form())),
                Verb::Owns => ctxt.error(
                    &target,
                    format!(
                        "an owned object is found by its owner reference, not by a path: write \
                         `{}`",
                        verb.form()
                    ),
                ),
            }
        }
        // An unknown key has been reported, so a missing path is not.
        if !slots.path.given() && all_known {
            report_missing_path(ctxt, verb, &target);
        }
        Some(Self {
            verb,
            target,
            accessor: slots.accessor.value,
            path: slots.path.value,
            namespace: slots.namespace.value,
            kind: slots.kind.value,
        })
    }

    /// Returns the position of the declaration: of its path, or of its type.
    #[must_use]
    pub fn span(&self) -> Span {
        match &self.path {
            Some(path) => path.span(),
            None => self.target.span(),
        }
    }
}

/// Reports a relation without a path, which `owns` alone does not need.
fn report_missing_path(ctxt: &Ctxt, verb: Verb, target: &NamedType) {
    let field = match verb {
        Verb::Owns => return,
        Verb::References => "name",
        Verb::Selects => "selector",
    };
    let key = verb.key();
    let name = match target {
        NamedType::Kind(text, _) => text.clone(),
        NamedType::Type(_) => target.kind(),
    };
    ctxt.error(
        target,
        format!(
            "the path of the field with the {field} is missing: write `{key}({name} = spec.field)`"
        ),
    );
}

// === impl Slots ===

impl Slots {
    /// Sets the key of `entry`. Reports an unknown key, and returns `false`.
    fn set(&mut self, ctxt: &Ctxt, verb: Verb, entry: &Entry) -> bool {
        let path = |form: &str| Written::read(ctxt, entry, form);
        match verb.keys().find(ctxt, entry) {
            Some("path") => self.path.set(ctxt, entry, || path("path = spec.field")),
            Some("namespace") => self
                .namespace
                .set(ctxt, entry, || path("namespace = spec.field")),
            Some("kind") => self.kind.set(ctxt, entry, || path("kind = spec.field")),
            Some("accessor") => self.accessor.set(ctxt, entry, || {
                entry.string(ctxt, "accessor = \"pull_secrets\"")
            }),
            _ => return false,
        }
        true
    }
}
