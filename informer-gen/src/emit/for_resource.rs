//! Emits the lookup of an informer by resource name, the counterpart of client-go's `ForResource`.
//!
//! Each version has a function with a row for each kind. The macros that gate kinds can expand to
//! statements, but not to elements of an array. All functions are `#[inline]`, so a program that
//! does not call them does not compile them.

use quote::quote;

use super::context::{Context, attributes};
use super::text::Text;
use crate::error::Result;
use crate::ir::VersionGate;
use crate::plan::{Plan, Version};

/// Emits the public functions.
pub(super) fn of_all(plan: &Plan<'_>, context: &Context) -> Result<Text> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let mut statements = vec![Text::statement(&quote! {
        let mut table = #runtime::__private::ResourceTable::new(factory, resource);
    })?];
    for group in &plan.groups {
        for version in &group.versions {
            let group = &group.ident;
            let module = &version.ident;
            let row = Text::statement(&quote!(#group::#module::rows(&mut table);))?;
            statements.push(context.gated(&version.gate(), &VersionGate::open(), &[row]));
        }
    }
    statements.push(Text::statement(&quote!(table.found()))?);
    let attributes = attributes();
    let for_resource = quote! {
        /// Returns the informer of `resource`, or `None` if this module does not define the resource.
        ///
        /// Counterpart of client-go's `ForResource`.
        #attributes
        #[must_use]
        #[inline]
        #visibility fn for_resource(
            factory: &#runtime::SharedInformerFactory,
            resource: &#runtime::GroupVersionResource,
        ) -> ::core::option::Option<#runtime::GenericInformer>
    };
    let or_metadata = quote! {
        /// Returns the informer of `resource`: typed, or metadata-only if this module does not
        /// define the resource.
        ///
        /// For controllers that handle every resource of a cluster, such as garbage and quota
        /// collectors. Counterpart of kube-controller-manager's
        /// `ObjectOrMetadataInformerFactory`.
        #attributes
        #[must_use]
        #[inline]
        #visibility fn for_resource_or_metadata(
            factory: &#runtime::SharedInformerFactory,
            resource: &#runtime::ResourceInfo,
        ) -> #runtime::GenericInformer {
            #runtime::__private::or_metadata(factory, resource, for_resource)
        }

        /// Looks up `resource` on the API server, and returns its informer: typed, or
        /// metadata-only if this module does not define the resource.
        ///
        /// # Errors
        ///
        /// Returns an error if the API server does not serve the resource, does not support
        /// watching it, or cannot be reached.
        ///
        /// # Cancel safety
        ///
        /// Dropping the future creates no informer.
        #attributes
        #[inline]
        #visibility fn discover_or_metadata(
            factory: &#runtime::SharedInformerFactory,
            resource: &#runtime::GroupVersionResource,
        ) -> impl ::core::future::Future<
            Output = ::core::result::Result<#runtime::GenericInformer, #runtime::__private::DiscoverError>,
        > + ::core::marker::Send {
            #runtime::__private::discover_or_metadata(factory, resource, for_resource)
        }
    };
    Ok(Text::all(&[
        Text::block(&for_resource, &[Text::lines(&statements)])?,
        Text::items(&or_metadata)?,
    ]))
}

/// Emits the function in the module of a version.
pub(super) fn of_version(
    group: &str,
    version: &Version<'_>,
    surrounding: &VersionGate,
    context: &Context,
) -> Result<Text> {
    let runtime = &context.runtime;
    let name = version.name;
    let mut statements = vec![Text::statement(
        &quote!(table.group_version(#group, #name);),
    )?];
    for kind in &version.kinds {
        let informer = kind.informer();
        let plural = &kind.resource.plural;
        let row = Text::statement(&quote!(table.row(#plural, #informer::new);))?;
        statements.push(context.gated(&kind.resource.gate, surrounding, &[row]));
    }
    let head = quote! {
        #[inline]
        pub(in super::super) fn rows(table: &mut #runtime::__private::ResourceTable<'_>)
    };
    Text::block(&head, &[Text::lines(&statements)])
}
