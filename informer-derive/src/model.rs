//! Description of the generated code.

use informer_codegen::declaration::Declaration;
use informer_codegen::emit::type_text;
use informer_codegen::ir::{Objects, Scope, Wrappers};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{Path, parse_quote};

/// Description of the generated code.
pub(crate) struct Model {
    /// Wrappers to emit.
    pub(crate) wrappers: Wrappers,
    /// `true` if the root type exists, as far as the macro knows.
    pub(crate) root_known: bool,
    /// `group/version`, if known.
    pub(crate) api_version: Option<String>,
    /// Name of the factory's method.
    pub(crate) accessor: Ident,
    /// Scope of the objects. `None` only in a fallback.
    pub(crate) scope: Option<Scope>,
    /// `true` if the user declared the scope, so that rustc compares it with the type's.
    pub(crate) assert_scope: bool,
    /// Name of the item, if the item is only a marker for another type.
    pub(crate) marker: Option<Ident>,
    /// `true` if another derive generates the same items, with which a fallback would collide.
    pub(crate) elsewhere: bool,
}

// === impl Model ===

impl Model {
    /// Returns the kind for documentation.
    pub(crate) fn kind(&self) -> String {
        let Objects::Typed(ty) = &self.wrappers.objects else {
            return String::new();
        };
        let root = type_text(ty).replace("r#", "");
        match &self.api_version {
            Some(api_version) => format!("`{api_version}` `{root}`"),
            None => format!("`{root}`"),
        }
    }
}

/// Returns the name of the trait that adds the accessor to factories.
pub(crate) fn factory_name(prefix: &str) -> Ident {
    names::identifier(&format!("{prefix}InformerFactory"), Span::call_site())
}

/// Guesses the root type: `FooSpec` is probably the spec of `Foo`.
pub(crate) fn guess_root(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string();
    match name.strip_suffix("Spec") {
        Some(kind) if !kind.is_empty() => Ident::new(kind, ident.span()),
        _ => format_ident!("{name}"),
    }
}

/// Returns the path of the crate `informer`.
pub(crate) fn runtime(attrs: &Declaration) -> Path {
    attrs
        .runtime
        .value
        .clone()
        .unwrap_or_else(|| parse_quote!(::informer))
}
