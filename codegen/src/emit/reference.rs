//! Emits the functions that read the keys and the selectors of a relation.

use proc_macro2::{Ident, Span, TokenStream};
use quote::quote_spanned;
use syn::Type;

use super::common::{global_at, path, walk};
use super::emission::Emission;
use crate::ir::{Beside, Named, Step, Walk};

/// Returns the function that reads the keys of the objects that one place names.
pub(super) fn keys(
    kind: &Emission<'_>,
    named: &Named,
    target: &Type,
    relation: Span,
) -> TokenStream {
    let span = located(&named.name, relation);
    let runtime = global_at(&kind.kind.runtime, span);
    let private = quote_spanned!(span=> #runtime::__private);
    match (&named.at, &named.name) {
        (Walk::Members(at), Walk::Members(name)) => {
            let option = |way: &Option<Beside>| {
                let Some(way) = way else {
                    return quote_spanned!(span=> ::core::option::Option::None);
                };
                let member = member(&private, way, span);
                quote_spanned!(span=> ::core::option::Option::Some(#member))
            };
            let namespace = option(&named.namespace);
            let kind = option(&named.kind);
            quote_spanned! {span=>
                |object| #private::json_keys::<#target>(object, &[#(#at),*], &[#(#name),*], #namespace, #kind)
            }
        }
        (at, name) => {
            let at = steps(at, span);
            let name = steps(name, span);
            if named.namespace.is_none() && named.kind.is_none() {
                return quote_spanned! {span=>
                    |object| #private::keys::<#target, _>(object, #private::path!(values object, #at #name))
                };
            }
            keys_of_places(&private, named, target, span)
        }
    }
}

/// Returns the function that reads the keys of places with a namespace or a kind of their own.
fn keys_of_places(private: &TokenStream, named: &Named, target: &Type, span: Span) -> TokenStream {
    // An object's own namespace applies to names without one.
    let constructor = if named.namespace.is_some() {
        quote_spanned!(span=> of)
    } else {
        quote_spanned!(span=> in_namespace_of)
    };
    let at = steps(&named.at, span);
    let name = steps(&named.name, span);
    let field = |method: &str, way: &Beside| {
        let setter = Ident::new(method, span);
        let values = values_at(private, way, span);
        quote_spanned!(span=> .#setter(#values))
    };
    let namespaces = named.namespace.as_ref().map(|way| field("namespaces", way));
    let kinds = named.kind.as_ref().map(|way| field("kinds", way));
    quote_spanned! {span=>
        |object| {
            let mut keys = #private::Keys::<#target>::#constructor(object);
            for place in #private::path!(places object, #at) {
                let names = #private::Named::new(#private::path!(values place, #name));
                keys.add(names #namespaces #kinds);
            }
            keys.into_vec()
        }
    }
}

/// Returns the function that reads the selectors at one place.
pub(super) fn selectors(kind: &Emission<'_>, way: &Walk, relation: Span) -> TokenStream {
    let span = located(way, relation);
    let private = &kind.private;
    match way {
        Walk::Steps(steps) => path(&kind.kind.runtime, steps, span),
        Walk::Members(names) => {
            quote_spanned!(span=> |object| #private::json_selectors(object, &[#(#names),*]))
        }
    }
}

/// Returns the values of a field that completes a name.
fn values_at(private: &TokenStream, field: &Beside, span: Span) -> TokenStream {
    match field {
        Beside::Name(way) => {
            let path = steps(way, span);
            quote_spanned!(span=> #private::path!(values place, #path))
        }
        Beside::Object(way) => {
            let path = steps(way, span);
            quote_spanned!(span=> #private::path!(values object, #path))
        }
    }
}

/// Returns the way to a member that completes a name.
fn member(private: &TokenStream, field: &Beside, span: Span) -> TokenStream {
    let (from, way) = match field {
        Beside::Name(way) => (quote_spanned!(span=> Name), way),
        Beside::Object(way) => (quote_spanned!(span=> Object), way),
    };
    let names: &[String] = match way {
        Walk::Members(names) => names,
        Walk::Steps(_) => &[],
    };
    quote_spanned!(span=> #private::Beside::#from(&[#(#names),*]))
}

fn steps(way: &Walk, span: Span) -> TokenStream {
    match way {
        Walk::Steps(steps) => walk(steps, span),
        Walk::Members(_) => TokenStream::new(),
    }
}

/// Returns the position of the last field of a way, where rustc reports errors of its type.
fn located(way: &Walk, relation: Span) -> Span {
    let fields = match way {
        Walk::Steps(steps) => steps.as_slice(),
        Walk::Members(_) => &[],
    };
    let field = fields.iter().rev().find_map(|step| match step {
        Step::Field { ident, .. } => Some(ident.span()),
        Step::Metadata | Step::Key { .. } | Step::Peel | Step::With(_) => None,
    });
    Span::mixed_site().located_at(field.unwrap_or(relation))
}
