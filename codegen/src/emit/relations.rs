//! Emits the relations of a kind as tokens: entries of the declaration that `__private::wrappers!`
//! expands.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Path, Type};

use super::common::{Names, path, type_text, walk};
use crate::doc::Doc;
use crate::ir::{Beside, Named, Objects, Over, Relation, Step, Walk, Wrappers};

/// Returns the relations of a kind, as entries of its declaration.
pub(super) fn declaration(kind: &Wrappers) -> Option<TokenStream> {
    if kind.relations.is_empty() {
        return None;
    }
    let runtime = &kind.runtime;
    let names = Names::of(&kind.prefix);
    let objects = match &kind.objects {
        Objects::Typed(ty) => ty.to_token_stream(),
        Objects::Dynamic { .. } => quote!(#runtime::__private::DynamicObject),
    };
    let mut relations: Vec<&Relation> = kind.relations.iter().collect();
    relations.sort_by_key(|relation| match relation.over {
        Over::Owner => 0,
        Over::Names { .. } => 1,
        Over::Selectors { .. } => 2,
    });
    let lookups = relations.iter().filter_map(|each| lookup(runtime, each));
    let lookups: Vec<TokenStream> = lookups.collect();
    let lookups = (!lookups.is_empty()).then(|| quote!(lookups { #(#lookups)* }));
    let targets = united(kind);
    let related = kind.has_related.then(|| {
        let (name, entries) = (&names.related, relations.iter());
        let entries = entries.map(|each| related(each, &names.informer, &objects));
        quote!(struct #name { #(#entries)* })
    });
    Some(quote! {
        #lookups
        #targets
        #related
    })
}

/// Returns the relation as a value, and the method of the lister that reads it.
fn lookup(runtime: &Path, relation: &Relation) -> Option<TokenStream> {
    let target = &relation.target;
    let name = kind(target);
    let (ty, by, argument, doc, places) = match &relation.over {
        Over::Owner => return None,
        Over::Names { by, fields } => {
            let fields = fields.iter().map(|field| {
                let span = located(&field.name, relation.span);
                named(runtime, field, target, span)
            });
            let argument = quote!(&#runtime::ObjectKey);
            let doc = format!("Returns the objects that refer to the `{name}` with this key.");
            (quote!(Reference), by, argument, doc, fields.collect())
        }
        Over::Selectors { by, paths } => {
            let paths = paths.iter().map(|way| {
                let span = located(way, relation.span);
                match way {
                    Walk::Steps(steps) => path(runtime, steps, span),
                    Walk::Members(names) => quote_spanned! {span=>
                        |object| #runtime::__private::json_selectors(object, &[#(#names),*])
                    },
                }
            });
            let argument = quote!(&#target);
            let doc =
                format!("Returns the objects whose selector matches the labels of a `{name}`.");
            (quote!(LabelSelection), by, argument, doc, paths.collect())
        }
    };
    let (doc, places) = (Doc::new(&doc), or_nothing(places));
    Some(quote! {
        #doc
        #ty #by(#argument): #target = #(#places),*;
    })
}

/// Returns the entry of the struct with all relations.
fn related(relation: &Relation, informer: &Ident, objects: &TokenStream) -> TokenStream {
    let Relation {
        accessor,
        target,
        over,
        ..
    } = relation;
    let of = format_ident!("{accessor}_of");
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
            Some(quote!(= <#informer>::#by())),
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
            Some(quote!(= <#informer>::#by())),
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

/// Returns the lists that unite the relations to each type.
fn united(kind: &Wrappers) -> TokenStream {
    let list = |verb: &str, all: Vec<(&Type, Option<&Ident>)>| {
        let mut united: Vec<(&Type, Vec<&Ident>)> = Vec::new();
        for (target, by) in all {
            let text = type_text(target);
            match united
                .iter_mut()
                .find(|(other, _)| type_text(*other) == text)
            {
                Some((_, names)) => names.extend(by),
                None => united.push((target, by.into_iter().collect())),
            }
        }
        let entries = united.iter().map(|(target, names)| {
            let names = (!names.is_empty()).then(|| quote!(= #(#names),*));
            quote!(#target #names;)
        });
        let verb = Ident::new(verb, Span::call_site());
        (!united.is_empty()).then(|| quote!(#verb { #(#entries)* }))
    };
    let of = |each: fn(&Over) -> Option<Option<&Ident>>| {
        let relations = kind.relations.iter();
        let found =
            relations.filter_map(|relation| Some((&relation.target, each(&relation.over)?)));
        found.collect()
    };
    let owns = of(|over| matches!(over, Over::Owner).then_some(None));
    let references = of(|over| match over {
        Over::Names { by, .. } => Some(Some(by)),
        Over::Owner | Over::Selectors { .. } => None,
    });
    let selects = of(|over| match over {
        Over::Selectors { by, .. } => Some(Some(by)),
        Over::Owner | Over::Names { .. } => None,
    });
    let lists = [
        list("owns", owns),
        list("references", references),
        list("selects", selects),
    ];
    quote!(#(#lists)*)
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
