//! What reads the cache: lister, namespace lister and snapshot.

use proc_macro2::TokenStream;
use quote::quote;

use super::{deref, index_clones, index_fields};
use crate::emit::Context;
use crate::emit::index::{self, Reader};
use crate::ir::Scope;
use crate::plan::Kind;

/// The lister of all namespaces, or of the cluster.
pub(super) fn items(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [_, name, ..] = kind.type_names();
    let target = quote!(#runtime::Lister<#rust_type>);
    let indices = index_fields(kind, context);
    let documentation = format!(" Lister of `{}`.", kind.resource.plural);
    let mut methods = vec![by_scope(kind, context)];
    methods.extend(snapshot_method(kind, context));
    methods.extend(
        kind.indices
            .iter()
            .map(|index| index::accessor(kind, index, Reader::Lister, context)),
    );
    vec![
        quote! {
            #[doc = #documentation]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #visibility struct #name { lister: #target, #indices }
        },
        quote!(impl #name { #(#methods)* }),
        deref(&name, &target, &quote!(lister)),
    ]
}

/// `namespace` of a namespaced kind. What the other scope has instead is there as well, for what
/// rustc says about it: nothing satisfies its bound.
fn by_scope(kind: &Kind<'_>, context: &Context) -> TokenStream {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [_, _, namespace_lister, _] = kind.type_names();
    let dynamic = kind.resource.dynamic;
    let (methods, other, bound) = if kind.resource.scope == Scope::Namespaced {
        let documentation = format!(" The `{}` of one namespace.", kind.resource.plural);
        let of_namespace = if dynamic {
            quote!(#runtime::__private::dynamic_namespace(&self.lister, namespace))
        } else {
            quote!(self.lister.namespace(namespace))
        };
        let namespace = quote! {
            #[doc = #documentation]
            #[must_use]
            #[inline]
            #visibility fn namespace(
                &self,
                namespace: &::core::primitive::str,
            ) -> #namespace_lister {
                #namespace_lister { lister: #of_namespace }
            }
        };
        (Some(namespace), quote!(get), quote!(ClusterName))
    } else {
        let get = dynamic.then(|| {
            quote! {
                /// The object of a name.
                #[must_use]
                #[inline]
                #visibility fn get(
                    &self,
                    name: &::core::primitive::str,
                ) -> ::core::option::Option<::std::sync::Arc<#rust_type>> {
                    #runtime::__private::dynamic_get(&self.lister, name)
                }
            }
        });
        (get, quote!(namespace), quote!(NamespaceOf))
    };
    quote! {
        #methods

        #[doc(hidden)]
        #visibility fn #other<__N: #runtime::__private::#bound<#rust_type>>(
            &self,
            name: __N,
        ) -> ::core::convert::Infallible {
            name.__never()
        }
    }
}

/// The lister of one namespace.
pub(super) fn namespaced(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [_, _, name, _] = kind.type_names();
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

/// The cache at one moment with the accessors of the indices, if there are any: without, it is the
/// runtime's own.
pub(super) fn snapshot(kind: &Kind<'_>, context: &Context) -> Vec<TokenStream> {
    if kind.indices.is_empty() {
        return Vec::new();
    }
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    let [.., name] = kind.type_names();
    let target = quote!(#runtime::Snapshot<::std::sync::Arc<#rust_type>>);
    let indices = index_fields(kind, context);
    let documentation = format!(" The `{}` at one moment.", kind.resource.plural);
    let methods = kind
        .indices
        .iter()
        .map(|index| index::accessor(kind, index, Reader::Snapshot, context));
    vec![
        quote! {
            #[doc = #documentation]
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #visibility struct #name { snapshot: #target, #indices }
        },
        quote!(impl #name { #(#methods)* }),
        deref(&name, &target, &quote!(snapshot)),
    ]
}

fn snapshot_method(kind: &Kind<'_>, context: &Context) -> Option<TokenStream> {
    if kind.indices.is_empty() {
        return None;
    }
    let visibility = &context.visibility;
    let [.., snapshot] = kind.type_names();
    let clones = index_clones(kind);
    Some(quote! {
        /// The cache at this moment: O(1), consistent, unmoved by later changes.
        #[must_use]
        #[inline]
        #visibility fn snapshot(&self) -> #snapshot {
            #snapshot { snapshot: self.lister.snapshot(), #clones }
        }
    })
}
