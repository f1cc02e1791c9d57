//! Emits the root: the modules of the groups, and the trait that adds their accessors to the
//! factory.

use informer_codegen::CODEGEN_ABI;
use informer_codegen::doc::Doc;
use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::{for_resource, group, pod_spec, text};
use crate::error::Error;
use crate::ir::VersionGate;
use crate::plan::Plan;

/// Returns the content of the main file. A file of its own has inner documentation.
pub(super) fn content(
    plan: &Plan<'_>,
    context: &Context,
    modules: &[TokenStream],
    is_file: bool,
) -> Result<TokenStream, Error> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let documentation = is_file.then(|| {
        quote! {
            //! Typed informers and listers, by group and version: `factory.apps().v1().deployments()`.
        }
    });
    let accessors = plan.groups.iter().map(|versions| {
        let ident = &versions.ident;
        let documentation = format!("Returns the versions of {}.", group::subject(versions));
        let documentation = Doc::new(&documentation);
        let method = quote! {
            #documentation
            fn #ident(&self) -> #ident::Interface<'_, Self> {
                #ident::Interface(self)
            }
        };
        text::gated(&versions.gate(), &VersionGate::open(), &[method])
    });
    let lookups = for_resource::of_all(plan, context);
    let pod_spec = pod_spec::module(plan, context)?;
    Ok(quote! {
        #documentation

        const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI);

        /// API groups, as methods of informer factories.
        #[generated]
        #visibility trait SharedInformerFactoryExt: #runtime::MakeInformers + ::core::marker::Sized {
            #(#accessors)*
        }

        impl<M: #runtime::MakeInformers> SharedInformerFactoryExt for M {}

        #lookups
        #(#modules)*
        #pod_spec
    })
}
