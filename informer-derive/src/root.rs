//! Model of a type that is a resource itself, or that is a marker for another type.

use informer_codegen::check::selectable;
use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::doc::Doc;
use informer_codegen::ir::{Objects, Wrappers};
use informer_codegen::names;
use proc_macro2::{Ident, Span};
use quote::ToTokens as _;
use syn::ext::IdentExt;
use syn::{Type, parse_quote};

use crate::ast::{Input, Shape};
use crate::model::{Model, guess_root, runtime};

/// Builds the model of a type that is a resource itself. `inherited` is the resource that the type
/// projects.
pub(crate) fn model(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Declaration,
    inherited: Option<&str>,
) -> Model {
    // Without these keys the item is probably not a root type, but a spec without its attribute.
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
        // A keyword as the name of a type is raw.
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
            docs: Doc::default(),
            objects: Objects::Typed(Box::new(root)),
            accessor: None,
            is_checked: true,
            indices: Vec::new(),
            selectable: selectable::check(ctxt, &attrs.selectable),
            relations: Vec::new(),
            has_related: true,
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

/// Returns the name of a marker struct. The generated code must use it, because a struct that is
/// never constructed is dead code.
fn marker(input: &Input<'_>, attrs: &Declaration) -> Option<Ident> {
    let is_marker = attrs.of.given() && input.shape == Shape::Unit && input.concrete;
    is_marker.then(|| input.ident.clone())
}

fn report_missing(ctxt: &Ctxt, input: &Input<'_>, attrs: &Declaration, inherited: Option<&str>) {
    if !attrs.accessor.given() {
        ctxt.error(
            input.ident,
            "the name of the factory's method is missing (plurals are not guessed): write \
             `#[informer(accessor = \"foos\")]`",
        );
    }
    if !attrs.scope.given() {
        let why = match inherited {
            Some(name) if !name.is_empty() => {
                format!("the scope of the inherited `{name}`")
            }
            _ => "without `#[kube(...)]` the scope".to_owned(),
        };
        ctxt.error(
            input.ident,
            format!(
                "{why} is unknown: write `#[informer(scope = \"Namespaced\")]` or \
                 `#[informer(scope = \"Cluster\")]`"
            ),
        );
    }
}

fn report_shape(ctxt: &Ctxt, input: &Input<'_>, attrs: &Declaration) {
    let name = input.ident;
    match (attrs.of.first, input.shape) {
        (None, Shape::Unit) => ctxt.error(
            name,
            format!(
                "`{name}` has no fields: name the type that it represents, \
                 `#[informer(of = \"other::{name}\")]`"
            ),
        ),
        (Some(span), Shape::Named | Shape::Tuple | Shape::Enum) => ctxt.error_at(
            span,
            format!(
                "`{name}` is {}: remove `of`, or write `struct {name};` as a marker for the \
                 other type",
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
            "; for a type of another crate, derive on a marker struct, as in `#[informer(of = \
             \"other::{name}\", accessor = \"foos\", scope = \"Namespaced\")] struct {name};`"
        ),
        Shape::Named | Shape::Enum | Shape::Union => String::new(),
    };
    ctxt.error(
        input.ident,
        format!(
            "the resource of `{name}` is unknown: add `#[kube(group = \"..\", version = \
             \"..\", kind = \"..\")]` if it is the spec of a `CustomResource`, or \
             `#[informer(accessor = \"foos\", scope = \"Namespaced\")]` if it implements \
             `kube::Resource` itself{elsewhere}"
        ),
    );
}
