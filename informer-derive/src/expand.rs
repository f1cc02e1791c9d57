//! Emits the code of a model: the wrappers, and the assertions for rustc.

use heck::ToShoutySnakeCase;
use informer_codegen::emit;
use informer_codegen::ir::{Objects, Scope};
use informer_codegen::{CODEGEN_ABI, names};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::ext::IdentExt;

use crate::model::Model;

/// Emits the code of `model`.
pub(crate) fn expand(model: &Model) -> TokenStream {
    let wrappers = emit::wrappers(&model.wrappers);
    let assertions = assertions(model);
    quote! {
        #(#wrappers)*
        #assertions
    }
}

fn assertions(model: &Model) -> TokenStream {
    let Model {
        wrappers, marker, ..
    } = model;
    let runtime = &wrappers.runtime;
    let accessor = &model.accessor;
    let Objects::Typed(root) = &wrappers.objects else {
        return TokenStream::new();
    };
    // Without this constant, rustc would detect two traits with the same method only at a call. For
    // a duplicate constant, rustc's message shows nothing but its name.
    let name = accessor.unraw().to_string().to_shouty_snake_case();
    let span = accessor.span();
    let taken = format!("__ACCESSOR_{name}_IS_TAKEN__WRITE_ACCESSOR_WITH_ANOTHER_NAME");
    let constant = names::identifier(&taken, span);
    let taken = quote_spanned!(span=> const #constant: () = (););
    let marker = marker.iter();
    let values = emit::assertions(wrappers);
    let object = match model.scope.filter(|_| model.assert_scope) {
        Some(Scope::Namespaced) => quote!(assert_namespaced),
        Some(Scope::Cluster) => quote!(assert_cluster),
        None => quote!(assert_object),
    };
    quote! {
        const _: () = #runtime::__private::#object::<#root>();
        #values
        #taken
        #(const _: #marker = #marker;)*
        const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI);
    }
}
