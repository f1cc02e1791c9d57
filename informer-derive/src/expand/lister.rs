//! Writes what reads the cache: lister and snapshot.

use proc_macro2::TokenStream;
use quote::quote;

use super::index::{self, Reader};
use super::{Names, bound, deref, kind};
use crate::check::Model;

/// The lister of all namespaces, or of the cluster.
pub(super) fn lister(model: &Model, names: &Names) -> TokenStream {
    let Model { vis, runtime, .. } = model;
    let name = &names.lister;
    let doc = format!(" Reads the cache of {}.", kind(model));
    let root = &model.root;
    let fields = super::index_fields(model);
    let methods = snapshot_method(model, names).into_iter().chain(
        model
            .indices
            .iter()
            .map(|index| index::accessor(model, index, Reader::Lister)),
    );
    let bound = bound(model);
    let deref = deref(
        model,
        name,
        &quote!(#runtime::Lister<#root>),
        &quote!(lister),
    );
    quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name #bound {
            lister: #runtime::Lister<#root>,
            #fields
        }

        #[allow(dead_code)]
        impl #name #bound {
            #(#methods)*
        }

        #deref
    }
}

/// The cache at one moment with the accessors of the indices, if there are any: without, it is the
/// runtime's own.
pub(super) fn snapshot(model: &Model, names: &Names) -> Option<TokenStream> {
    if model.indices.is_empty() {
        return None;
    }
    let Model {
        vis, root, runtime, ..
    } = model;
    let name = &names.snapshot;
    let doc = format!(" The cache of {} at one moment.", kind(model));
    let fields = super::index_fields(model);
    let methods = model
        .indices
        .iter()
        .map(|index| index::accessor(model, index, Reader::Snapshot));
    let target = quote!(#runtime::Snapshot<::std::sync::Arc<#root>>);
    let bound = bound(model);
    let deref = deref(model, name, &target, &quote!(snapshot));
    Some(quote! {
        #[doc = #doc]
        #[derive(::core::clone::Clone, ::core::fmt::Debug)]
        #vis struct #name #bound {
            snapshot: #target,
            #fields
        }

        #[allow(dead_code)]
        impl #name #bound {
            #(#methods)*
        }

        #deref
    })
}

fn snapshot_method(model: &Model, names: &Names) -> Option<TokenStream> {
    if model.indices.is_empty() {
        return None;
    }
    let vis = &model.vis;
    let snapshot = &names.snapshot;
    let clones = super::index_clones(model);
    Some(quote! {
        /// The cache at this moment: O(1), consistent, unmoved by later changes.
        #[must_use]
        #[inline]
        #vis fn snapshot(&self) -> #snapshot {
            #snapshot { snapshot: self.lister.snapshot(), #clones }
        }
    })
}
