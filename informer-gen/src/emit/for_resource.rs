//! Emits the lookup of an informer by resource name, the counterpart of client-go's `ForResource`.
//!
//! Each version has a function with a row for each kind. The macros that gate kinds can expand to
//! statements, but not to elements of an array. All functions are `#[inline]`, so a program that
//! does not call them does not compile them.

use informer_codegen::doc::Doc;
use quote::quote;

use super::context::Context;
use super::text::{self, Code, Head};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Plan, Version};

/// Emits the public functions.
pub(super) fn of_all(plan: &Plan<'_>, context: &Context) -> Result<Code, Error> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let table = quote!(let mut table = #runtime::__private::ResourceTable::new(factory, resource););
    let mut body = vec![Code::statements(&table)?];
    for group in &plan.groups {
        for version in &group.versions {
            let (group, version_ident) = (&group.ident, &version.ident);
            let row = quote!(#group::#version_ident::rows(&mut table););
            let row = Code::statements(&row)?;
            let gate = version.gate();
            body.push(text::gated(&gate, &Gate::open(), context, &[row])?);
        }
    }
    body.push(Code::statements(&quote!(table.found()))?);
    let function = |doc, item, body: &Code| {
        let head = Head {
            doc: Doc::written(doc),
            attributes: text::UNUSED,
            item,
        };
        Code::block(&head, body)
    };
    let typed = function(
        "Returns the informer of `resource`, or `None` if this module does not define the resource.\n\n\
         Counterpart of client-go's `ForResource`.",
        quote! {
            #[must_use]
            #[inline]
            #visibility fn for_resource(
                factory: &#runtime::SharedInformerFactory,
                resource: &#runtime::GroupVersionResource,
            ) -> ::core::option::Option<#runtime::GenericInformer>
        },
        &Code::joined(&body),
    )?;
    let call = quote!(#runtime::__private::or_metadata(factory, resource, for_resource));
    let others = function(
        "Returns the informer of `resource`: typed, or metadata-only if this module does not\n\
         define the resource.\n\n\
         For controllers that handle every resource of a cluster, such as garbage and quota\n\
         collectors. Counterpart of kube-controller-manager's\n\
         `ObjectOrMetadataInformerFactory`.",
        quote! {
            #[must_use]
            #[inline]
            #visibility fn for_resource_or_metadata(
                factory: &#runtime::SharedInformerFactory,
                resource: &#runtime::ResourceInfo,
            ) -> #runtime::GenericInformer
        },
        &Code::statements(&call)?,
    )?;
    let call = quote!(#runtime::__private::discover_or_metadata(factory, resource, for_resource));
    let discovered = function(
        "Looks up `resource` on the API server, and returns its informer: typed, or\n\
         metadata-only if this module does not define the resource.\n\n\
         # Errors\n\n\
         Returns an error if the API server does not serve the resource, does not support\n\
         watching it, or cannot be reached.\n\n\
         # Cancel safety\n\n\
         Dropping the future creates no informer.",
        quote! {
            #[inline]
            #visibility fn discover_or_metadata(
                factory: &#runtime::SharedInformerFactory,
                resource: &#runtime::GroupVersionResource,
            ) -> impl ::core::future::Future<
                Output = ::core::result::Result<#runtime::GenericInformer, #runtime::__private::DiscoverError>,
            > + ::core::marker::Send
        },
        &Code::statements(&call)?,
    )?;
    Ok(Code::spaced(&[typed, others, discovered]))
}

/// Emits the function in the module of a version.
pub(super) fn of_version(
    group: &str,
    version: &Version<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<Code, Error> {
    let runtime = &context.runtime;
    let name = version.name;
    let mut rows = Vec::new();
    for kind in &version.kinds {
        let [informer, _] = kind.type_names();
        let plural = &kind.resource.plural;
        let row = quote!(table.row(#group, #name, #plural, #informer::new););
        let row = Code::statements(&row)?;
        let gate = &kind.resource.gate;
        rows.push(text::gated(gate, surrounding, context, &[row])?);
    }
    let head = Head::new(quote! {
        #[inline]
        pub(in super::super) fn rows(table: &mut #runtime::__private::ResourceTable<'_>)
    });
    Code::block(&head, &Code::joined(&rows))
}
