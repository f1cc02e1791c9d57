//! Which Rust type holds the objects of a kind that is not built in: the one that an option names,
//! the one that a source file defines, the one of the kind's name in a module, or none of its own.

use std::collections::{BTreeMap, BTreeSet};

use informer_codegen::names;
use proc_macro2::Span;
use syn::parse_quote;

use super::Loaded;
use super::rust::Sources;
use super::selection::Selection;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::{Gvk, Origin};
use crate::{paths, suggest};

/// The word that stands for a type where there is none.
pub(crate) const DYNAMIC: &str = "dynamic";

/// The word that stands for types that are written.
pub(crate) const WRITTEN: &str = "types";

/// The types of kinds that are not mapped one by one.
pub(super) enum Module {
    None(OptionName),
    Path(syn::Path),
    /// `DynamicObject` for all.
    Dynamic,
    /// Types of their own, which are written.
    Written,
}

/// What holds the objects of a kind.
#[derive(Clone)]
pub(super) enum Held {
    By(syn::Path),
    Dynamically,
    /// By a type that is written from the schema.
    Written,
}

/// Rust types by kind.
pub(super) struct Types {
    /// As the user gave them.
    given: BTreeMap<Gvk, Held>,
    /// As sources define them.
    defined: BTreeMap<Gvk, syn::Path>,
    dynamic: syn::Path,
    pub(super) selection: Selection,
}

// === impl Module ===

impl Module {
    /// What `option` says of a module.
    pub(super) fn new(module: Option<&str>, option: OptionName) -> Result<Self, Error> {
        Ok(match module {
            None => Self::None(option),
            Some(DYNAMIC) => Self::Dynamic,
            Some(WRITTEN) => Self::Written,
            Some(text) => Self::Path(paths::absolute(text, option)?),
        })
    }

    /// The type that is named like the kind, or why there is none.
    pub(super) fn type_of(&self, kind: &str) -> Result<Held, String> {
        let module = match self {
            Self::Path(module) => module,
            Self::Dynamic => return Ok(Held::Dynamically),
            Self::Written => return Ok(Held::Written),
            Self::None(OptionName::CrdManifests) => {
                let option = OptionName::CrdManifests;
                return Err(format!(
                    ", give {option} a module, `{WRITTEN}` to have a type written from the \
                     schema, or `{DYNAMIC}` to do without one"
                ));
            }
            Self::None(option) => {
                let manifests = OptionName::CrdManifests;
                return Err(format!(
                    ", give {option} a module, or `{DYNAMIC}` to do without a type; with the \
                     manifest, {manifests} writes one"
                ));
            }
        };
        if !names::is_type_name(kind) {
            return Err(format!(", as `{kind}` cannot be the name of a Rust type"));
        }
        let mut path = module.clone();
        path.segments
            .push(names::identifier(kind, Span::call_site()).into());
        Ok(Held::By(path))
    }
}

// === impl Types ===

impl Types {
    pub(super) fn new(config: &Config, sources: &Sources) -> Result<Self, Error> {
        let mut given = BTreeMap::new();
        for pair in &config.crd_type {
            let gvk = Gvk::parse(&pair.key).ok_or_else(|| {
                OptionName::CrdType.refuse(&pair.key, "is not a kind such as `example.com/v1/Foo`")
            })?;
            let held = match pair.value.as_str() {
                DYNAMIC => Held::Dynamically,
                WRITTEN => Held::Written,
                path => Held::By(paths::absolute(path, OptionName::CrdType)?),
            };
            let before = given.insert(gvk, held.clone());
            if before.is_some_and(|before| before.name() != held.name()) {
                return Err(OptionName::CrdType.refuse(&pair.key, "is mapped to two types"));
            }
        }
        let defined = sources.resources.iter();
        let mut dynamic = paths::absolute(config.runtime(), OptionName::RuntimePath)?;
        for segment in ["__private", "DynamicObject"] {
            dynamic
                .segments
                .push(names::identifier(segment, Span::call_site()).into());
        }
        Ok(Self {
            given,
            defined: defined
                .map(|resource| (resource.gvk.clone(), resource.rust_type.clone()))
                .collect(),
            dynamic,
            selection: Selection::new(config),
        })
    }

    pub(super) fn get(&self, gvk: &Gvk) -> Option<Held> {
        if let Some(given) = self.given.get(gvk) {
            return Some(given.clone());
        }
        if self.selection.is_dynamic(gvk) {
            return Some(Held::Dynamically);
        }
        self.defined.get(gvk).cloned().map(Held::By)
    }

    /// The path that generated code names; of a type that is written, there is `written`.
    pub(super) fn path(&self, held: &Held) -> syn::Path {
        match held {
            Held::By(path) => path.clone(),
            Held::Dynamically | Held::Written => self.dynamic.clone(),
        }
    }

    /// The path of a type that is written, from the module of its version.
    pub(super) fn written(gvk: &Gvk, root: &str) -> syn::Path {
        let module = crate::types::module(&gvk.kind);
        let root = names::identifier(root, Span::call_site());
        parse_quote!(#module::#root)
    }

    /// A type for a kind that nothing defines is a slip of the pen.
    pub(super) fn check_used(&self, loaded: &Loaded) -> Result<(), Error> {
        let resources = loaded.resources.iter();
        let defined: BTreeSet<&Gvk> = resources
            .filter(|resource| {
                matches!(resource.origin, Origin::Manifest(_) | Origin::Discovery(_))
            })
            .map(|resource| &resource.gvk)
            .collect();
        match self.given.keys().find(|gvk| !defined.contains(gvk)) {
            None => Ok(()),
            Some(unused) => Err(Error::NotSelected {
                option: OptionName::CrdType,
                gvk: unused.clone(),
                suggestion: suggest::kind(unused, defined),
            }),
        }
    }
}

// === impl Held ===

impl Held {
    pub(super) fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamically)
    }

    fn name(&self) -> String {
        match self {
            Self::By(path) => paths::display(path),
            Self::Dynamically => DYNAMIC.to_owned(),
            Self::Written => WRITTEN.to_owned(),
        }
    }
}
