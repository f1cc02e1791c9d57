//! Settings that all emitted code shares.

use proc_macro2::TokenStream;
use quote::quote;

use crate::config::Config;
use crate::error::{OptionName, Result};
use crate::paths;

/// Settings that all emitted code shares.
pub(super) struct Context {
    pub(super) runtime: syn::Path,
    pub(super) k8s_openapi: syn::Path,
    pub(super) visibility: syn::Visibility,
}

// === impl Context ===

impl Context {
    pub(super) fn new(config: &Config) -> Result<Self> {
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
        })
    }
}

/// Returns the attributes of a module or function of a program that may not use all of it.
///
/// Programs use few of the accessors, and generated functions may be long. The module may be private.
pub(super) fn attributes() -> TokenStream {
    quote! {
        #[cfg_attr(false, rustfmt::skip)]
        #[allow(
            dead_code,
            unreachable_pub,
            clippy::too_many_lines,
            clippy::unused_self,
            clippy::must_use_candidate,
            clippy::redundant_closure_for_method_calls,
            clippy::allow_attributes,
            reason = "generated: a program may not use all of it"
        )]
    }
}
