//! Emits the lookup of an informer by resource name, the counterpart of client-go's `ForResource`.
//!
//! Each version has a function with a row for each kind. The macros that gate kinds can expand to
//! statements, but not to elements of an array. All functions are `#[inline]`, so a program that
//! does not call them does not compile them.

use proc_macro2::TokenStream;
use quote::quote;

use super::context::Context;
use super::text::gated;
use crate::ir::VersionGate;
use crate::plan::{Plan, Version};

/// Emits the public functions.
pub(super) fn of_all(plan: &Plan<'_>, context: &Context) -> TokenStream {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rows = plan.groups.iter().flat_map(|group| {
        group.versions.iter().map(|version| {
            let group = &group.ident;
            let version_ident = &version.ident;
            let row = quote!(#group::#version_ident::rows(&mut table););
            gated(&version.gate(), &VersionGate::open(), &[row])
        })
    });
    quote! {
        /// Returns the informer of `resource`, or `None` if this module does not define the resource.
        ///
        /// Counterpart of client-go's `ForResource`.
        #[generated]
        #[must_use]
        #[inline]
        #visibility fn for_resource(
            factory: &#runtime::SharedInformerFactory,
            resource: &#runtime::GroupVersionResource,
        ) -> ::core::option::Option<#runtime::GenericInformer> {
            let mut table = #runtime::__private::ResourceTable::new(factory, resource);
            #(#rows)*
            table.found()
        }

        /// Returns the informer of `resource`: typed, or metadata-only if this module does not
        /// define the resource.
        ///
        /// For controllers that handle every resource of a cluster, such as garbage and quota
        /// collectors. Counterpart of kube-controller-manager's
        /// `ObjectOrMetadataInformerFactory`.
        #[generated]
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
        #[generated]
        #[inline]
        #visibility fn discover_or_metadata(
            factory: &#runtime::SharedInformerFactory,
            resource: &#runtime::GroupVersionResource,
        ) -> impl ::core::future::Future<
            Output = ::core::result::Result<#runtime::GenericInformer, #runtime::__private::DiscoverError>,
        > + ::core::marker::Send {
            #runtime::__private::discover_or_metadata(factory, resource, for_resource)
        }
    }
}

/// Emits the function in the module of a version.
pub(super) fn of_version(
    group: &str,
    version: &Version<'_>,
    surrounding: &VersionGate,
    context: &Context,
) -> TokenStream {
    let runtime = &context.runtime;
    let name = version.name;
    let rows = version.kinds.iter().map(|kind| {
        let informer = kind.informer();
        let plural = &kind.resource.plural;
        let row = quote!(table.row(#plural, #informer::new););
        gated(&kind.resource.gate, surrounding, &[row])
    });
    quote! {
        #[inline]
        pub(in super::super) fn rows(table: &mut #runtime::__private::ResourceTable<'_>) {
            table.group_version(#group, #name);
            #(#rows)*
        }
    }
}
