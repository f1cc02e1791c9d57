//! What is emitted beside errors: everything that the user's code may name, without insides.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{quote, quote_spanned};

use crate::check::{Index, Model};
use crate::expand::{self, Names, index};

/// Writes `errors`, and an outline of `model`.
pub(crate) fn fallback(model: &Model, errors: &syn::Error) -> TokenStream {
    let errors = errors.to_compile_error();
    if model.elsewhere {
        return errors;
    }
    let names = Names::of(model);
    let wrappers = wrappers(model, &names);
    let factory = factory(model, &names);
    quote! {
        #errors
        #wrappers
        #factory
    }
}

fn wrappers(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis, runtime, root, ..
    } = model;
    let Names {
        informer,
        lister,
        snapshot,
        ..
    } = names;
    let never = never();
    let object = quote!(#root);
    let selectable = expand::selectable(model);
    let accessors = accessors(model);
    let snapshot_method =
        (!accessors.is_empty()).then(|| quote!(#vis fn snapshot(&self) -> #snapshot { #never }));

    let of_informer = quote! {
        #selectable
        #vis fn new(_: &#runtime::SharedInformerFactory) -> Self { #never }
        #vis fn lister(&self) -> #lister { #never }
    };
    let of_lister = quote!(#snapshot_method #(#accessors)*);
    let of_snapshot = quote!(#(#accessors)*);
    let wrapper = |name, methods, target, of| wrapper(model, name, methods, target, of);
    let mut all = vec![
        wrapper(informer, &of_informer, "SharedInformer", &object),
        wrapper(lister, &of_lister, "Lister", &object),
    ];
    if snapshot_method.is_some() {
        let handle = quote!(::std::sync::Arc<#root>);
        all.push(wrapper(snapshot, &of_snapshot, "Snapshot", &handle));
    }
    quote!(#(#all)*)
}

/// A struct with `methods`, which derefs to the runtime's `target<of>`.
fn wrapper(
    model: &Model,
    name: &Ident,
    methods: &TokenStream,
    target: &str,
    of: &TokenStream,
) -> TokenStream {
    let Model {
        vis, runtime, root, ..
    } = model;
    let target = Ident::new(target, Span::call_site());
    let never = never();
    // As in `expand`, a type that is no object is not the matter here.
    let deref = model.root_known.then(|| {
        quote! {
            #[automatically_derived]
            impl ::core::ops::Deref for #name where for<'__a> #root: #runtime::Object {
                type Target = #runtime::#target<#of>;
                fn deref(&self) -> &Self::Target { #never }
            }
        }
    });
    quote! {
        #[doc(hidden)]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name;

        #[allow(dead_code, missing_docs)]
        impl #name {
            #methods
        }

        #deref
    }
}

/// The methods that read indices; none if they would name a type that there is not.
fn accessors(model: &Model) -> Vec<TokenStream> {
    let Model { vis, .. } = model;
    let never = never();
    let method = |index: &Index| {
        let name = &index.accessor;
        let (argument, _) = index::argument(index);
        let result = index::result(model, index);
        quote!(#vis fn #name(&self, _: #argument) -> #result { #never })
    };
    let indices = model.indices.iter().filter(|_| model.root_known);
    indices.map(method).collect()
}

fn factory(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        runtime,
        accessor,
        ..
    } = model;
    let Names {
        informer, factory, ..
    } = names;
    let never = never();
    quote! {
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

fn never() -> TokenStream {
    quote_spanned!(Span::mixed_site()=> ::core::unreachable!())
}
