//! Indices: the closures that read their values, and the accessors on the lister.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Context;
use crate::index::{Field, Index};
use crate::ir::Origin;
use crate::naming;
use crate::plan::Kind;

/// The closure that gives the values of an index for one object.
pub(super) fn values(kind: &Kind<'_>, index: &Index, context: &Context) -> TokenStream {
    let rust_type = &kind.resource.rust_type;
    let body = match &index.field {
        Field::Label(key) => entry(&format_ident!("labels"), key),
        Field::Annotation(key) => entry(&format_ident!("annotations"), key),
        Field::Words(words) => path(words, kind.resource.origin == Origin::BuiltIn, context),
    };
    quote! {
        |object: &#rust_type| -> ::std::vec::Vec<::std::string::String> { #body }
    }
}

/// The traits that the closures of `indices` need in scope.
pub(super) fn traits(indices: &[(Ident, Index)], context: &Context) -> Option<TokenStream> {
    let runtime = &context.runtime;
    let walks = indices
        .iter()
        .any(|(_, index)| matches!(index.field, Field::Words(_)));
    walks.then(|| {
        quote! {
            // Which of them is used depends on types that are not known here.
            #[allow(unused_imports, clippy::allow_attributes, reason = "chosen by the fields' types")]
            use #runtime::__private::{Iterator as _, Peel as _, PeelNothing as _};
        }
    })
}

/// The value of one key of a map in the metadata.
fn entry(map: &Ident, key: &str) -> TokenStream {
    quote! {
        match object.metadata.#map.as_ref().and_then(|#map| #map.get(#key)) {
            ::core::option::Option::Some(value) => ::std::vec![::core::clone::Clone::clone(value)],
            ::core::option::Option::None => ::std::vec::Vec::new(),
        }
    }
}

/// How many wrappers (`Option`, `Vec`, ..) each field of a path may have.
const WRAPPERS: usize = 3;

/// The strings at the end of a path.
///
/// The types on the way are not known here. So each field is followed by a step for every wrapper
/// that it may have; `__private::Peel` chooses by type whether a step goes through an `Option` or
/// a `Vec`, or takes a plain value once. The derive walks its paths in the same way.
fn path(words: &[String], built_in: bool, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let mut walk = TokenStream::new();
    for word in words {
        let field = naming::field(word, built_in);
        walk = if walk.is_empty() {
            quote!((&object.#field).__peel())
        } else {
            quote!(#walk.flat_map(|at| (&at.#field).__peel()))
        };
        for _ in 1..WRAPPERS {
            walk = quote!(#walk.flat_map(|at| at.__peel()));
        }
    }
    quote!(#walk.map(#runtime::__private::index_value::<::std::string::String, _>).collect())
}

/// The method of the lister.
pub(super) fn accessor(
    kind: &Kind<'_>,
    name: &Ident,
    index: &Index,
    context: &Context,
) -> TokenStream {
    let Context { visibility, .. } = context;
    let rust_type = &kind.resource.rust_type;
    let documentation = format!(
        " The `{}` whose `{}` is `value`.",
        kind.resource.plural, index.path
    );
    quote! {
        #[doc = #documentation]
        #[must_use]
        #visibility fn #name(&self, value: &str) -> ::std::vec::Vec<::std::sync::Arc<#rust_type>> {
            self.#name.get(value)
        }
    }
}
