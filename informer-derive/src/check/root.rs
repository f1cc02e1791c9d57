//! The model for a type that is a resource itself, or that stands for one that is elsewhere.

use informer_codegen::ir::{Objects, Wrappers};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::ext::IdentExt;
use syn::{Type, parse_quote};

use super::{Model, guess_root, runtime, selectable};
use crate::ast::{Input, Shape};
use crate::attr::Attrs;
use crate::ctxt::Ctxt;

/// The model for a type that is a resource itself; `inherited` names the one that it projects.
pub(super) fn model(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    inherited: Option<&str>,
) -> Model {
    // Nothing says that this is a root type: more likely, the attribute of the spec is missing.
    let is_root =
        attrs.accessor.given() || attrs.scope.given() || attrs.of.given() || inherited.is_some();
    if is_root {
        report_missing(ctxt, input, attrs, inherited);
        report_shape(ctxt, input, attrs);
    } else if input.shape != Shape::Union {
        report_unknown(ctxt, input);
    }
    let prefix = if is_root {
        input.ident.unraw()
    } else {
        guess_root(input.ident).unraw()
    };
    let ident = if is_root { input.ident } else { &prefix };
    let root: Type = match &attrs.of.value {
        Some(of) => of.clone(),
        // A keyword that stands for a type is raw.
        None => syn::parse2(ident.to_token_stream()).unwrap_or_else(|_| {
            let raw = Ident::new_raw(&ident.unraw().to_string(), ident.span());
            parse_quote!(#raw)
        }),
    };
    let plural = names::kube_plural(&prefix.to_string().to_ascii_lowercase());
    let accessor = names::accessor(&prefix.to_string(), &plural, Span::call_site());

    Model {
        wrappers: Wrappers {
            vis: input.vis.clone(),
            prefix: prefix.to_string(),
            runtime: runtime(attrs),
            docs: Vec::new(),
            objects: Objects::Typed(Box::new(root)),
            accessor: None,
            is_checked: true,
            indices: Vec::new(),
            selectable: selectable::check(ctxt, &attrs.selectable),
        },
        root_known: is_root && (attrs.of.value.is_some() || !attrs.of.given()),
        accessor,
        api_version: None,
        scope: attrs.scope.value.map(|(scope, _)| scope),
        assert_scope: true,
        marker: marker(input, attrs),
        elsewhere: false,
    }
}

/// The name of a struct that stands for a type elsewhere. Nobody makes one: it would be dead code.
fn marker(input: &Input<'_>, attrs: &Attrs) -> Option<Ident> {
    let is_marker = attrs.of.given() && input.shape == Shape::Unit && input.concrete;
    is_marker.then(|| input.ident.clone())
}

fn report_missing(ctxt: &Ctxt, input: &Input<'_>, attrs: &Attrs, inherited: Option<&str>) {
    if !attrs.accessor.given() {
        ctxt.error(
            input.ident,
            "the factory's method has no name (plurals are not guessed): write \
             `#[informer(accessor = \"foos\")]`",
        );
    }
    if !attrs.scope.given() {
        let why = match inherited {
            Some(name) if !name.is_empty() => format!("the scope is that of `{name}`, which"),
            _ => "without `#[kube(...)]` the scope".to_owned(),
        };
        ctxt.error(
            input.ident,
            format!(
                "{why} cannot be told: write `#[informer(scope = \"Namespaced\")]` or \
                 `#[informer(scope = \"Cluster\")]`"
            ),
        );
    }
}

fn report_shape(ctxt: &Ctxt, input: &Input<'_>, attrs: &Attrs) {
    let name = input.ident;
    match (attrs.of.first, input.shape) {
        (None, Shape::Unit) => ctxt.error(
            name,
            format!(
                "`{name}` holds no object: name the type that it stands for, \
                 `#[informer(of = \"other::{name}\")]`"
            ),
        ),
        (Some(span), Shape::Named | Shape::Tuple | Shape::Enum) => ctxt.error_at(
            span,
            format!(
                "`{name}` is {} of its own: remove `of`, or write `struct {name};`, which does \
                 nothing but name a type that is elsewhere",
                input.shape.describe()
            ),
        ),
        _ => {}
    }
}

fn report_unknown(ctxt: &Ctxt, input: &Input<'_>) {
    let name = input.ident.unraw().to_string();
    let elsewhere = match input.shape {
        Shape::Unit | Shape::Tuple => format!(
            "; for a type of another crate, derive on a name for it, as in `#[informer(of = \
             \"other::{name}\", accessor = \"foos\", scope = \"Namespaced\")] struct {name};`"
        ),
        Shape::Named | Shape::Enum | Shape::Union => String::new(),
    };
    ctxt.error(
        input.ident,
        format!(
            "nothing says which resource `{name}` is: add `#[kube(group = \"..\", version = \
             \"..\", kind = \"..\")]` if it is the spec of a `CustomResource`, or \
             `#[informer(accessor = \"foos\", scope = \"Namespaced\")]` if it implements \
             `kube::Resource` itself{elsewhere}"
        ),
    );
}
