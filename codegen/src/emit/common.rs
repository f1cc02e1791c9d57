//! Names, walks and bounds that the emitted items of a kind have in common.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};
use syn::ext::IdentExt;
use syn::{Path, Type};

use crate::ir::{Argument, Index, IndexSource, Objects, Relation, Step, Wrappers};
use crate::names::identifier;

/// Names of the emitted items.
#[derive(Debug)]
pub struct WrapperNames {
    /// Name of the struct with the methods of the kind. Emitted only if the kind has declarations.
    pub lookups: Ident,
    /// Name of the informer.
    pub informer: Ident,
    /// Name of the lister.
    pub lister: Ident,
    /// Name of the lister's snapshot. Emitted only if the kind has indices.
    pub snapshot: Ident,
    /// Name of all relations together. Emitted only if the kind has relations.
    pub related: Ident,
    /// Name of the struct with all relations.
    pub relations: Ident,
}

// === impl WrapperNames ===

impl WrapperNames {
    /// Returns the names for `prefix`, which [`names::stem`](crate::names::stem) may have produced.
    #[must_use]
    pub fn of(prefix: &str) -> Self {
        let of = |suffix| identifier(&format!("{prefix}{suffix}"), Span::call_site());
        Self {
            lookups: of("Lookups"),
            informer: of("Informer"),
            lister: of("Lister"),
            snapshot: of("ListerSnapshot"),
            related: of("Related"),
            relations: of("Relations"),
        }
    }

    /// Returns the names of all items.
    #[must_use]
    pub fn all(&self) -> [&Ident; 6] {
        let Self {
            lookups,
            informer,
            lister,
            snapshot,
            related,
            relations,
        } = self;
        [lookups, informer, lister, snapshot, related, relations]
    }
}

/// Returns the name of the constant that a method reads.
pub(super) fn constant_of(method: &Ident) -> Ident {
    let name = method.unraw().to_string().to_uppercase();
    Ident::new(&name, Span::call_site())
}

/// Returns the bounds that all items of a kind rely on. The lifetime keeps rustc from checking a
/// bound at each item, where it would repeat the error of an invalid type.
pub(super) fn bounds_of(kind: &Wrappers) -> Option<TokenStream> {
    let Objects::Typed(root) = &kind.objects else {
        return None;
    };
    let runtime = &kind.runtime;
    let values = unchecked_values(kind).map(|index| {
        let value = &index.value;
        quote!(, for<'__a> #value: #runtime::__private::AnyIndexValue)
    });
    kind.is_checked
        .then(|| quote!(for<'__a> #root: #runtime::__private::TypedObject #(#values)*))
}

/// Returns the indices whose value type may be unsuitable for an index.
pub(super) fn unchecked_values(kind: &Wrappers) -> impl Iterator<Item = &Index> {
    kind.indices.iter().filter(|index| {
        let is_known = matches!(index.source, IndexSource::Owner(_));
        kind.is_checked && !is_known && Argument::of(&index.value) == Argument::Ref
    })
}

/// Returns the types of the related objects, each once.
pub(super) fn targets(kind: &Wrappers) -> Vec<&Type> {
    let mut all: Vec<&Type> = Vec::new();
    for Relation { target, .. } in &kind.relations {
        let text = type_text(target);
        if all.iter().all(|other| type_text(*other) != text) {
            all.push(target);
        }
    }
    all
}

/// Returns the `path!(..)` call that reads the values.
#[must_use]
pub fn path(runtime: &Path, steps: &[Step], span: Span) -> TokenStream {
    let way = walk(steps, span);
    let crate_path = global_at(runtime, span);
    quote_spanned!(span=> #crate_path::__private::path!(#way))
}

/// Returns the tokens of a path, with the span `span` if it is a global path.
///
/// rustc reports an error inside of a macro at the call, which begins with the path of the crate
/// `informer`. The default path has the span of the whole derive. A path that the user wrote has a
/// span of its own, which hygiene may need.
pub(super) fn global_at(path: &Path, span: Span) -> TokenStream {
    let tokens = path.to_token_stream();
    if path.leading_colon.is_none() {
        return tokens;
    }
    let spanned = tokens.into_iter().map(|mut token| {
        token.set_span(span);
        token
    });
    spanned.collect()
}

/// Returns the tokens of `path`, located at `span`.
pub(super) fn located(path: &Path, span: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    let located = tokens.map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    located.collect()
}

/// Returns the steps of a walk, as the macros spell them.
pub(super) fn walk(steps: &[Step], span: Span) -> TokenStream {
    let peel_of = |wrapped: bool| wrapped.then(|| quote_spanned!(span=> []));
    let spelt = steps.iter().map(|step| match step {
        Step::Metadata => quote_spanned!(span=> metadata),
        Step::Field {
            ident,
            wrapped,
            kubernetes,
        } => {
            let peel = peel_of(*wrapped);
            if *kubernetes {
                quote_spanned!(span=> /#ident #peel)
            } else {
                quote_spanned!(span=> .#ident #peel)
            }
        }
        Step::Key { key, wrapped } => {
            let peel = peel_of(*wrapped);
            let mut literal = Literal::string(key);
            literal.set_span(span);
            quote_spanned!(span=> [#literal] #peel)
        }
        Step::Peel => quote_spanned!(span=> []),
        Step::With(function) => quote_spanned!(span=> with #(#function)::*),
    });
    quote_spanned!(span=> #(#spelt)*)
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

/// Returns a link to a type in documentation, which shows its name without its module.
pub(super) fn link(ty: &Type) -> String {
    let text = type_text(ty);
    match text.rsplit_once("::") {
        Some((_, name)) if !text.contains('<') => format!("[`{name}`]({text})"),
        Some(_) | None => format!("[`{text}`]"),
    }
}

/// Returns the `String` type for emitted code. rustc's errors about the type go to `span`.
#[must_use]
pub fn string(span: Span) -> Type {
    syn::parse_quote_spanned!(span=> ::std::string::String)
}
