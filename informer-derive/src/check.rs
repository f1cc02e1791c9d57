//! Checks the input, and builds the [`Model`] of the generated code.
//!
//! The model is always complete. It has a plausible value in place of each mistake, for the
//! fallback only.

mod index;
pub(crate) mod path;
mod relation;
mod resolve;
mod root;
mod selectable;
mod spec;
mod value;

use informer_codegen::doc::Doc;
use informer_codegen::ir::{Accessor, Scope, Wrappers};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{LitStr, Path, parse_quote};

use self::resolve::Resolver;
use crate::ast::{Input, Shape};
use crate::attr::Attrs;
use crate::attr::kube::KubeAttrs;
use crate::ctxt::Ctxt;
use crate::expand;

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

/// Checks the input. `inherited` is the value of a sibling `#[resource(inherit = ...)]`.
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
    // A malformed `crate` key makes the path of the runtime unknown.
    let runtime_known = !attrs.runtime.given() || attrs.runtime.value.is_some();
    model.root_known &= input.concrete && runtime_known;
    if input.shape == Shape::Union {
        ctxt.error(
            input.ident,
            format!(
                "`Informer` cannot be derived for a union, which serde cannot deserialize: make \
                 `{}` a struct",
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
                "every factory has a method `{name}`, which would hide the accessor: write \
                 `#[informer(accessor = \"all_{name}\")]`"
            ),
        );
        model.accessor = format_ident!("all_{name}");
    }
    let resolver = Resolver {
        ctxt,
        input,
        kube,
        elsewhere: attrs.of.given(),
    };
    model.wrappers.indices = index::check(&resolver, attrs, &model.wrappers.runtime);
    model.wrappers.relations = relation::check(&resolver, attrs, &model.wrappers.indices);
    model.wrappers.accessor = Some(Accessor {
        factory: factory_name(&model.wrappers.prefix),
        name: model.accessor.clone(),
    });
    model.wrappers.docs = Doc::new(&format!("Shared informer of {}.", expand::kind(&model)));
    model
}

/// Returns the name of the trait that adds the accessor to factories.
pub(crate) fn factory_name(prefix: &str) -> Ident {
    names::identifier(&format!("{prefix}InformerFactory"), Span::call_site())
}

/// Guesses the root type: `FooSpec` is probably the spec of `Foo`.
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

/// Returns the text of `name`, if names of types can start with it.
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

/// Returns the identifier in `name`, if it can name a method.
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
