//! Rust types of kinds that are not built in: from an option, from a source file, by the kind's
//! name in a module, or none.

use std::collections::BTreeMap;

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::names::{self, kopium};
use proc_macro2::Ident;
use syn::parse_quote;

use super::loaded::Sources;
use super::selection::Selection;
use crate::config::{Config, DYNAMIC, KindOf, Tool, WRITTEN};
use crate::error::{OptionName, Result};
use crate::gvk::Gvk;
use crate::{declared, paths};

/// Type of the objects of a kind, or of all kinds of a manifest: then a path is that of their module.
#[derive(Clone)]
pub(super) enum HeldType {
    By(syn::Path),
    Dynamically,
    /// Type generated from the schema.
    Written,
}

/// Rust types by kind.
pub(super) struct Types {
    /// Types that the user declared, by the name of the kind.
    given: Vec<(String, HeldType)>,
    /// Types that sources define.
    defined: BTreeMap<Gvk, syn::Path>,
    dynamic: syn::Path,
    /// Front end to propose settings for.
    pub(super) tool: Tool,
    pub(super) selection: Selection,
}

// === impl Types ===

impl Types {
    pub(super) fn new(config: &Config, sources: &Sources) -> Result<Self> {
        let mut dynamic = paths::absolute(config.runtime(), OptionName::RUNTIME_PATH)?;
        paths::push(&mut dynamic, "__private");
        paths::push(&mut dynamic, "DynamicObject");
        let mut given = Vec::new();
        for declaration in &config.declared.kind {
            if let Some(held) = declared_type(declaration)? {
                given.push((declaration.kind.clone(), held));
            }
        }
        let mut defined = BTreeMap::new();
        for resource in &sources.resources {
            defined.insert(resource.gvk.clone(), resource.rust_type.clone());
        }
        Ok(Self {
            given,
            defined,
            dynamic,
            tool: config.tool(),
            selection: Selection::new(config),
        })
    }

    pub(super) fn get(&self, gvk: &Gvk) -> Option<HeldType> {
        for (name, held) in &self.given {
            if gvk.is_named(name) {
                return Some(held.clone());
            }
        }
        let path = self.defined.get(gvk)?;
        Some(HeldType::By(path.clone()))
    }

    /// Returns the path for generated code. The path of a generated type comes from `written`.
    pub(super) fn path(&self, held: &HeldType) -> syn::Path {
        match held {
            HeldType::By(path) => path.clone(),
            HeldType::Dynamically | HeldType::Written => self.dynamic.clone(),
        }
    }

    /// Returns the path of a generated type, from the module of its version.
    pub(super) fn written(gvk: &Gvk, root: &Ident) -> syn::Path {
        let types_module = kopium::module(&gvk.kind);
        parse_quote!(#types_module::#root)
    }
}

/// Returns the type that a declaration sets. The plan reports other mistakes of the declaration.
fn declared_type(given: &KindOf) -> Result<Option<HeldType>> {
    let mut declaration = Declaration::default();
    if declared::read(given, &mut declaration, &Ctxt::default()).is_err() {
        return Ok(None);
    }
    let Some(of) = &declaration.of.value else {
        return Ok(None);
    };
    let held = HeldType::parse(&paths::display(of), OptionName::KIND)?;
    Ok(Some(held))
}

// === impl HeldType ===

impl HeldType {
    /// Parses the type of a kind, or the module of the types of a manifest.
    pub(super) fn parse(text: &str, option: OptionName) -> Result<Self> {
        Ok(match text {
            DYNAMIC => Self::Dynamically,
            WRITTEN => Self::Written,
            path => Self::By(paths::absolute(path, option)?),
        })
    }

    /// Returns the type named like the kind, if this is the module of the types, or the reason why
    /// none exists.
    pub(super) fn of_kind(&self, kind: &str) -> Result<Self, String> {
        let Self::By(module) = self else {
            return Ok(self.clone());
        };
        if !names::is_type_name(kind) {
            return Err(format!(
                ", because `{kind}` cannot be the name of a Rust type"
            ));
        }
        let mut path = module.clone();
        paths::push(&mut path, kind);
        Ok(Self::By(path))
    }

    pub(super) fn is_dynamic(&self) -> bool {
        matches!(self, Self::Dynamically)
    }
}
