//! From the name of a resource to its informer: what client-go's `ForResource` does.
//!
//! A row for each kind, in a function for each version: the macros that gate kinds stand for
//! statements, and cannot stand for elements of an array. All of it is `#[inline]`, so that nothing is
//! compiled into a program that does not call it.

use quote::quote;

use super::{Context, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Plan, Version};

/// The functions that users call.
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
        "/// Returns the informer of a resource, by its name; `None` if this module has none.\n\
         ///\n\
         /// The counterpart of client-go's `ForResource`.\n\
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
        "/// Returns the informer of a resource, by its name: of its type, or of its metadata if this module has none.\n\
         ///\n\
         /// For what handles every resource there is, as collectors of garbage and quotas do. The counterpart of\n\
         /// kube-controller-manager's `ObjectOrMetadataInformerFactory`.\n\
         #[must_use]\n\
         #[inline]\n\
         {unused}\n\
         {visibility} fn for_resource_or_metadata(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &{runtime}::ResourceInfo,\n\
         ) -> {runtime}::GenericInformer {{\n    \
             {runtime}::__private::or_metadata(factory, resource, for_resource)\n\
         }}\n\n\
         /// Asks the server for a resource, and returns its informer: of its type, or of its metadata if this module\n\
         /// has none.\n\
         ///\n\
         /// # Errors\n\
         ///\n\
         /// The server does not serve the resource, does not let it be watched, or cannot be asked.\n\
         ///\n\
         /// # Cancel safety\n\
         ///\n\
         /// Dropping the future makes no informer.\n\
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

/// The function in the module of a version.
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
