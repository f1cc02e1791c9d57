//! Emits the root: the modules of the groups, and the trait that adds their accessors to the
//! factory.

use informer_codegen::CODEGEN_ABI;
use quote::quote;

use super::{Context, for_resource, pod_spec, text};
use crate::error::Error;
use crate::ir::Gate;
use crate::plan::Plan;

/// Returns the inner documentation of a root that is a file of its own.
pub(super) fn documentation() -> String {
    "//! Typed informers and listers, by group and version: \
     `factory.apps().v1().deployments()`.\n"
        .to_owned()
}

/// Returns the content of the main file.
pub(super) fn content(
    plan: &Plan<'_>,
    context: &Context,
    modules: &[String],
) -> Result<String, Error> {
    let runtime = &context.runtime;
    let guard = quote!(const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI););
    let mut parts = vec![text::items("the root", &[guard])?];
    parts.push(extension_trait(plan, context)?);
    parts.push(for_resource::of_all(plan, context)?);
    parts.extend(modules.iter().cloned());
    parts.extend(pod_spec::module(plan, context)?);
    Ok(parts.join("\n"))
}

fn extension_trait(plan: &Plan<'_>, context: &Context) -> Result<String, Error> {
    let runtime = crate::paths::display(&context.runtime);
    let mut methods = Vec::new();
    for group in &plan.groups {
        let ident = &group.ident;
        let documentation = format!(" Returns the versions of {}.", super::group::subject(group));
        let method = quote! {
            #[doc = #documentation]
            #[must_use]
            fn #ident(&self) -> #ident::Interface<'_, Self> {
                #ident::Interface(self)
            }
        };
        let method = text::trait_members("the root", &method)?;
        methods.push(text::gated(
            &group.gate(),
            &Gate::open(),
            context,
            &[method],
        ));
    }
    let head = format!(
        "/// API groups, as methods of informer factories.\n{}\n{} trait \
         SharedInformerFactoryExt: {runtime}::MakeInformers + ::core::marker::Sized",
        text::UNUSED,
        context.visibility_text()
    );
    let implementation =
        format!("\nimpl<M: {runtime}::MakeInformers> SharedInformerFactoryExt for M {{}}\n");
    Ok(text::block(&head, &methods.join("\n")) + &implementation)
}
