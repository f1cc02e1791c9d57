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

/// The value of one key of a map in the metadata.
fn entry(map: &Ident, key: &str) -> TokenStream {
    quote! {
        match object.metadata.#map.as_ref().and_then(|#map| #map.get(#key)) {
            ::core::option::Option::Some(value) => ::std::vec![::core::clone::Clone::clone(value)],
            ::core::option::Option::None => ::std::vec::Vec::new(),
        }
    }
}

/// The strings at the end of a path.
///
/// The types on the way are not known here. `Step::each` is an inherent method for `Option` and
/// `Vec`, and the method of a trait for everything else, so the compiler chooses; the first step
/// is always one of the latter, so the import of the trait is always used.
fn path(words: &[String], built_in: bool, context: &Context) -> TokenStream {
    let runtime = &context.runtime;
    let mut inner = quote!(values.push(::core::clone::Clone::clone(at)));
    for word in words.iter().rev() {
        let field = naming::field(word, built_in);
        inner = quote! {
            { #runtime::__private::Step(&at.#field).each(&mut |at| #inner); }
        };
    }
    quote! {
        use #runtime::__private::Each as _;
        let mut values = ::std::vec::Vec::new();
        #runtime::__private::Step(object).each(&mut |at| #inner);
        values
    }
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
