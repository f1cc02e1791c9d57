//! Emits the lookup of an informer by resource name, the counterpart of client-go's `ForResource`.
//!
//! Each version has a function with a row for each kind. The macros that gate kinds can expand to
//! statements, but not to elements of an array. All functions are `#[inline]`, so a program that
//! does not call them does not compile them.

use quote::quote;

use super::{Context, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Plan, Version};

/// Emits the public functions.
pub(super) fn of_all(plan: &Plan<'_>, context: &Context) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let visibility = context.visibility_text();
    let mut rows = Vec::new();
    for group in &plan.groups {
        for version in &group.versions {
            let (group, version_ident) = (&group.ident, &version.ident);
            let row = text::statements(
                "the root",
                &quote!(#group::#version_ident::rows(&mut table);),
            )?;
            rows.push(text::gated(&version.gate(), &Gate::open(), context, &[row]));
        }
    }
    let head = format!(
        "/// Returns the informer of `resource`, or `None` if this module does not define the resource.\n\
         ///\n\
         /// Counterpart of client-go's `ForResource`.\n\
         #[must_use]\n\
         #[inline]\n\
         {}\n\
         {visibility} fn for_resource(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &{runtime}::GroupVersionResource,\n\
         ) -> ::core::option::Option<{runtime}::GenericInformer>",
        text::UNUSED,
    );
    let table =
        format!("let mut table = {runtime}::__private::ResourceTable::new(factory, resource);\n");
    let body = format!("{table}{}table.found()\n", rows.concat());
    let typed = text::block(&head, &body);
    let others = format!(
        "/// Returns the informer of `resource`: typed, or metadata-only if this module does not\n\
         /// define the resource.\n\
         ///\n\
         /// For controllers that handle every resource of a cluster, such as garbage and quota\n\
         /// collectors. Counterpart of kube-controller-manager's\n\
         /// `ObjectOrMetadataInformerFactory`.\n\
         #[must_use]\n\
         #[inline]\n\
         {unused}\n\
         {visibility} fn for_resource_or_metadata(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &{runtime}::ResourceInfo,\n\
         ) -> {runtime}::GenericInformer {{\n    \
             {runtime}::__private::or_metadata(factory, resource, for_resource)\n\
         }}\n\n\
        /// Looks up `resource` on the API server, and returns its informer: typed, or\n\
         /// metadata-only if this module does not define the resource.\n\
         ///\n\
         /// # Errors\n\
         ///\n\
        /// Returns an error if the API server does not serve the resource, does not support\n\
         /// watching it, or cannot be reached.\n\
         ///\n\
         /// # Cancel safety\n\
         ///\n\
        /// Dropping the future creates no informer.\n\
         #[inline]\n\
         {unused}\n\
         {visibility} fn discover_or_metadata(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &{runtime}::GroupVersionResource,\n\
         ) -> impl ::core::future::Future<\n    \
             Output = ::core::result::Result<{runtime}::GenericInformer, {runtime}::__private::DiscoverError>,\n\
         > + ::core::marker::Send {{\n    \
             {runtime}::__private::discover_or_metadata(factory, resource, for_resource)\n\
         }}\n",
        unused = text::UNUSED,
    );
    Ok(format!("{typed}\n{others}"))
}

/// Emits the function in the module of a version.
pub(super) fn of_version(
    group: &str,
    version: &Version<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let name = version.name;
    let mut rows = Vec::new();
    for kind in &version.kinds {
        let [informer, _] = kind.type_names();
        let plural = &kind.resource.plural;
        let row = quote!(table.row(#group, #name, #plural, #informer::new););
        let row = text::statements(name, &row)?;
        let gate = &kind.resource.gate;
        rows.push(text::gated(gate, surrounding, context, &[row]));
    }
    let head = format!(
        "#[inline]\npub(in super::super) fn rows(table: &mut {runtime}::__private::ResourceTable<'_>)"
    );
    Ok(text::block(&head, &rows.concat()))
}
