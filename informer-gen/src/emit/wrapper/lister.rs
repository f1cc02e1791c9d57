//! What reads the cache: lister and snapshot.

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
    let [_, name, _] = kind.type_names();
    let target = quote!(#runtime::Lister<#rust_type>);
    let indices = index_fields(kind, context);
    let documentation = format!(" Lister of `{}`.", kind.resource.plural);
    let mut methods = Vec::from_iter(by_scope(kind, context));
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

/// What a kind without a Rust type has in its scope; the types of others say theirs.
fn by_scope(kind: &Kind<'_>, context: &Context) -> Option<TokenStream> {
    if !kind.resource.dynamic {
        return None;
    }
    let Context {
        runtime,
        visibility,
        ..
    } = context;
    let rust_type = &kind.resource.rust_type;
    Some(match kind.resource.scope {
        Scope::Namespaced => {
            let documentation = format!(" The `{}` of one namespace.", kind.resource.plural);
            quote! {
                #[doc = #documentation]
                #[must_use]
                #[inline]
                #visibility fn namespace<'a>(
                    &'a self,
                    namespace: &'a ::core::primitive::str,
                ) -> #runtime::NamespaceLister<'a, #rust_type> {
                    #runtime::__private::dynamic_namespace(&self.lister, namespace)
                }
            }
        }
        Scope::Cluster => quote! {
            /// The object of a name.
            #[must_use]
            #[inline]
            #visibility fn get(
                &self,
                name: &::core::primitive::str,
            ) -> ::core::option::Option<::std::sync::Arc<#rust_type>> {
                #runtime::__private::dynamic_get(&self.lister, name)
            }
        },
    })
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
