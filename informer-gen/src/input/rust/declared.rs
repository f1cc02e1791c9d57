//! Declaration of a type, and whether generated code can name the root type that kube-derive
//! creates from it.

use std::path::Path;

use syn::{Generics, Visibility};

use crate::error::{Location, OptionName, Result};

/// Declaration of a type that may be a custom resource.
pub(super) struct DeclaredType<'a> {
    pub(super) path: &'a Path,
    pub(super) at: Location,
    pub(super) visibility: &'a Visibility,
    /// Generic parameters. `None` for unions.
    pub(super) generics: Option<&'a Generics>,
    pub(super) module: &'a syn::Path,
    /// `true` if the generated wrappers are visible to other crates.
    pub(super) wrappers_are_public: bool,
}

// === impl DeclaredType ===

impl DeclaredType<'_> {
    /// Checks that generated code can name the type `root` that kube-derive creates.
    pub(super) fn check(&self, root: &str) -> Result<()> {
        let refuse = |problem: String| Err(self.at.error(problem));
        let Some(generics) = self.generics else {
            return refuse(format!(
                "`{root}` is a union, which kube-derive does not support"
            ));
        };
        if !generics.params.is_empty() {
            return refuse(format!(
                "`{root}` has generic parameters, which kube-derive does not support: use a \
                 type without them"
            ));
        }
        match self.visibility {
            Visibility::Inherited if self.module.segments.len() > 1 => refuse(format!(
                "`{root}` is private to its module, so generated code cannot name it; make \
                 it `pub` or `pub(crate)`"
            )),
            Visibility::Inherited | Visibility::Restricted(_) if self.wrappers_are_public => {
                refuse(format!(
                    "`{root}` is private to its crate, but its wrappers would be `pub`; make it \
                     `pub`, or set {} to `pub(crate)`",
                    OptionName::VISIBILITY
                ))
            }
            Visibility::Public(_) | Visibility::Inherited | Visibility::Restricted(_) => Ok(()),
        }
    }
}
