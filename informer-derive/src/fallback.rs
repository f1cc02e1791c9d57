//! What is emitted beside errors: everything that the user's code may name, without insides.

use proc_macro2::{Ident, TokenStream};
use quote::{quote, quote_spanned};

use crate::attr::Scope;
use crate::check::Model;
use crate::expand::{self, Names, index};

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
        snapshot,
        factory,
    } = Names::of(model);

    let span = proc_macro2::Span::mixed_site();
    let never = quote_spanned!(span=> ::core::unreachable!());
    let namespace = (model.scope != Some(Scope::Cluster)).then(|| {
        quote!(#vis fn namespace(&self, _: &::core::primitive::str) -> #namespace_lister { #never })
    });
    let deref = |name: &Ident, target: TokenStream, of: TokenStream| {
        quote! {
            #[automatically_derived]
            impl ::core::ops::Deref for #name {
                type Target = #runtime::#target<#of>;
                fn deref(&self) -> &Self::Target { #never }
            }
        }
    };
    let derefs = model.root_known.then(|| {
        let all = [
            deref(&informer, quote!(SharedInformer), quote!(#root)),
            deref(&lister, quote!(Lister), quote!(#root)),
            deref(&namespace_lister, quote!(NamespaceLister), quote!(#root)),
        ];
        quote!(#(#all)*)
    });
    let indices = if model.root_known {
        model.indices.as_slice()
    } else {
        &[]
    };
    let accessors: Vec<TokenStream> = indices
        .iter()
        .map(|index| {
            let name = &index.accessor;
            let (argument, _) = index::argument(index);
            let result = index::result(model, index);
            quote!(#vis fn #name(&self, _: #argument) -> #result { #never })
        })
        .collect();
    let snapshot = (!indices.is_empty()).then(|| {
        let deref = deref(&snapshot, quote!(Snapshot), quote!(::std::sync::Arc<#root>));
        let item = quote! {
            #[doc(hidden)]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #vis struct #snapshot;

            #[allow(dead_code, missing_docs)]
            impl #snapshot {
                #(#accessors)*
            }

            #deref
        };
        let method = quote!(#vis fn snapshot(&self) -> #snapshot { #never });
        (item, method)
    });
    let (snapshot, snapshot_method) = snapshot.unzip();
    let selectable = expand::selectable(model);
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
            #selectable
            #vis fn new(_: &#runtime::SharedInformerFactory) -> Self { #never }
            #vis fn lister(&self) -> #lister { #never }
        }

        #[allow(dead_code, missing_docs)]
        impl #lister {
            #namespace
            #snapshot_method
            #(#accessors)*
        }

        #snapshot

        #derefs

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
