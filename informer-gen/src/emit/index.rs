//! Indices: the closures that read their values, and the accessors that read them.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::Context;
use crate::index::{Argument, Checked, Source, Step};
use crate::plan::Kind;

/// The closure that gives the values of an index for one object.
pub(super) fn values(kind: &Kind<'_>, index: &Checked, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let rust_type = &kind.resource.rust_type;
    let value = value(index, context);
    let body = match &index.source {
        Source::Label(key) => entry(&format_ident!("labels"), key, &value, context),
        Source::Annotation(key) => entry(&format_ident!("annotations"), key, &value, context),
        Source::Path(steps) => path(steps, &value, context),
        Source::Owner => quote!(#runtime::__private::controller_uid(object)),
        Source::OwnerOf(owner) => quote!(#runtime::__private::controller_of::<#owner, _>(object)),
        Source::With(function) => quote!(#function(object)),
    };
    quote! {
        |object: &#rust_type| -> ::std::vec::Vec<#value> { #body }
    }
}

/// The type of an index's values.
pub(super) fn value(index: &Checked, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    match (&index.source, &index.value) {
        (Source::OwnerOf(_), _) => quote!(#runtime::ObjectKey),
        (_, Some(value)) => quote!(#value),
        (_, None) => quote!(::std::string::String),
    }
}

/// The traits that the closures of `indices` need in scope.
pub(super) fn traits(indices: &[Checked], context: &Context) -> Option<TokenStream> {
    let runtime = &context.runtime;
    let walks = indices
        .iter()
        .any(|index| matches!(index.source, Source::Path(_)));
    walks.then(|| {
        quote! {
            // Which of them is used depends on types that are not known here.
            #[allow(unused_imports, clippy::allow_attributes, reason = "chosen by the fields' types")]
            use #runtime::__private::{Iterator as _, Peel as _, PeelNothing as _};
        }
    })
}

/// The value of one key of a map in the metadata.
fn entry(map: &Ident, key: &str, value: &TokenStream, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    quote! {
        match object.metadata.#map.as_ref().and_then(|#map| #map.get(#key)) {
            ::core::option::Option::Some(value) => {
                ::std::vec![#runtime::__private::index_value::<#value, _>(value)]
            }
            ::core::option::Option::None => ::std::vec::Vec::new(),
        }
    }
}

/// How many wrappers (`Option`, `Vec`, ..) each field and each value of a map may have.
const WRAPPERS: usize = 3;

/// The values at the end of a path.
///
/// The types on the way are not known here. So each step is followed by one for every wrapper
/// that may be there; `__private::Peel` chooses by type whether it goes through an `Option` or a
/// `Vec`, or takes a plain value once. The derive walks its paths in the same way.
fn path(steps: &[Step], value: &TokenStream, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let mut walk = TokenStream::new();
    for step in steps {
        let (there, wrappers) = match step {
            Step::Field(field) if walk.is_empty() => (quote!((&object.#field).__peel()), 1),
            Step::Field(field) => (quote!(#walk.flat_map(|at| (&at.#field).__peel())), 1),
            Step::Key(key) => {
                let value = quote!(#runtime::__private::map_value(at, #key));
                (quote!(#walk.filter_map(|at| #value)), 0)
            }
        };
        walk = there;
        for _ in wrappers..WRAPPERS {
            walk = quote!(#walk.flat_map(|at| at.__peel()));
        }
    }
    quote!(#walk.map(#runtime::__private::index_value::<#value, _>).collect())
}

/// Where a method reads an index.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Reader {
    /// As it is at the moment of the call.
    Lister,
    /// As it was when the snapshot was taken.
    Snapshot,
}

/// The method that reads an index.
pub(super) fn accessor(
    kind: &Kind<'_>,
    index: &Checked,
    reader: Reader,
    context: &Context,
) -> TokenStream {
    let Context {
        visibility,
        runtime,
        ..
    } = context;
    let name = &index.accessor;
    let rust_type = &kind.resource.rust_type;
    let documentation = documentation(kind, index);
    let value = value(index, context);
    let (argument, reference) = match index.argument {
        Argument::Text => (quote!(&::core::primitive::str), quote!(value)),
        Argument::Copy => (value, quote!(&value)),
        Argument::Reference => (quote!(&#value), quote!(value)),
    };
    let object = quote!(::std::sync::Arc<#rust_type>);
    let private = quote!(#runtime::__private);
    let (result, body) = match (reader, index.unique) {
        (Reader::Lister, false) => (
            quote!(::std::vec::Vec<#object>),
            quote!(self.#name.get(#reference)),
        ),
        (Reader::Snapshot, false) => (
            quote!(::std::vec::Vec<#object>),
            quote!(#private::all(&self.#name, &self.snapshot, #reference)),
        ),
        (Reader::Lister, true) => (
            quote!(::core::option::Option<#object>),
            quote!(#private::first(&self.#name, &self.lister.snapshot(), #reference)),
        ),
        (Reader::Snapshot, true) => (
            quote!(::core::option::Option<#object>),
            quote!(#private::first(&self.#name, &self.snapshot, #reference)),
        ),
    };
    quote! {
        #(#[doc = #documentation])*
        #[must_use]
        #[inline]
        #visibility fn #name(&self, value: #argument) -> #result {
            #body
        }
    }
}

fn documentation(kind: &Kind<'_>, index: &Checked) -> Vec<String> {
    let plural = &kind.resource.plural;
    let what = match &index.source {
        Source::Owner => format!(" The `{plural}` whose controller has the UID `value`."),
        Source::OwnerOf(owner) => {
            let owner = owner.segments.last();
            let owner = owner.map_or_else(String::new, |last| last.ident.to_string());
            format!(" The `{plural}` that the `{owner}` with the key `value` controls.")
        }
        Source::With(_) => {
            let name = &index.name;
            format!(" The `{plural}` that the index `{name}` has under `value`.")
        }
        Source::Label(_) | Source::Annotation(_) | Source::Path(_) => {
            // A path of Rust starts at the object.
            let path = index.name.strip_prefix("self.").unwrap_or(&index.name);
            format!(" The `{plural}` whose `{path}` is `value`.")
        }
    };
    let mut lines = vec![what];
    if index.unique {
        lines.push(String::new());
        lines.push(" If several have it, the first by key.".to_owned());
    }
    lines
}
