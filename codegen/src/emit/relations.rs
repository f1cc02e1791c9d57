//! Emits the relations of a kind as tokens: a declaration, which `__private::relations!` in the
//! runtime expands.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Path, Type};

use super::common::{Names, bounds, path, type_text, walk};
use crate::doc::Doc;
use crate::ir::{Beside, Named, Objects, Over, Relation, Step, Walk, Wrappers};

/// Returns the item that declares the relations; `None` if the kind has none.
#[must_use]
pub fn item(kind: &Wrappers) -> Option<TokenStream> {
    let runtime = &kind.runtime;
    let declaration = declaration(kind)?;
    Some(quote!(#runtime::__private::relations! { #declaration }))
}

/// Returns the declaration of the relations, without the macro call around it.
#[must_use]
pub fn declaration(kind: &Wrappers) -> Option<TokenStream> {
    if kind.relations.is_empty() {
        return None;
    }
    let Wrappers { vis, runtime, .. } = kind;
    let names = Names::of(&kind.prefix);
    let (informer, lister) = (&names.informer, &names.lister);
    let objects = match &kind.objects {
        Objects::Typed(ty) => ty.to_token_stream(),
        Objects::Dynamic { .. } => quote!(#runtime::__private::DynamicObject),
    };
    let bounds = bounds(kind, &targets(kind));
    let related = kind.has_related.then_some(&names.related).into_iter();
    let owns = block("owns", kind, owned);
    let references = block("references", kind, referenced);
    let selects = block("selects", kind, selected);
    let targets = united(kind);
    Some(quote! {
        #vis #informer, #lister: #objects #bounds;
        #(struct #related;)*
        #owns
        #references
        #selects
        #targets
    })
}

/// Returns the block of the relations for which `entry` returns an entry.
fn block(
    keyword: &str,
    kind: &Wrappers,
    entry: impl Fn(&Path, &Relation) -> Option<TokenStream>,
) -> Option<TokenStream> {
    let keyword = Ident::new(keyword, Span::call_site());
    let relations = kind.relations.iter();
    let entries = relations.filter_map(|relation| entry(&kind.runtime, relation));
    let entries: Vec<TokenStream> = entries.collect();
    (!entries.is_empty()).then(|| quote!(#keyword { #(#entries)* }))
}

fn owned(_: &Path, relation: &Relation) -> Option<TokenStream> {
    let Over::Owner = &relation.over else {
        return None;
    };
    let (accessor, of, target) = names(relation);
    Some(quote!(#accessor, #of: #target;))
}

fn referenced(runtime: &Path, relation: &Relation) -> Option<TokenStream> {
    let Over::Names { by, fields } = &relation.over else {
        return None;
    };
    let (accessor, of, target) = names(relation);
    let doc = Doc::new(&format!(
        "Returns the objects that refer to the `{}` with this key.",
        kind(target)
    ));
    let fields = fields.iter().map(|field| {
        let span = located(&field.name, relation.span);
        named(runtime, field, target, span)
    });
    let places = or_nothing(fields.collect());
    Some(quote! {
        #doc
        #accessor, #of, #by: #target = #(#places),*;
    })
}

fn selected(runtime: &Path, relation: &Relation) -> Option<TokenStream> {
    let Over::Selectors { by, paths } = &relation.over else {
        return None;
    };
    let (accessor, of, target) = names(relation);
    let doc = Doc::new(&format!(
        "Returns the objects whose selector matches the labels of a `{}`.",
        kind(target)
    ));
    let paths = paths.iter().map(|way| {
        let span = located(way, relation.span);
        match way {
            Walk::Steps(steps) => path(runtime, steps, span),
            Walk::Members(names) => quote_spanned! {span=>
                |object| #runtime::__private::json_selectors(object, &[#(#names),*])
            },
        }
    });
    let places = or_nothing(paths.collect());
    Some(quote! {
        #doc
        #accessor, #of, #by: #target = #(#places),*;
    })
}

/// Returns the position of the last field of a way, where rustc reports errors of its type.
fn located(way: &Walk, relation: Span) -> Span {
    let steps = match way {
        Walk::Steps(steps) => steps.as_slice(),
        Walk::Members(_) => &[],
    };
    let field = steps.iter().rev().find_map(|step| match step {
        Step::Field { ident, .. } => Some(ident.span()),
        Step::Metadata | Step::Key { .. } | Step::With(_) => None,
    });
    Span::mixed_site().located_at(field.unwrap_or(relation))
}

/// Returns `places`. A wrong relation, which has none, relates nothing.
fn or_nothing(places: Vec<TokenStream>) -> Vec<TokenStream> {
    if places.is_empty() {
        return vec![quote!(|_| ::std::vec::Vec::new())];
    }
    places
}

/// Returns the function that reads the keys of the related objects at one place.
fn named(runtime: &Path, named: &Named, target: &Type, span: Span) -> TokenStream {
    let Named {
        at,
        name,
        namespace,
        kind,
    } = named;
    let part = |word: &str, field: &Option<Beside>| {
        let word = Ident::new(word, span);
        let field = match field.as_ref()? {
            Beside::Name(way) => {
                let way = parts(way, span);
                quote_spanned!(span=> [#way])
            }
            Beside::Object(way) => {
                let way = parts(way, span);
                quote_spanned!(span=> object [#way])
            }
        };
        Some(quote_spanned!(span=> #word #field))
    };
    let namespace = part("namespace", namespace);
    let kind = part("kind", kind);
    let form = match at {
        Walk::Steps(_) => Ident::new("fields", span),
        Walk::Members(_) => Ident::new("members", span),
    };
    let (at, name) = (parts(at, span), parts(name, span));
    quote_spanned! {span=>
        #runtime::__private::reference!(#target, #form [#at], name [#name] #namespace #kind)
    }
}

fn parts(way: &Walk, span: Span) -> TokenStream {
    match way {
        Walk::Steps(steps) => walk(steps, span),
        Walk::Members(names) => quote_spanned!(span=> #(#names),*),
    }
}

/// Returns the types of the related objects, each once.
#[must_use]
pub fn targets(kind: &Wrappers) -> Vec<&Type> {
    let mut all: Vec<&Type> = Vec::new();
    for Relation { target, .. } in &kind.relations {
        let text = type_text(target);
        if all.iter().all(|other| type_text(*other) != text) {
            all.push(target);
        }
    }
    all
}

/// Returns the block that unites the relations to each type.
fn united(kind: &Wrappers) -> TokenStream {
    let mut united: Vec<(&str, &Type, Vec<&Ident>)> = Vec::new();
    for relation in &kind.relations {
        let (verb, accessor) = match &relation.over {
            Over::Owner => ("owns", &relation.accessor),
            Over::Names { by, .. } => ("references", by),
            Over::Selectors { by, .. } => ("selects", by),
        };
        let text = type_text(&relation.target);
        let is_same = |(other, target, _): &&mut (&str, &Type, Vec<&Ident>)| {
            *other == verb && type_text(*target) == text
        };
        match united.iter_mut().find(is_same) {
            Some((.., accessors)) => accessors.push(accessor),
            None => united.push((verb, &relation.target, vec![accessor])),
        }
    }
    let entries = united.iter().map(|(verb, target, accessors)| {
        let verb = Ident::new(verb, Span::call_site());
        quote!(#verb #target = #(#accessors),*;)
    });
    quote!(targets { #(#entries)* })
}

/// Returns the name of a type in documentation: the last word of its path.
fn kind(ty: &Type) -> String {
    if let Type::Path(path) = ty
        && let Some(last) = path.path.segments.last()
    {
        return type_text(last);
    }
    type_text(ty)
}

/// Returns the accessor, the method that returns the related objects, and their type.
fn names(relation: &Relation) -> (&Ident, Ident, &Type) {
    let accessor = &relation.accessor;
    (accessor, format_ident!("{accessor}_of"), &relation.target)
}
