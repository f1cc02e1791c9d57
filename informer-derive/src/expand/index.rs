//! Writes the indices: how an informer adds them, and how listers and snapshots read them.

use proc_macro2::{Span, TokenStream};
use quote::{quote, quote_spanned};

use super::walk;
use crate::check::{Argument, Index, Model, Source, type_text};

/// `let by_x = index(..);`
pub(super) fn add(model: &Model, index: &Index) -> TokenStream {
    let Model { root, runtime, .. } = model;
    let Index {
        accessor,
        name,
        value,
        span,
        ..
    } = index;
    let body = match &index.source {
        Source::Walk(steps) => walk::values(runtime, index, steps),
        Source::Owner(None) => quote!(#runtime::__private::controller_uid(object)),
        Source::Owner(Some(owner)) => {
            quote_spanned!(*span=> #runtime::__private::controller_of::<#owner, _>(object))
        }
        Source::With(function) => quote_spanned!(*span=> #function(object)),
        Source::Nowhere => quote!(::std::vec::Vec::new()),
    };
    // rustc says at the path that its values cannot be indexed.
    let span = Span::mixed_site().located_at(*span);
    let add = quote_spanned!(span=> #runtime::__private::index);
    quote! {
        let #accessor = #add(
            &informer,
            #name,
            |object: &#root| -> ::std::vec::Vec<#value> { #body },
        );
    }
}

/// Where a method reads an index.
#[derive(Clone, Copy)]
pub(super) enum Reader {
    /// As it is at the moment of the call.
    Lister,
    /// As it was when the snapshot was taken.
    Snapshot,
}

/// The method that reads an index.
pub(super) fn accessor(model: &Model, index: &Index, reader: Reader) -> TokenStream {
    let Model { vis, runtime, .. } = model;
    let name = &index.accessor;
    let (argument, reference) = argument(index);
    let result = result(model, index);
    let docs = documentation(index);
    let body = match (reader, index.unique) {
        (Reader::Lister, false) => quote!(self.#name.get(#reference)),
        (Reader::Lister, true) => {
            quote!(#runtime::__private::first(&self.#name, &self.lister.snapshot(), #reference))
        }
        (Reader::Snapshot, false) => {
            quote!(#runtime::__private::all(&self.#name, &self.snapshot, #reference))
        }
        (Reader::Snapshot, true) => {
            quote!(#runtime::__private::first(&self.#name, &self.snapshot, #reference))
        }
    };
    quote! {
        #(#[doc = #docs])*
        #[must_use]
        #[inline]
        #vis fn #name(&self, value: #argument) -> #result {
            #body
        }
    }
}

/// What an accessor gives.
pub(crate) fn result(model: &Model, index: &Index) -> TokenStream {
    let root = &model.root;
    let object = quote!(::std::sync::Arc<#root>);
    if index.unique {
        quote!(::core::option::Option<#object>)
    } else {
        quote!(::std::vec::Vec<#object>)
    }
}

/// The type of an accessor's argument, and the argument as a reference.
pub(crate) fn argument(index: &Index) -> (TokenStream, TokenStream) {
    let value = &index.value;
    match index.argument {
        Argument::Str => (quote!(&::core::primitive::str), quote!(value)),
        Argument::Copy => (quote!(#value), quote!(&value)),
        Argument::Ref => (quote!(&#value), quote!(value)),
    }
}

fn documentation(index: &Index) -> Vec<String> {
    let name = &index.name;
    let what = match &index.source {
        Source::With(_) if index.unique => {
            format!(" The cached object that the index `{name}` has under `value`.")
        }
        Source::With(_) => {
            format!(" The cached objects that the index `{name}` has under `value`.")
        }
        Source::Owner(None) => {
            " The cached objects that the object with the UID `value` controls.".into()
        }
        Source::Owner(Some(owner)) => format!(
            " The cached objects that the `{}` with the key `value` controls.",
            type_text(owner)
        ),
        Source::Walk(_) | Source::Nowhere if index.unique => {
            format!(" The cached object with `value` at `{name}`.")
        }
        Source::Walk(_) | Source::Nowhere => {
            format!(" The cached objects with `value` at `{name}`.")
        }
    };
    let mut docs = vec![what];
    if index.unique {
        docs.push(String::new());
        docs.push(" If several have it, the first by key.".to_owned());
    }
    docs
}
