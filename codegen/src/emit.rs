//! Emits the code of a kind as tokens.

mod common;
mod emission;
mod indices;
mod plain;
mod reference;
mod related;
mod relations;
mod wrappers;

use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;

pub use self::common::{WrapperNames, path, string, type_text};
use self::common::{targets, unchecked_values};
pub use self::wrappers::wrappers;
use crate::ir::Wrappers;

/// Returns assertions that rustc checks for types that the generator cannot inspect, each at the
/// span of the type.
#[must_use]
pub fn assertions(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    let values = unchecked_values(kind).map(|index| {
        let value = &index.value;
        // A named alias moves rustc's error to the index. Without the alias, the error is at the
        // field.
        quote_spanned! {index.span=>
            const _: () = {
                type Values = #value;
                #runtime::__private::assert_index_value::<Values>()
            };
        }
    });
    let objects = targets(kind).into_iter().map(|target| {
        let span = target.span();
        quote_spanned!(span=> const _: () = #runtime::__private::assert_object::<#target>();)
    });
    quote!(#(#values)* #(#objects)*)
}
