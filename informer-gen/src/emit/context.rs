//! Settings that all emitted code shares.

use std::cell::RefCell;

use crate::config::Config;
use crate::error::{Error, OptionName};
use crate::paths;

/// Settings that all emitted code shares.
pub(super) struct Context {
    pub(super) runtime: syn::Path,
    pub(super) k8s_openapi: syn::Path,
    pub(super) visibility: syn::Visibility,
    /// Texts for which tokens stand, by their number.
    pub(super) texts: RefCell<Vec<String>>,
}

// === impl Context ===

impl Context {
    pub(super) fn new(config: &Config) -> Result<Self, Error> {
        let visibility = syn::parse_str(config.visibility_text()).map_err(|_| {
            OptionName::VISIBILITY.refuse(
                config.visibility_text(),
                "is not a visibility; use `pub` or `pub(crate)`",
            )
        })?;
        let nestable = match &visibility {
            syn::Visibility::Public(_) => true,
            syn::Visibility::Restricted(restricted) => restricted.path.is_ident("crate"),
            syn::Visibility::Inherited => false,
        };
        if !nestable {
            let reason = "has another meaning in nested modules; use `pub` or `pub(crate)`";
            return Err(OptionName::VISIBILITY.refuse(config.visibility_text(), reason));
        }
        Ok(Self {
            runtime: paths::absolute(config.runtime(), OptionName::RUNTIME_PATH)?,
            k8s_openapi: paths::absolute(config.k8s_openapi(), OptionName::K8S_OPENAPI_PATH)?,
            visibility,
            texts: RefCell::default(),
        })
    }
}
