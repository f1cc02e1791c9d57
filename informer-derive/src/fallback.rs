//! Emits code next to errors: all items that the user's code may refer to.

use informer_codegen::emit::{self, WrapperNames};
use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::model::{Model, factory_name};

/// Emits `errors`, and the valid parts of `model`.
///
/// The accessor of a wrong index exists, and finds no object.
pub(crate) fn fallback(model: &Model, errors: &syn::Error) -> TokenStream {
    let reports = errors.to_compile_error();
    if model.elsewhere {
        return reports;
    }
    let items = if model.root_known {
        emit::wrappers(&model.wrappers)
    } else {
        vec![outline(model)]
    };
    quote!(#reports #(#items)*)
}

/// Emits the names only, because the type of the wrappers does not exist.
fn outline(model: &Model) -> TokenStream {
    let vis = &model.wrappers.vis;
    let runtime = &model.wrappers.runtime;
    let WrapperNames {
        informer, lister, ..
    } = WrapperNames::of(&model.wrappers.prefix);
    let factory = factory_name(&model.wrappers.prefix);
    let accessor = &model.accessor;
    let never = quote_spanned!(Span::mixed_site()=> ::core::unreachable!());
    quote! {
        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #informer;

        #[allow(dead_code, missing_docs)]
        impl #informer {
            #vis fn new<M: #runtime::MakeInformers>(_: &M) -> Self { #never }
            #vis fn lister(&self) -> #lister { #never }
        }

        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #lister;

        #[doc(hidden)]
        #[allow(dead_code, missing_docs)]
        #vis trait #factory {
            fn #accessor(&self) -> #informer;
        }

        #[automatically_derived]
        impl<M: #runtime::MakeInformers> #factory for M {
            fn #accessor(&self) -> #informer { #never }
        }
    }
}
