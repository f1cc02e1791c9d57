//! Emits the root: the modules of the groups, and the trait that adds their accessors to the
//! factory.

use informer_codegen::CODEGEN_ABI;
use informer_codegen::doc::Doc;
use quote::quote;

use super::context::Context;
use super::text::{Code, Head};
use super::{for_resource, group, pod_spec, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::Plan;

/// Returns the content of the main file. A file of its own has inner documentation.
pub(super) fn content(
    plan: &Plan<'_>,
    context: &Context,
    modules: Vec<Code>,
    is_file: bool,
) -> Result<Code, Error> {
    let runtime = &context.runtime;
    let guard = quote!(const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI););
    let mut items = Vec::new();
    if is_file {
        items.push(quote! {
            //! Typed informers and listers, by group and version: `factory.apps().v1().deployments()`.
        });
    }
    items.push(guard);
    let mut parts = Code::each(&items)?;
    parts.push(extension_trait(plan, context)?);
    parts.push(for_resource::of_all(plan, context)?);
    parts.extend(modules);
    parts.extend(pod_spec::module(plan, context)?);
    Ok(Code::spaced(&parts))
}

fn extension_trait(plan: &Plan<'_>, context: &Context) -> Result<Code, Error> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let mut methods = Vec::new();
    for versions in &plan.groups {
        let ident = &versions.ident;
        let documentation = format!("Returns the versions of {}.", group::subject(versions));
        let documentation = Doc::new(&documentation);
        let method = quote! {
            #documentation
            #[must_use]
            fn #ident(&self) -> #ident::Interface<'_, Self> {
                #ident::Interface(self)
            }
        };
        let method = Code::trait_members(&method)?;
        methods.push(text::gated(
            &versions.gate(),
            &Gate::open(),
            context,
            &[method],
        )?);
    }
    let head = Head {
        doc: Doc::new("API groups, as methods of informer factories."),
        attributes: text::UNUSED,
        item: quote! {
            #visibility trait SharedInformerFactoryExt: #runtime::MakeInformers + ::core::marker::Sized
        },
    };
    let implementation = quote!(impl<M: #runtime::MakeInformers> SharedInformerFactoryExt for M {});
    Ok(Code::spaced(&[
        Code::block(&head, &Code::spaced(&methods))?,
        Code::items(&[implementation])?,
    ]))
}
