//! From the name of a resource to its informer: what client-go's `ForResource` does.
//!
//! A function for each level. They compare one by one, and do not `match`: the macros that gate
//! kinds cannot stand for arms.

use proc_macro2::TokenStream;
use quote::quote;

use super::{Context, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Group, Plan, Version};

/// The function that users call.
pub(super) fn of_all(plan: &Plan<'_>, context: &Context) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let mut statements = Vec::new();
    for group in &plan.groups {
        let (name, ident) = (group.name, &group.ident);
        let is_it = match name {
            "" => quote!(resource.group.is_empty()),
            name => quote!(resource.group == #name),
        };
        let statement = quote! {
            if #is_it {
                return #ident::for_resource(factory, &resource.version, &resource.resource);
            }
        };
        let statement = text::statements("the root", &statement)?;
        statements.push(text::gated(
            &group.gate(),
            &Gate::open(),
            context,
            &[statement],
        ));
    }
    let head = format!(
        "/// The informer of a resource, by its name; `None` if this module has none.\n\
         ///\n\
         /// The counterpart of client-go's `ForResource`.\n\
         #[must_use]\n\
         #[inline]\n\
         {}\n\
         {} fn for_resource(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &{runtime}::GroupVersionResource,\n\
         ) -> ::core::option::Option<{runtime}::GenericInformer>",
        text::UNUSED,
        context.visibility_text()
    );
    Ok(function(&head, &statements))
}

/// The function in the module of a group.
pub(super) fn of_group(
    group: &Group<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let mut statements = Vec::new();
    for version in &group.versions {
        let (name, ident) = (version.name, &version.ident);
        let statement = quote! {
            if version == #name {
                return #ident::for_resource(factory, resource);
            }
        };
        let statement = text::statements(group.name, &statement)?;
        statements.push(text::gated(
            &version.gate(),
            surrounding,
            context,
            &[statement],
        ));
    }
    let head = format!(
        "#[inline]\npub(super) fn for_resource(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             version: &str,\n    \
             resource: &str,\n\
         ) -> ::core::option::Option<{runtime}::GenericInformer>",
    );
    Ok(function(&head, &statements))
}

/// The function in the module of a version.
pub(super) fn of_version(
    version: &Version<'_>,
    surrounding: &Gate,
    context: &Context,
) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let mut statements = Vec::new();
    for kind in &version.kinds {
        let statement = entry(kind.type_names().first(), &kind.resource.plural);
        let statement = text::statements(version.name, &statement)?;
        let gate = &kind.resource.gate;
        statements.push(text::gated(gate, surrounding, context, &[statement]));
    }
    let head = format!(
        "#[inline]\npub(super) fn for_resource(\n    \
             factory: &{runtime}::SharedInformerFactory,\n    \
             resource: &str,\n\
         ) -> ::core::option::Option<{runtime}::GenericInformer>",
    );
    Ok(function(&head, &statements))
}

fn entry(informer: Option<&proc_macro2::Ident>, plural: &str) -> TokenStream {
    quote! {
        if resource == #plural {
            let informer = #informer::new(factory).informer;
            return ::core::option::Option::Some(::core::convert::Into::into(informer));
        }
    }
}

fn function(head: &str, statements: &[String]) -> String {
    let body = format!("{}::core::option::Option::None\n", statements.concat());
    text::block(head, &body)
}
