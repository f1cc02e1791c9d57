//! Emits the relations of a kind as tokens: entries of the declaration that `__private::wrappers!`
//! expands.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Path, Type};

use super::common::{WrapperNames, constant, path, type_text, walk};
use crate::ir::{Beside, Named, Objects, Over, Relation, Step, Walk, Wrappers};

/// Returns the relations of a kind, as entries of its declaration.
pub(super) fn declaration(kind: &Wrappers) -> Option<TokenStream> {
    if kind.relations.is_empty() {
        return None;
    }
    let runtime = &kind.runtime;
    let names = WrapperNames::of(&kind.prefix);
    let objects = match &kind.objects {
        Objects::Typed(ty) => ty.to_token_stream(),
        Objects::Dynamic { .. } => quote!(#runtime::__private::DynamicObject),
    };
    let mut relations: Vec<&Relation> = kind.relations.iter().collect();
    // The verbs are in the order of the lists.
    relations.sort_by_key(|relation| verb(relation));
    let groups = groups(&relations);
    let block = |name: &str, is_part: bool| {
        let relations = groups.iter().filter(|group| (group.len() > 1) == is_part);
        let entries = relations.flatten().filter_map(|each| lookup(runtime, each));
        list(name, entries)
    };
    let lookups = block("lookups", false);
    let parts = block("parts", true);
    let targets = united(&groups);
    let related = kind.has_related.then(|| {
        let name = &names.related;
        let content = &names.relations;
        let entries = relations.iter();
        let entries = entries.map(|each| related(each, &names.lookups, &objects));
        quote!(struct #name, #content { #(#entries)* })
    });
    Some(quote! {
        #lookups
        #parts
        #targets
        #related
    })
}

/// Returns the relations with one verb to one type together.
fn groups<'k>(relations: &[&'k Relation]) -> Vec<Vec<&'k Relation>> {
    let key = |relation: &Relation| (verb(relation), type_text(&relation.target));
    let mut groups: Vec<Vec<&Relation>> = Vec::new();
    for relation in relations {
        let is_alike = |group: &&mut Vec<&Relation>| {
            let mut group = group.iter();
            group.any(|other| key(other) == key(relation))
        };
        match groups.iter_mut().find(is_alike) {
            Some(group) => group.push(relation),
            None => groups.push(vec![relation]),
        }
    }
    groups
}

/// Returns the name of the list of relations like this one.
fn verb(relation: &Relation) -> &'static str {
    match relation.over {
        Over::Owner => "owns",
        Over::Names { .. } => "references",
        Over::Selectors { .. } => "selects",
    }
}

/// Returns a list with its name, unless it is empty.
fn list(name: &str, entries: impl Iterator<Item = TokenStream>) -> Option<TokenStream> {
    let name = Ident::new(name, Span::call_site());
    let entries: Vec<TokenStream> = entries.collect();
    (!entries.is_empty()).then(|| quote!(#name { #(#entries)* }))
}

/// Returns the relation as a value, and the method of the lister that reads it. A wrong relation,
/// which has no place, relates nothing.
fn lookup(runtime: &Path, relation: &Relation) -> Option<TokenStream> {
    let target = &relation.target;
    let (ty, by, mut places): (_, _, Vec<TokenStream>) = match &relation.over {
        Over::Owner => return None,
        Over::Names { by, fields } => {
            let places = fields.iter().map(|field| {
                let span = located(&field.name, relation.span);
                named(runtime, field, target, span)
            });
            (quote!(Reference), by, places.collect())
        }
        Over::Selectors { by, paths } => {
            let places = paths.iter().map(|way| {
                let span = located(way, relation.span);
                match way {
                    Walk::Steps(steps) => path(runtime, steps, span),
                    Walk::Members(names) => quote_spanned! {span=>
                        |object| #runtime::__private::json_selectors(object, &[#(#names),*])
                    },
                }
            });
            (quote!(LabelSelection), by, places.collect())
        }
    };
    if places.is_empty() {
        places.push(quote!(|_| ::std::vec::Vec::new()));
    }
    let constant = constant(by);
    Some(quote!(#ty #by: #target = #constant: #(#places),*;))
}

/// Returns the entry of the struct with all relations.
fn related(relation: &Relation, lookups: &Ident, objects: &TokenStream) -> TokenStream {
    let Relation {
        accessor,
        target,
        over,
        ..
    } = relation;
    let of = format_ident!("{accessor}_of");
    let value = |by| {
        let constant = constant(by);
        Some(quote!(= #lookups::#constant))
    };
    let name = type_text(target);
    let (adjective, objects, value, object, found, of_doc) = match over {
        Over::Owner => (
            "owned",
            quote!(OwnedObjects[#objects, #target, R]),
            None,
            quote!(owner),
            quote!(Arc),
            format!(" Returns the cached [`{name}`]s that `owner` controls, ordered by key."),
        ),
        Over::Names { by, .. } => (
            "referenced",
            quote!(ReferencedObjects[#objects, #target, S, R]),
            value(by),
            quote!(referrer),
            quote!(RelatedObject),
            format!(
                " Returns the [`{name}`]s to which `referrer` refers, ordered by key: for each key \
                 the object, or the reason for which it is not available."
            ),
        ),
        Over::Selectors { by, .. } => (
            "selected",
            quote!(SelectedObjects[#objects, #target, S, R]),
            value(by),
            quote!(object),
            quote!(Arc),
            format!(" Returns the cached [`{name}`]s that `object` selects, ordered by key."),
        ),
    };
    let doc = format!(" Returns the relation to the {adjective} [`{name}`]s.");
    quote! {
        #[doc = #doc]
        #accessor: #objects #value;
        #[doc = #of_doc]
        #of(#object): #found of #target;
    }
}

/// Returns the position of the last field of a way, where rustc reports errors of its type.
fn located(way: &Walk, relation: Span) -> Span {
    let steps = match way {
        Walk::Steps(steps) => steps.as_slice(),
        Walk::Members(_) => &[],
    };
    let field = steps.iter().rev().find_map(|step| match step {
        Step::Field { ident, .. } => Some(ident.span()),
        Step::Metadata | Step::Key { .. } | Step::Peel | Step::With(_) => None,
    });
    Span::mixed_site().located_at(field.unwrap_or(relation))
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
    let at = parts(at, span);
    let name = parts(name, span);
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

/// Returns the types that the kind owns, and the lists that unite several relations to one type.
fn united(groups: &[Vec<&Relation>]) -> TokenStream {
    let lists = ["owns", "references", "selects"].map(|name| {
        let entries = groups.iter().filter_map(|group| {
            let first = group.first().filter(|first| verb(first) == name)?;
            let target = &first.target;
            let names = group.iter().filter_map(|each| by(&each.over));
            let names: Vec<Ident> = names.map(constant).collect();
            let united = (!names.is_empty()).then(|| quote!(= #(#names),*));
            (names.len() != 1).then(|| quote!(#target #united;))
        });
        list(name, entries)
    });
    quote!(#(#lists)*)
}

/// Returns the name of the look-up; an owner has none.
fn by(over: &Over) -> Option<&Ident> {
    match over {
        Over::Owner => None,
        Over::Names { by, .. } | Over::Selectors { by, .. } => Some(by),
    }
}
