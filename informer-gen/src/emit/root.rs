//! Emits the root: the modules of the groups, and the trait that adds their accessors to the
//! factory.

use informer_codegen::CODEGEN_ABI;
use informer_codegen::doc::Doc;
use quote::quote;

use super::context::{Context, attributes};
use super::text::Text;
use super::{for_resource, group, pod_spec};
use crate::error::Result;
use crate::ir::VersionGate;
use crate::plan::Plan;

/// Returns the content of the main file.
pub(super) fn content(plan: &Plan<'_>, context: &Context, modules: Vec<Text>) -> Result<Text> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let mut accessors = Vec::new();
    for group in &plan.groups {
        let ident = &group.ident;
        let docs = Doc::new(&format!(
            "Returns the versions of {}.",
            group::subject(group)
        ));
        let method = Text::method(&quote! {
            #docs
            fn #ident(&self) -> #ident::Interface<'_, Self> {
                #ident::Interface(self)
            }
        })?;
        accessors.push(context.gated(&group.gate(), &VersionGate::open(), &[method]));
    }
    let attributes = attributes();
    let mut texts = vec![
        Text::items(&quote! {
            const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI);
        })?,
        Text::block(
            &quote! {
                /// API groups, as methods of informer factories.
                #attributes
                #visibility trait SharedInformerFactoryExt: #runtime::MakeInformers + ::core::marker::Sized
            },
            &accessors,
        )?,
        Text::items(&quote! {
            impl<M: #runtime::MakeInformers> SharedInformerFactoryExt for M {}
        })?,
        for_resource::of_all(plan, context)?,
    ];
    texts.extend(modules);
    texts.extend(pod_spec::module(plan, context)?);
    Ok(Text::all(&texts))
}
