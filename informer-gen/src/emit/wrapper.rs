//! The newtypes of one kind.
//!
//! Every method is `#[inline]`, as in the derive, so that rustc compiles it where it is called.
//! Otherwise a library would compile the whole runtime for each kind that it generates, whether or
//! not anybody uses it.

mod lister;

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Context, index};
use crate::ir::Scope;
use crate::plan::Kind;

/// Informer and lister; snapshot, if it has indices.
pub(super) fn items(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let mut items = informer(kind, context);
    items.extend(lister::items(kind, context));
    items.extend(lister::snapshot(kind, context));
    items
}

fn informer(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [name, lister, ..] = kind.type_names();
    let gvk = &kind.resource.gvk;
    let summary = format!(
        " Shared informer of `{}` `{}`.",
        gvk.group_version(),
        gvk.kind
    );
    let details = details(kind);
    let deprecated = deprecation(kind);
    let target = quote!(#runtime::SharedInformer<#rust_type>);
    let indices = index_fields(kind, context);
    let constructor = constructor(kind, context);
    let new_documentation = format!(
        " The informer of `{}` that `factory` shares.",
        kind.resource.plural
    );
    let clones = index_clones(kind);
    let deref = deref(&name, &target, &quote!(informer));
    vec![
        quote! {
            #[doc = #summary]
            ///
            #[doc = #details]
            #deprecated
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #visibility struct #name { informer: #target, #indices }
        },
        quote! {
            impl #name {
                #[doc = #new_documentation]
                #[must_use]
                #[inline]
                #visibility fn new(factory: &#runtime::SharedInformerFactory) -> Self {
                    #constructor
                }
                /// The lister of its cache.
                #[must_use]
                #[inline]
                #visibility fn lister(&self) -> #lister {
                    #lister { lister: self.informer.lister(), #clones }
                }
            }
        },
        deref,
    ]
}

/// The body of `new`.
fn constructor(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let rust_type = &kind.resource.rust_type;
    let informer = if kind.resource.dynamic {
        let gvk = &kind.resource.gvk;
        let (group, version, name) = (&gvk.group, &gvk.version, &gvk.kind);
        let plural = &kind.resource.plural;
        let namespaced = kind.resource.scope == Scope::Namespaced;
        quote! {
            #runtime::__private::dynamic(factory, #group, #version, #name, #plural, #namespaced)
        }
    } else {
        quote!(factory.informer())
    };
    if kind.indices.is_empty() {
        return quote!(Self {
            informer: #informer
        });
    }
    let names = kind.indices.iter().map(|index| &index.accessor);
    let lets = kind.indices.iter().map(|index| {
        let (accessor, name) = (&index.accessor, &index.name);
        let values = index::values(kind, index, context);
        quote!(let #accessor = #runtime::__private::index(&informer, #name, #values);)
    });
    let traits = index::traits(&kind.indices, context);
    quote! {
        #traits
        let informer: #runtime::SharedInformer<#rust_type> = #informer;
        #(#lets)*
        Self { informer, #(#names,)* }
    }
}

/// The fields that hold the indices.
fn index_fields(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let rust_type = &kind.resource.rust_type;
    let names = kind.indices.iter().map(|index| &index.accessor);
    let values = kind
        .indices
        .iter()
        .map(|index| index::value(index, context));
    quote!(#(#names: #runtime::Index<#rust_type, #values>,)*)
}

/// The same fields, cloned from `self`.
fn index_clones(kind: &Kind<'_>) -> TokenStream {
    let names = kind.indices.iter().map(|index| &index.accessor);
    quote!(#(#names: ::core::clone::Clone::clone(&self.#names),)*)
}

fn deref(name: &Ident, target: &TokenStream, field: &TokenStream) -> TokenStream {
    quote! {
        impl ::core::ops::Deref for #name {
            type Target = #target;
            #[inline]
            fn deref(&self) -> &Self::Target {
                &self.#field
            }
        }
    }
}

fn details(kind: &Kind<'_>) -> String {
    let resource = kind.resource;
    format!(
        " Resource `{}`, {}; its objects are {}.",
        resource.plural,
        match resource.scope {
            Scope::Cluster => "cluster-scoped",
            Scope::Namespaced => "namespaced",
        },
        if resource.dynamic {
            "kube's `DynamicObject`s".to_owned()
        } else {
            format!("`{}`", kind.rust_type())
        },
    )
}

/// A line of documentation; the attribute `deprecated` would warn wherever the generated code
/// itself names the type.
fn deprecation(kind: &Kind<'_>) -> Option<TokenStream> {
    kind.resource.deprecated.as_ref().map(|_| {
        quote! {
            ///
            /// This version of the API is deprecated.
        }
    })
}
