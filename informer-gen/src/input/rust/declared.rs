//! How a type is declared, and whether generated code can name what kube-derive makes of it.

use std::path::Path;

use syn::{Generics, Visibility};

use crate::error::{Error, Location, OptionName};

/// The declaration of a type that may be a custom resource.
pub(super) struct Declared<'a> {
    pub(super) path: &'a Path,
    pub(super) at: Location,
    pub(super) visibility: &'a Visibility,
    /// `None` of unions.
    pub(super) generics: Option<&'a Generics>,
    pub(super) module: &'a syn::Path,
    /// What is generated can be seen from other crates.
    pub(super) wrappers_are_public: bool,
}

// === impl Declared ===

impl Declared<'_> {
    /// Whether generated code can name the type `root` that kube-derive makes of it.
    pub(super) fn check(&self, root: &str) -> Result<(), Error> {
        let refuse = |problem: String| {
            let at = self.at.clone();
            Err(Error::Source { at, problem })
        };
        let Some(generics) = self.generics else {
            return refuse(format!(
                "`{root}` is a union, of which kube-derive makes no custom resource"
            ));
        };
        if !generics.params.is_empty() {
            return refuse(format!(
                "`{root}` has parameters, with which kube-derive makes no custom resource: name a \
                 type without"
            ));
        }
        match self.visibility {
            Visibility::Inherited if self.module.segments.len() > 1 => refuse(format!(
                "`{root}` is private to its module, so that generated code cannot name it; make \
                 it `pub` or `pub(crate)`"
            )),
            Visibility::Inherited | Visibility::Restricted(_) if self.wrappers_are_public => {
                refuse(format!(
                    "`{root}` is private to its crate, and its wrappers would be `pub`; make it \
                     `pub`, or give {} `pub(crate)`",
                    OptionName::Visibility
                ))
            }
            Visibility::Public(_) | Visibility::Inherited | Visibility::Restricted(_) => Ok(()),
        }
    }
}
