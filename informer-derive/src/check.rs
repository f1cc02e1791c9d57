//! Checks the input, and builds the [`Model`] of the generated code.
//!
//! The model is always complete. It has a plausible value in place of each mistake, for the
//! fallback only.

use informer_codegen::check;
use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::Declaration;
use informer_codegen::doc::Doc;
use informer_codegen::ir::Accessor;
use informer_codegen::kube::Kube;
use informer_codegen::names;
use proc_macro2::Ident;
use quote::format_ident;
use syn::ext::IdentExt;

use crate::ast::{Input, Shape};
use crate::fields::Fields;
use crate::model::{Model, factory_name};
use crate::{root, spec};

/// Checks the input. `inherited` is the value of a sibling `#[resource(inherit = ...)]`.
pub(crate) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Declaration,
    kube: Option<&Kube>,
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
        report_union(ctxt, input.ident);
    }
    if let Some(written) = &attrs.prefix.value
        && let Some(prefix) = check::prefix(ctxt, written)
    {
        model.wrappers.prefix = prefix;
    }
    if let Some(written) = &attrs.accessor.value
        && let Some(accessor) = check::accessor(ctxt, written)
    {
        model.accessor = accessor;
    }
    model.accessor = unhidden(ctxt, model.accessor);
    let resolver = Fields {
        ctxt,
        input,
        kube,
        elsewhere: attrs.of.given(),
    };
    model.wrappers.indices = check::indices(&resolver, attrs, &model.wrappers.runtime);
    model.wrappers.relations = check::relations(&resolver, attrs, &model.wrappers.indices);
    model.wrappers.accessor = Some(Accessor {
        factory: factory_name(&model.wrappers.prefix),
        name: model.accessor.clone(),
    });
    model.wrappers.docs = Doc::new(&format!("Shared informer of {}.", model.kind()));
    model
}

fn report_union(ctxt: &Ctxt, name: &Ident) {
    ctxt.error(
        name,
        format!(
            "`Informer` cannot be derived for a union, which serde cannot deserialize: make \
             `{name}` a struct"
        ),
    );
}

/// Returns `accessor`, or another name if a method of factories would hide it.
fn unhidden(ctxt: &Ctxt, accessor: Ident) -> Ident {
    if !names::is_maker_method(&accessor.unraw().to_string()) {
        return accessor;
    }
    ctxt.error(
        &accessor,
        format!(
            "every factory has a method `{accessor}`, which would hide the accessor: write \
             `#[informer(accessor = \"all_{accessor}\")]`"
        ),
    );
    format_ident!("all_{accessor}")
}
