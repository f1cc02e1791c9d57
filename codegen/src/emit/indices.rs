//! Emits the indices of a kind: a constant for each, and the method that reads it.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{format_ident, quote, quote_spanned};

use super::common::{constant_of, located, path, type_text};
use super::emission::Emission;
use crate::doc::Doc;
use crate::ir::{Argument, Index, IndexSource, Wrappers};

/// Returns the alias of snapshots, which have the methods of the indices.
pub(super) fn snapshot(kind: &Emission<'_>) -> Option<TokenStream> {
    if kind.kind.indices.is_empty() {
        return None;
    }
    let Wrappers { vis, runtime, .. } = kind.kind;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let snapshot = &kind.names.snapshot;
    let summary = format!(
        " Consistent snapshot of the cache that a [`{}`] reads.",
        kind.names.lister
    );
    Some(quote! {
        #[doc = #summary]
        #vis type #snapshot<S = #runtime::Typed> =
            #lookups<#runtime::Snapshot<<S as #runtime::Storage<#objects>>::Object>>;
    })
}

/// Returns the method of listers that takes a snapshot.
pub(super) fn snapshot_method(kind: &Emission<'_>) -> Option<TokenStream> {
    if kind.kind.indices.is_empty() {
        return None;
    }
    let vis = &kind.kind.vis;
    let lookups = &kind.names.lookups;
    let snapshot = &kind.names.snapshot;
    Some(quote! {
        /// Returns a consistent snapshot of the cache. Later changes do not affect it. O(1).
        #[must_use]
        #vis fn snapshot(&self) -> #snapshot<S> {
            #lookups(self.0.snapshot())
        }
    })
}

/// Returns the constants.
pub(super) fn definitions(kind: &Emission<'_>) -> Option<TokenStream> {
    if kind.kind.indices.is_empty() {
        return None;
    }
    let lookups = &kind.names.lookups;
    let bounds = kind.bounds();
    let constants = kind
        .kind
        .indices
        .iter()
        .map(|index| definition(kind, index));
    Some(quote! {
        impl #lookups #bounds {
            #(#constants)*
        }
    })
}

/// Returns the function of informers that passes on each index.
pub(super) fn each(kind: &Emission<'_>) -> Option<TokenStream> {
    if kind.kind.indices.is_empty() {
        return None;
    }
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let names = kind.kind.indices.iter().map(constant_name);
    Some(quote! {
        fn __indices(each: &mut #private::EachIndex<'_, #objects, S>) {
            #(each.index(&#lookups::#names);)*
        }
    })
}

/// Returns the method of each index.
pub(super) fn methods(kind: &Emission<'_>) -> Option<TokenStream> {
    if kind.kind.indices.is_empty() {
        return None;
    }
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let bounds = kind.bounds();
    let methods = kind.kind.indices.iter().map(|index| method(kind, index));
    Some(quote! {
        impl<R: #private::Reads<#objects>> #lookups<R> #bounds {
            #(#methods)*
        }
    })
}

fn constant_name(index: &Index) -> Ident {
    format_ident!("__{}", constant_of(&index.accessor))
}

/// Returns the constant of an index.
///
/// The values and their type carry the span of the index, because rustc may report errors in them.
fn definition(kind: &Emission<'_>, index: &Index) -> TokenStream {
    let runtime = &kind.kind.runtime;
    let private = &kind.private;
    let objects = &kind.objects;
    let constant = constant_name(index);
    let name = &index.name;
    let value = &index.value;
    let span = Span::mixed_site().located_at(index.span);
    let values = match &index.source {
        IndexSource::Walk { steps, .. } => path(runtime, steps, span),
        IndexSource::Members(names) => {
            quote_spanned!(span=> |object| #private::json_values(object, &[#(#names),*]))
        }
        IndexSource::Owner(None) => quote!(#private::controller_uid),
        IndexSource::Owner(Some(owner)) => {
            quote_spanned!(span=> #private::controller_of::<#owner, _>)
        }
        IndexSource::With(function) => {
            // The argument has the caller's hygiene, even if the path comes from another macro.
            let object = Ident::new("object", Span::call_site());
            let crate_path = located(runtime, index.span);
            quote_spanned! {index.span=>
                |#object| #crate_path::__private::values_of::<#value, _>(#function(#object))
            }
        }
        IndexSource::Nowhere => quote!(|_| ::std::vec::Vec::new()),
    };
    let definition = match &index.source {
        // The text distinguishes two functions with the same name of an index.
        IndexSource::With(function) => {
            let text = type_text(function);
            quote! {
                with(
                    #name,
                    ::core::concat!("with ", ::core::module_path!(), ": ", #text),
                    #values,
                )
            }
        }
        _ if index.is_read_from_bytes() => quote!(json(#name, #values)),
        IndexSource::Walk { .. }
        | IndexSource::Members(_)
        | IndexSource::Owner(_)
        | IndexSource::Nowhere => quote!(object(#name, #values)),
    };
    quote! {
        const #constant: #private::Definition<#objects, #value> =
            #private::Definition::#definition;
    }
}

fn method(kind: &Emission<'_>, index: &Index) -> TokenStream {
    let vis = &kind.kind.vis;
    let lookups = &kind.names.lookups;
    let docs = documentation(index);
    let constant = constant_name(index);
    let Index {
        accessor, value, ..
    } = index;
    let argument = match Argument::of(value) {
        Argument::Str => quote!(&::core::primitive::str),
        Argument::Copy => quote!(#value),
        Argument::Ref => quote!(&#value),
    };
    let reference = match Argument::of(value) {
        Argument::Str | Argument::Ref => quote!(value),
        Argument::Copy => quote!(&value),
    };
    let found = quote!(::std::sync::Arc<R::Object>);
    let (find, found) = if index.unique {
        (quote!(first), quote!(::core::option::Option<#found>))
    } else {
        (quote!(all), quote!(::std::vec::Vec<#found>))
    };
    quote! {
        #docs
        #[must_use]
        #vis fn #accessor(&self, value: #argument) -> #found {
            #lookups::#constant.#find(&self.0, #reference)
        }
    }
}

fn documentation(index: &Index) -> Doc {
    let objects = if index.unique { "object" } else { "objects" };
    let name = &index.name;
    let summary = match &index.source {
        IndexSource::With(_) => {
            format!("Returns the cached {objects} that the index `{name}` maps to `value`.")
        }
        IndexSource::Owner(None) => {
            "Returns the cached objects that the object with the UID `value` controls.".to_owned()
        }
        IndexSource::Owner(Some(owner)) => format!(
            "Returns the cached objects that the `{}` with the key `value` controls.",
            type_text(owner)
        ),
        IndexSource::Walk { .. } | IndexSource::Members(_) | IndexSource::Nowhere => {
            // A path in Rust spelling starts at `self`, which the documentation omits.
            let path = name.strip_prefix("self.").unwrap_or(name);
            format!("Returns the cached {objects} with `value` at `{path}`.")
        }
    };
    let unique = if index.unique {
        "If several objects have the value, returns the first in key order."
    } else {
        ""
    };
    Doc::new(&summary).paragraph(Doc::new(unique))
}
