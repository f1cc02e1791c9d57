//! Judges what was read, and builds the [`Model`] of what to generate.
//!
//! The model is always complete. Where something is wrong it holds the likeliest guess, which
//! only the fallback sees.

mod index;
pub(crate) mod path;
mod resolve;
mod root;
mod selectable;
mod spec;
mod value;

use informer_codegen::ir::{Accessor, Scope, Wrappers};
use informer_codegen::names;
use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{LitStr, Path, parse_quote};

use crate::ast::{Input, Shape};
use crate::attr::Attrs;
use crate::attr::kube::KubeAttrs;
use crate::ctxt::Ctxt;
use crate::expand;

/// What to generate.
pub(crate) struct Model {
    /// What is read and written of it.
    pub(crate) wrappers: Wrappers,
    /// Whether there is such a type, as far as the macro can tell.
    pub(crate) root_known: bool,
    /// `group/version`, if known.
    pub(crate) api_version: Option<String>,
    /// The factory's method.
    pub(crate) accessor: Ident,
    /// Where objects live; `None` only in a guess.
    pub(crate) scope: Option<Scope>,
    /// Whether the scope is the user's word, to be compared with the type's.
    pub(crate) assert_scope: bool,
    /// The name that the derive stands on, if it does nothing but that.
    pub(crate) marker: Option<Ident>,
    /// Whether another derive generates the same: then an outline would be in its way.
    pub(crate) elsewhere: bool,
}

/// Checks everything; `inherited` is what a sibling `#[resource(inherit = ...)]` names.
pub(crate) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    kube: Option<&KubeAttrs>,
    inherited: Option<&str>,
) -> Model {
    let mut model = match kube {
        Some(kube) => spec::model(ctxt, input, attrs, kube),
        None => root::model(ctxt, input, attrs, inherited),
    };
    // Where the runtime is, is not known if that was said in a wrong way.
    let runtime_known = !attrs.runtime.given() || attrs.runtime.value.is_some();
    model.root_known &= input.concrete && runtime_known;
    if input.shape == Shape::Union {
        ctxt.error(
            input.ident,
            format!(
                "`Informer` cannot be derived for a union, which nothing deserializes: make `{}` a \
                 struct",
                input.ident
            ),
        );
    }
    if let Some(prefix) = &attrs.prefix.value
        && let Some(prefix) = wrapper_prefix(ctxt, prefix)
    {
        model.wrappers.prefix = prefix;
    }
    if let Some(accessor) = &attrs.accessor.value {
        model.accessor = rust_name(ctxt, accessor).unwrap_or(model.accessor);
    }
    if names::is_maker_method(&model.accessor.unraw().to_string()) {
        let name = &model.accessor;
        ctxt.error(
            name,
            format!(
                "every factory has a method `{name}`, which would be called instead: write \
                 `#[informer(accessor = \"all_{name}\")]`"
            ),
        );
        model.accessor = format_ident!("all_{name}");
    }
    model.wrappers.indices = index::check(ctxt, input, attrs, kube, &model.wrappers.runtime);
    model.wrappers.accessor = Some(Accessor {
        factory: factory_name(&model.wrappers.prefix),
        name: model.accessor.clone(),
    });
    model.wrappers.docs = vec![format!(" Shared informer of {}.", expand::kind(&model))];
    model
}

/// The trait that gives makers of informers the accessor.
pub(crate) fn factory_name(prefix: &str) -> Ident {
    format_ident!("{prefix}InformerFactory")
}

/// `FooSpec` is the spec of `Foo`, if anything.
fn guess_root(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string();
    match name.strip_suffix("Spec") {
        Some(kind) if !kind.is_empty() => Ident::new(kind, ident.span()),
        _ => format_ident!("{name}"),
    }
}

fn runtime(attrs: &Attrs) -> Path {
    attrs
        .runtime
        .value
        .clone()
        .unwrap_or_else(|| parse_quote!(::informer))
}

/// The text of `name`, which names of types start with.
fn wrapper_prefix(ctxt: &Ctxt, name: &LitStr) -> Option<String> {
    let text = name.value();
    if names::is_identifier(&text) {
        return Some(text);
    }
    ctxt.error(
        name,
        format!("`{text}Informer` cannot name a Rust struct: write a name such as `Foo`"),
    );
    None
}

/// The identifier in `name`, which names a method.
fn rust_name(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    let plain = text.strip_prefix("r#").unwrap_or(&text);
    if names::is_identifier(plain) {
        return Some(names::identifier(plain, name.span()));
    }
    let hint = heck::ToSnakeCase::to_snake_case(plain);
    let message = if names::is_identifier(&hint) {
        format!("`{text}` is not a Rust identifier: write `{hint}`")
    } else {
        format!("`{text}` is not a Rust identifier: write one such as `foos`")
    };
    ctxt.error(name, message);
    None
}
