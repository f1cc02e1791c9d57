//! What is emitted beside errors: everything that the user's code may name, without insides.

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};

use crate::attr::Scope;
use crate::check::Model;
use crate::expand::{Names, index_argument};

/// Writes `errors`, and an outline of `model`.
pub(crate) fn fallback(model: &Model, errors: &syn::Error) -> TokenStream {
    let errors = errors.to_compile_error();
    if model.elsewhere {
        return errors;
    }
    let Model {
        vis,
        runtime,
        accessor,
        root,
        ..
    } = model;
    let Names {
        informer,
        lister,
        namespace_lister,
        factory,
    } = Names::of(model);

    let span = proc_macro2::Span::mixed_site();
    let never = quote_spanned!(span=> ::core::unreachable!());
    let namespace = (model.scope != Some(Scope::Cluster)).then(|| {
        quote!(#vis fn namespace(&self, _: &::core::primitive::str) -> #namespace_lister { #never })
    });
    let deref = model.root_known.then(|| {
        let deref = |name, target| {
            quote! {
                #[automatically_derived]
                impl ::core::ops::Deref for #name {
                    type Target = #runtime::#target<#root>;
                    fn deref(&self) -> &Self::Target { #never }
                }
            }
        };
        let all = [
            deref(&informer, quote!(SharedInformer)),
            deref(&lister, quote!(Lister)),
            deref(&namespace_lister, quote!(NamespaceLister)),
        ];
        quote!(#(#all)*)
    });
    let accessors = model
        .indices
        .iter()
        .filter(|_| model.root_known)
        .map(|index| {
            let name = &index.accessor;
            let (argument, _) = index_argument(index);
            quote! {
                #vis fn #name(&self, _: #argument) -> ::std::vec::Vec<::std::sync::Arc<#root>> {
                    #never
                }
            }
        });
    quote! {
        #errors

        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #informer;

        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #lister;

        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #namespace_lister;

        #[allow(dead_code, missing_docs)]
        impl #informer {
            #vis fn new(_: &#runtime::SharedInformerFactory) -> Self { #never }
            #vis fn lister(&self) -> #lister { #never }
        }

        #[allow(dead_code, missing_docs)]
        impl #lister {
            #namespace
            #(#accessors)*
        }

        #deref

        #[doc(hidden)]
        #[allow(dead_code, missing_docs)]
        #vis trait #factory {
            fn #accessor(&self) -> #informer;
        }

        #[automatically_derived]
        impl #factory for #runtime::SharedInformerFactory {
            fn #accessor(&self) -> #informer { #never }
        }
    }
}
