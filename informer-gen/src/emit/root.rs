//! The root: modules of the groups, and the trait that puts their accessors on the factory.

use quote::quote;

use super::{Context, for_resource, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::{Group, Plan};

/// The inner documentation of a root that is a file of its own.
pub(super) fn documentation() -> String {
    "//! Typed informers and listers, by group and version: \
     `factory.apps().v1().deployments()`.\n"
        .to_owned()
}

/// What stands in the main file.
pub(super) fn content(
    plan: &Plan<'_>,
    context: &Context,
    modules: &[String],
) -> Result<String, Error> {
    let runtime = &context.runtime;
    let guard = quote!(const _: () = #runtime::__private::assert_codegen_abi(1););
    let mut parts = vec![text::items("the root", &[guard])?];
    parts.push(extension_trait(plan, context));
    parts.push(implementation(plan, context)?);
    parts.push(for_resource::of_all(plan, context)?);
    parts.extend(modules.iter().cloned());
    Ok(parts.join("\n"))
}

fn extension_trait(plan: &Plan<'_>, context: &Context) -> String {
    let mut methods = Vec::new();
    for group in &plan.groups {
        let Group { ident, .. } = group;
        let documentation = super::group::documentation(group);
        let method = format!(
            "/// {documentation}\n#[must_use]\nfn {ident}(&self) -> {ident}::Interface<'_>;\n"
        );
        methods.push(text::gated(
            &group.gate(),
            &Gate::open(),
            context,
            &[method],
        ));
    }
    let head = format!(
        "/// The groups of the API, as methods of the factory.\n{}\n{} trait SharedInformerFactoryExt",
        text::UNUSED,
        context.visibility_text()
    );
    text::block(&head, &methods.join("\n"))
}

fn implementation(plan: &Plan<'_>, context: &Context) -> Result<String, Error> {
    let mut methods = Vec::new();
    for group in &plan.groups {
        let Group { ident, .. } = group;
        let method = quote! {
            #[inline]
            fn #ident(&self) -> #ident::Interface<'_> {
                #ident::Interface(self)
            }
        };
        let method = text::members("the root", &method)?;
        methods.push(text::gated(
            &group.gate(),
            &Gate::open(),
            context,
            &[method],
        ));
    }
    let runtime = crate::paths::display(&context.runtime);
    let head = format!("impl SharedInformerFactoryExt for {runtime}::SharedInformerFactory");
    Ok(text::block(&head, &methods.join("\n")))
}
