//! Rust types of kinds that are not built in: from an option, from a source file, by the kind's
//! name in a module, or none.

use std::collections::{BTreeMap, BTreeSet};

use informer_codegen::names;
use proc_macro2::{Ident, Span};
use syn::parse_quote;

use super::Loaded;
use super::rust::Sources;
use super::selection::Selection;
use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::ir::{Gvk, Origin};
use crate::{paths, suggest};

/// Word in place of a type for untyped objects.
pub(crate) const DYNAMIC: &str = "dynamic";

/// Word in place of a module for generated types.
pub(crate) const WRITTEN: &str = "types";

/// Types of kinds that are not mapped individually.
pub(super) enum Module {
    None,
    Path(syn::Path),
    /// `DynamicObject` for all kinds.
    Dynamic,
    /// Generated types.
    Written,
}

/// Type of the objects of a kind.
#[derive(Clone)]
pub(super) enum Held {
    By(syn::Path),
    Dynamically,
    /// Type generated from the schema.
    Written,
}

/// Rust types by kind.
pub(super) struct Types {
    /// Types that the user mapped.
    given: BTreeMap<Gvk, Held>,
    /// Types that sources define.
    defined: BTreeMap<Gvk, syn::Path>,
    dynamic: syn::Path,
    pub(super) selection: Selection,
}

// === impl Module ===

impl Module {
    /// Parses the module of manifests.
    pub(super) fn new(module: Option<&str>) -> Result<Self, Error> {
        Ok(match module {
            None => Self::None,
            Some(DYNAMIC) => Self::Dynamic,
            Some(WRITTEN) => Self::Written,
            Some(text) => Self::Path(paths::absolute(text, OptionName::CrdManifests)?),
        })
    }

    /// Returns the type named like the kind, or the reason why none exists.
    pub(super) fn type_of(&self, kind: &str) -> Result<Held, String> {
        let module = match self {
            Self::Path(module) => module,
            Self::Dynamic => return Ok(Held::Dynamically),
            Self::Written => return Ok(Held::Written),
            Self::None => {
                let option = OptionName::CrdManifests;
                return Err(format!(
                    ", give {option} a module, `{WRITTEN}` to generate a type from the \
                     schema, or `{DYNAMIC}` for untyped objects"
                ));
            }
        };
        if !names::is_type_name(kind) {
            return Err(format!(
                ", because `{kind}` cannot be the name of a Rust type"
            ));
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

    /// Returns the path for generated code. The path of a generated type comes from `written`.
    pub(super) fn path(&self, held: &Held) -> syn::Path {
        match held {
            Held::By(path) => path.clone(),
            Held::Dynamically | Held::Written => self.dynamic.clone(),
        }
    }

    /// Returns the path of a generated type, from the module of its version.
    pub(super) fn written(gvk: &Gvk, root: &Ident) -> syn::Path {
        let module = crate::types::module(&gvk.kind);
        parse_quote!(#module::#root)
    }

    /// Returns an error for a mapped kind that no input defines.
    pub(super) fn check_used(&self, loaded: &Loaded) -> Result<(), Error> {
        let resources = loaded.resources.iter();
        let defined: BTreeSet<&Gvk> = resources
            .filter(|resource| matches!(resource.origin, Origin::Manifest(_)))
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
