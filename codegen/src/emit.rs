//! Emits the wrappers of a kind as tokens.
//!
//! The emitted item is a declaration, which `__private::wrappers!` in the runtime expands.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Path, Type};

use crate::doc::Doc;
use crate::ir::{Accessor, Argument, Index, Objects, Scope, Source, Step, Wrappers};
use crate::names::identifier;

pub mod relations;

/// Names of the emitted items.
#[derive(Debug)]
pub struct Names {
    /// Name of the informer.
    pub informer: Ident,
    /// Name of the lister.
    pub lister: Ident,
    /// Name of the lister's snapshot. Emitted only if the kind has indices.
    pub snapshot: Ident,
    /// Name of the struct that holds the indices. Emitted only if the kind has indices.
    pub indices: Ident,
    /// Name of the struct with all relations. Emitted only if the kind has relations.
    pub related: Ident,
}

// === impl Names ===

impl Names {
    /// Returns the names for `prefix`, which [`names::stem`](crate::names::stem) may have produced.
    #[must_use]
    pub fn of(prefix: &str) -> Self {
        let of = |suffix| identifier(&format!("{prefix}{suffix}"), Span::call_site());
        Self {
            informer: of("Informer"),
            lister: of("Lister"),
            snapshot: of("ListerSnapshot"),
            indices: of("Indices"),
            related: of("Related"),
        }
    }
}

/// Returns the item that declares the wrappers.
#[must_use]
pub fn wrappers(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    let declaration = declaration(kind);
    quote!(#runtime::__private::wrappers! { #declaration })
}

/// Returns the declaration, without the macro call around it.
#[must_use]
pub fn declaration(kind: &Wrappers) -> TokenStream {
    let Wrappers { vis, docs, .. } = kind;
    let Names {
        informer,
        lister,
        snapshot,
        indices: holder,
        ..
    } = Names::of(&kind.prefix);
    let objects = objects(&kind.objects);
    let bounds = bounds(kind, &[]);
    let constants = kind.selectable.iter().map(|field| {
        let (name, path) = (&field.name, &field.path);
        let doc = Doc::new(&format!(
            "Field path `{path}`, which field selectors of this resource support."
        ));
        quote!(#doc const #name = #path;)
    });
    let accessor = kind.accessor.iter().map(|accessor| {
        let Accessor { factory, name } = accessor;
        quote!(fn #factory::#name();)
    });
    let entries = kind.indices.iter().map(|entry| index(kind, entry));
    let indices = (!kind.indices.is_empty()).then(|| {
        quote! {
            #snapshot, #holder {
                #(#entries)*
            }
        }
    });
    quote! {
        #docs
        #vis #informer, #lister: #objects #bounds;
        #(#constants)*
        #(#accessor)*
        #indices
    }
}

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
    let targets = relations::targets(kind).into_iter().map(|target| {
        let span = target.span();
        quote_spanned!(span=> const _: () = #runtime::__private::assert_object::<#target>();)
    });
    quote!(#(#values)* #(#targets)*)
}

/// Returns the bounds that the declaration relies on. `others` are further types of objects.
fn bounds(kind: &Wrappers, others: &[&Type]) -> Option<TokenStream> {
    let Objects::Typed(root) = &kind.objects else {
        return None;
    };
    let runtime = &kind.runtime;
    let values = unchecked_values(kind).map(|index| {
        let value = &index.value;
        quote!(, for<'__a> #value: #runtime::__private::AnyIndexValue)
    });
    kind.is_checked.then(|| {
        quote!(where [
            for<'__a> #root: #runtime::__private::TypedObject
            #(, for<'__a> #others: #runtime::__private::TypedObject)*
            #(#values)*
        ])
    })
}

/// Returns the indices whose value type may be unsuitable for an index.
fn unchecked_values(kind: &Wrappers) -> impl Iterator<Item = &Index> {
    kind.indices.iter().filter(|index| {
        let is_known = matches!(index.source, Source::Owner(_));
        kind.is_checked && !is_known && Argument::of(&index.value) == Argument::Ref
    })
}

fn objects(objects: &Objects) -> TokenStream {
    match objects {
        Objects::Typed(ty) => ty.to_token_stream(),
        Objects::Dynamic {
            group,
            version,
            kind,
            plural,
            scope,
        } => {
            let scope = match scope {
                Scope::Namespaced => quote!(Namespaced),
                Scope::Cluster => quote!(Cluster),
            };
            quote!(dynamic(#group, #version, #kind, #plural, #scope))
        }
    }
}

/// Returns the declaration of one index.
///
/// The values and their type carry the span of the index, because rustc may report errors in them.
fn index(kind: &Wrappers, index: &Index) -> TokenStream {
    let runtime = &kind.runtime;
    let docs = documentation(index);
    let Index {
        accessor,
        name,
        value,
        ..
    } = index;
    let find = if index.unique {
        quote!(first)
    } else {
        quote!(all)
    };
    let argument = match Argument::of(value) {
        Argument::Str => quote!(&::core::primitive::str),
        Argument::Copy => quote!(#value),
        Argument::Ref => quote!(&#value),
    };
    let definition = match &index.source {
        Source::With(_) => quote!(with),
        _ if index.is_read_from_bytes() => quote!(json),
        Source::Walk { .. } | Source::Members(_) | Source::Owner(_) | Source::Nowhere => {
            quote!(object)
        }
    };
    let span = Span::mixed_site().located_at(index.span);
    let values = match &index.source {
        Source::Walk { steps, .. } => path(runtime, steps, span),
        Source::Members(names) => {
            quote_spanned!(span=> |object| #runtime::__private::json_values(object, &[#(#names),*]))
        }
        Source::Owner(None) => quote!(#runtime::__private::controller_uid),
        Source::Owner(Some(owner)) => {
            quote_spanned!(span=> #runtime::__private::controller_of::<#owner, _>)
        }
        Source::With(function) => {
            // The argument has the caller's hygiene, even if the path comes from another macro.
            let object = Ident::new("object", Span::call_site());
            let runtime = located(runtime, index.span);
            quote_spanned! {index.span=>
                |#object| #runtime::__private::values_of::<#value, _>(#function(#object))
            }
        }
        Source::Nowhere => quote!(|_| ::std::vec::Vec::new()),
    };
    quote! {
        #docs
        #find #accessor(#argument): #value = #definition(#name, #values);
    }
}

/// Returns the tokens of `path`, located at `span`.
fn located(path: &Path, span: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    let located = tokens.map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    located.collect()
}

/// Returns the `path!(..)` call that reads the values.
#[must_use]
pub fn path(runtime: &Path, steps: &[Step], span: Span) -> TokenStream {
    let steps = walk(steps, span);
    quote_spanned!(span=> #runtime::__private::path!(#steps))
}

/// Returns the steps of a walk, as the macros spell them.
fn walk(steps: &[Step], span: Span) -> TokenStream {
    let star = |wrapped: bool| wrapped.then(|| quote_spanned!(span=> *));
    let steps = steps.iter().map(|step| match step {
        Step::Metadata => quote_spanned!(span=> metadata),
        Step::Field {
            ident,
            wrapped,
            kubernetes,
        } => {
            let star = star(*wrapped);
            if *kubernetes {
                quote_spanned!(span=> /#ident #star)
            } else {
                quote_spanned!(span=> .#ident #star)
            }
        }
        Step::Key { key, wrapped } => {
            let star = star(*wrapped);
            let mut key = Literal::string(key);
            key.set_span(span);
            quote_spanned!(span=> [#key] #star)
        }
        Step::With(function) => quote_spanned!(span=> with #(#function)::*),
    });
    quote_spanned!(span=> #(#steps)*)
}

fn documentation(index: &Index) -> Doc {
    let objects = if index.unique { "object" } else { "objects" };
    let name = &index.name;
    let summary = match &index.source {
        Source::With(_) => {
            format!("Returns the cached {objects} that the index `{name}` maps to `value`.")
        }
        Source::Owner(None) => {
            "Returns the cached objects that the object with the UID `value` controls.".to_owned()
        }
        Source::Owner(Some(owner)) => format!(
            "Returns the cached objects that the `{}` with the key `value` controls.",
            type_text(owner)
        ),
        Source::Walk { .. } | Source::Members(_) | Source::Nowhere => {
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
    let cost = if index.is_read_from_bytes() {
        "Takes O(log n) plus the number of objects found. Packed storage reads the values\n\
         without decoding the object."
    } else {
        "Takes O(log n) plus the number of objects found. Packed storage decodes each\n\
         version of an object once for all such indices."
    };
    Doc::new(&summary)
        .paragraph(Doc::new(unique))
        .paragraph(Doc::new(cost))
}

/// Returns the spelling of a type in documentation and messages.
#[must_use]
pub fn type_text(ty: &(impl ToTokens + ?Sized)) -> String {
    let text = ty.to_token_stream().to_string();
    [
        (" :: ", "::"),
        (":: ", "::"),
        (" < ", "<"),
        (" >", ">"),
        (" ,", ","),
    ]
    .iter()
    .fold(text, |text, (from, to)| text.replace(from, to))
}

/// Returns the `String` type for emitted code. rustc's errors about the type go to `span`.
#[must_use]
pub fn string(span: Span) -> Type {
    syn::parse_quote_spanned!(span=> ::std::string::String)
}
