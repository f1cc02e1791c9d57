//! Writes the model as code.
//!
//! Every method is `#[inline]`, so that rustc compiles it where it is called. Otherwise a library
//! would compile the whole runtime for each type that it derives, whether or not anybody uses it.

pub(crate) mod index;
mod lister;
mod walk;

use heck::ToShoutySnakeCase;
use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote, quote_spanned};
use syn::ext::IdentExt;

use crate::attr::Scope;
use crate::check::{Model, type_text};

/// The revision of what generated code expects of the runtime's `__private`.
const CODEGEN_ABI: u32 = 1;

/// The names of what is generated.
pub(crate) struct Names {
    pub(crate) informer: Ident,
    pub(crate) lister: Ident,
    pub(crate) snapshot: Ident,
    pub(crate) factory: Ident,
}

/// Writes `model`.
pub(crate) fn expand(model: &Model) -> TokenStream {
    let names = Names::of(model);
    let informer = informer(model, &names);
    let lister = lister::lister(model, &names);
    let snapshot = lister::snapshot(model, &names);
    let factory = factory(model, &names);
    let assertions = assertions(model);
    quote! {
        #informer
        #lister
        #snapshot
        #factory
        #assertions
    }
}

// === impl Names ===

impl Names {
    pub(crate) fn of(model: &Model) -> Self {
        let prefix = &model.prefix;
        Self {
            informer: format_ident!("{prefix}Informer"),
            lister: format_ident!("{prefix}Lister"),
            snapshot: format_ident!("{prefix}ListerSnapshot"),
            factory: format_ident!("{prefix}InformerFactory"),
        }
    }
}

fn informer(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        root,
        runtime,
        indices,
        ..
    } = model;
    let Names {
        informer, lister, ..
    } = names;
    let accessors: Vec<_> = indices.iter().map(|index| &index.accessor).collect();
    let added = indices.iter().map(|index| index::add(model, index));
    let fields = index_fields(model);
    let clones = index_clones(model);
    let selectable = selectable(model);
    let kind = kind(model);
    let doc = format!(" Shared informer of {kind}.");
    let doc_new = format!(
        " The informer of {kind} in `factory`, which creates it if nobody has asked for it before."
    );
    let doc_lister = format!(" Reads the cache of {kind}.");
    let bound = bound(model);
    let deref = deref(
        model,
        informer,
        &quote!(#runtime::SharedInformer<#root>),
        &quote!(informer),
    );
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #informer #bound {
            informer: #runtime::SharedInformer<#root>,
            #fields
        }

        #[allow(dead_code)]
        impl #informer #bound {
            #selectable

            #[doc = #doc_new]
            #[must_use]
            #[inline]
            #vis fn new(factory: &#runtime::SharedInformerFactory) -> Self {
                let informer = factory.informer::<#root>();
                #(#added)*
                Self { informer, #(#accessors,)* }
            }

            #[doc = #doc_lister]
            #[must_use]
            #[inline]
            #vis fn lister(&self) -> #lister {
                #lister {
                    lister: self.informer.lister(),
                    #clones
                }
            }
        }

        #deref
    }
}

/// The constants for field selectors.
pub(crate) fn selectable(model: &Model) -> TokenStream {
    let vis = &model.vis;
    let names = model.selectable.iter().map(|field| &field.name);
    let paths = model.selectable.iter().map(|field| &field.path);
    let docs = paths.clone().map(|path| {
        format!(" `{path}`, a field that the API server selects by: for field selectors.")
    });
    quote! {
        #(
            #[doc = #docs]
            #vis const #names: &'static ::core::primitive::str = #paths;
        )*
    }
}

fn factory(model: &Model, names: &Names) -> TokenStream {
    let Model {
        vis,
        accessor,
        runtime,
        ..
    } = model;
    let Names {
        informer, factory, ..
    } = names;
    let kind = kind(model);
    let doc = format!(" Gives a factory the informer of {kind}.");
    let doc_accessor = format!(" The informer of {kind}.");
    let bound = bound(model);
    quote! {
        #[doc = #doc]
        #[allow(dead_code)]
        #vis trait #factory {
            #[doc = #doc_accessor]
            #[must_use]
            fn #accessor(&self) -> #informer #bound;
        }

        #[automatically_derived]
        impl #factory for #runtime::SharedInformerFactory {
            #[inline]
            fn #accessor(&self) -> #informer #bound {
                #informer::new(self)
            }
        }
    }
}

fn assertions(model: &Model) -> TokenStream {
    let Model {
        root,
        runtime,
        accessor,
        marker,
        ..
    } = model;
    // Two traits with one method would be found out only where the method is called. All that rustc
    // says of this constant, if there is a second one, is its name.
    let accessor = accessor.unraw().to_string().to_shouty_snake_case();
    let span = model.accessor.span();
    let accessor = format!(
        "__INFORMER_ACCESSOR_{accessor}_IS_TAKEN__WRITE_INFORMER_ACCESSOR_WITH_ANOTHER_NAME"
    );
    let accessor = Ident::new(&accessor, span);
    let accessor = quote_spanned!(span=> const #accessor: () = (););
    let marker = marker.iter();
    let object = match model.scope.filter(|_| model.assert_scope) {
        Some(Scope::Namespaced) => quote!(assert_namespaced),
        Some(Scope::Cluster) => quote!(assert_cluster),
        None => quote!(assert_object),
    };
    quote! {
        const _: () = #runtime::__private::#object::<#root>();
        #accessor
        #(const _: #marker = #marker;)*
        const _: () = #runtime::__private::assert_codegen_abi(#CODEGEN_ABI);
    }
}

/// The `where` clause of everything that holds objects of the type.
///
/// It says nothing that is not so, if the type is what it must be: `assertions` have it checked once.
/// If it is not, they are the only error here, as everything else may rely on the bound. The lifetime
/// keeps rustc from checking the bound at each item itself.
fn bound(model: &Model) -> TokenStream {
    let Model { root, runtime, .. } = model;
    let bound = match model.scope {
        Some(Scope::Namespaced) => quote!(NamespacedObject),
        Some(Scope::Cluster) | None => quote!(ClusterObject),
    };
    quote!(where for<'__a> #root: #runtime::__private::#bound)
}

/// `impl Deref for name`, to its field `field` of type `target`.
fn deref(model: &Model, name: &Ident, target: &TokenStream, field: &TokenStream) -> TokenStream {
    let bound = bound(model);
    quote! {
        #[automatically_derived]
        impl ::core::ops::Deref for #name #bound {
            type Target = #target;

            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.#field
            }
        }
    }
}

/// The fields that hold the indices.
fn index_fields(model: &Model) -> TokenStream {
    let Model { root, runtime, .. } = model;
    let accessors = model.indices.iter().map(|index| &index.accessor);
    let values = model.indices.iter().map(|index| &index.value);
    quote!(#(#accessors: #runtime::Index<#root, #values>,)*)
}

/// The same fields, cloned from `self`.
fn index_clones(model: &Model) -> TokenStream {
    let accessors = model.indices.iter().map(|index| &index.accessor);
    quote!(#(#accessors: ::core::clone::Clone::clone(&self.#accessors),)*)
}

/// What the documentation calls the type.
fn kind(model: &Model) -> String {
    let root = type_text(&model.root).replace("r#", "");
    match &model.api_version {
        Some(api_version) => format!("`{api_version}` `{root}`"),
        None => format!("`{root}`"),
    }
}
