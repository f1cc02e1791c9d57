//! Emits checks that a user's type matches its definition, for kinds that users map to types.
//!
//! The scope is part of the type, so a constant assertion compares it at compile time. Group,
//! version, kind and plural are results of functions, so a test in the user's crate compares them,
//! at no cost to the program.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use super::context::Context;
use super::wrapper;
use crate::gvk::Scope;
use crate::ir::Origin;
use crate::plan::Kind;

pub(super) fn checks(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let resource = kind.resource;
    if resource.origin == Origin::BuiltIn || resource.dynamic {
        return Vec::new();
    }
    let runtime = &context.runtime;
    let rust_type = wrapper::object_type(kind, context);
    let scope = match resource.scope {
        Scope::Cluster => quote!(assert_defined_cluster),
        Scope::Namespaced => quote!(assert_defined_namespaced),
    };
    let accessor = kind.accessor.to_string();
    let accessor = accessor.trim_start_matches("r#").trim_end_matches('_');
    let test = format_ident!("{accessor}_match_their_definition");
    let group = &resource.gvk.group;
    let version = &resource.gvk.version;
    let name = &resource.gvk.kind;
    let plural = &resource.plural;
    vec![
        quote! {
            const _: () = #runtime::__private::#scope::<#rust_type>();
        },
        quote! {
            #[cfg(test)]
            #[::core::prelude::v1::test]
            fn #test() {
                #runtime::__private::assert_defined::<#rust_type>(#group, #version, #name, #plural);
            }
        },
    ]
}
