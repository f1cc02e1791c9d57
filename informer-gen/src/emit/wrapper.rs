//! The newtypes of one kind.

use proc_macro2::{Ident, TokenStream};
use quote::quote;

use super::{Context, index};
use crate::ir::Scope;
use crate::plan::Kind;

/// Informer, lister and, for a namespaced kind, namespace lister.
pub(super) fn items(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let mut items = informer(kind, context);
    items.extend(lister(kind, context));
    if kind.resource.scope == Scope::Namespaced {
        items.extend(namespace_lister(kind, context));
    }
    items
}

fn informer(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [name, lister, _] = kind.type_names();
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
    let fields = kind
        .indices
        .iter()
        .map(|(field, _)| quote!(#field: ::core::clone::Clone::clone(&self.#field)));
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
                #visibility fn new(factory: &#runtime::SharedInformerFactory) -> Self {
                    #constructor
                }
                /// The lister of its cache.
                #[must_use]
                #visibility fn lister(&self) -> #lister {
                    #lister { lister: self.informer.lister(), #(#fields,)* }
                }
            }
        },
        deref,
    ]
}

fn lister(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [_, name, namespace_lister] = kind.type_names();
    let target = quote!(#runtime::Lister<#rust_type>);
    let indices = index_fields(kind, context);
    let documentation = format!(" Lister of `{}`.", kind.resource.plural);
    let mut methods = Vec::new();
    if kind.resource.scope == Scope::Namespaced {
        let documentation = format!(" The `{}` of one namespace.", kind.resource.plural);
        let of_namespace = if kind.resource.dynamic {
            quote!(#runtime::__private::dynamic_namespace(&self.lister, namespace))
        } else {
            quote!(self.lister.namespace(namespace))
        };
        methods.push(quote! {
            #[doc = #documentation]
            #[must_use]
            #visibility fn namespace(&self, namespace: &str) -> #namespace_lister {
                #namespace_lister { lister: #of_namespace }
            }
        });
    } else if kind.resource.dynamic {
        methods.push(quote! {
            /// The object of a name.
            #[must_use]
            #visibility fn get(
                &self,
                name: &str,
            ) -> ::core::option::Option<::std::sync::Arc<#rust_type>> {
                #runtime::__private::dynamic_get(&self.lister, name)
            }
        });
    }
    for (accessor, index) in &kind.indices {
        methods.push(index::accessor(kind, accessor, index, context));
    }
    let mut items = vec![quote! {
        #[doc = #documentation]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #visibility struct #name { lister: #target, #indices }
    }];
    if !methods.is_empty() {
        items.push(quote!(impl #name { #(#methods)* }));
    }
    items.push(deref(&name, &target, &quote!(lister)));
    items
}

fn namespace_lister(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [_, _, name] = kind.type_names();
    let target = quote!(#runtime::NamespaceLister<#rust_type>);
    let documentation = format!(
        " Lister of the `{}` of one namespace.",
        kind.resource.plural
    );
    vec![
        quote! {
            #[doc = #documentation]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #visibility struct #name { lister: #target }
        },
        deref(&name, &target, &quote!(lister)),
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
    let names = kind.indices.iter().map(|(name, _)| name);
    let lets = kind.indices.iter().map(|(name, index)| {
        let path = &index.path;
        let values = index::values(kind, index, context);
        quote!(let #name = #runtime::__private::index(&informer, #path, #values);)
    });
    let traits = index::traits(&kind.indices, context);
    quote! {
        #traits
        let informer: #runtime::SharedInformer<#rust_type> = #informer;
        #(#lets)*
        Self { informer, #(#names,)* }
    }
}

fn index_fields(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let rust_type = &kind.resource.rust_type;
    let names = kind.indices.iter().map(|(name, _)| name);
    quote!(#(#names: #runtime::Index<#rust_type, ::std::string::String>,)*)
}

fn deref(name: &Ident, target: &TokenStream, field: &TokenStream) -> TokenStream {
    quote! {
        impl ::core::ops::Deref for #name {
            type Target = #target;
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
