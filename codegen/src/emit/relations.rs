//! Emits the relations of a kind: a constant for each, the method of listers that reads it, and the
//! traits by which a type of related objects finds its relation.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::Type;

use super::common::{constant_of, link, type_text};
use super::emission::Emission;
use super::reference;
use crate::ir::{Over, Relation, Verb, Wrappers};

/// The verbs, in the order in which the items of a kind follow each other.
const VERBS: [Verb; 3] = [Verb::Owns, Verb::References, Verb::Selects];

/// Relation that a lister reads, and the method that reads it.
struct Reading<'k> {
    by: &'k Ident,
    target: &'k Type,
    verb: Verb,
    /// Functions that read the keys or the selectors, one for each place.
    places: Vec<TokenStream>,
}

/// Returns the constants of the relations, the methods that read them, and the impls of the traits.
pub(super) fn items(kind: &Emission<'_>) -> Vec<TokenStream> {
    let readings: Vec<Reading<'_>> = kind
        .relations
        .iter()
        .filter_map(|relation| reading(kind, relation))
        .collect();
    let mut items = Vec::new();
    if !readings.is_empty() {
        items.push(constants(kind, &readings));
        items.push(reading_methods(kind, &readings));
    }
    for verb in VERBS {
        for target in kind.targets() {
            let relations = relating(kind, verb, target);
            if !relations.is_empty() {
                items.push(implementation(kind, verb, target, &relations));
            }
        }
    }
    items
}

/// Returns the methods of informers that return the relation to one type, for the verbs that the kind
/// declares.
pub(super) fn methods(kind: &Emission<'_>) -> TokenStream {
    VERBS
        .into_iter()
        .filter(|verb| {
            let mut relations = kind.relations.iter();
            relations.any(|relation| relation.verb() == *verb)
        })
        .map(|verb| methods_of(kind, verb))
        .collect()
}

/// Returns a relation that a lister reads: each but that to owned objects. A wrong relation, which
/// has no place, relates nothing.
fn reading<'k>(kind: &Emission<'_>, relation: &'k Relation) -> Option<Reading<'k>> {
    let Relation { target, span, .. } = relation;
    let (by, mut places): (_, Vec<TokenStream>) = match &relation.over {
        Over::Owner => return None,
        Over::Names { by, fields } => {
            let keys = fields
                .iter()
                .map(|field| reference::keys(kind, field, target, *span));
            (by, keys.collect())
        }
        Over::Selectors { by, paths } => {
            let selectors = paths
                .iter()
                .map(|way| reference::selectors(kind, way, *span));
            (by, selectors.collect())
        }
    };
    if places.is_empty() {
        places.push(quote!(|_| ::std::vec::Vec::new()));
    }
    Some(Reading {
        by,
        target,
        verb: relation.verb(),
        places,
    })
}

fn constants(kind: &Emission<'_>, readings: &[Reading<'_>]) -> TokenStream {
    let vis = &kind.kind.vis;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let bounds = kind.related_bounds();
    let constants = readings.iter().map(|reading| {
        let ty = relation_type(kind, reading.verb);
        let target = reading.target;
        let constant = constant_of(reading.by);
        let name = reading.by.to_string();
        let values = match reading.places.as_slice() {
            [values] => values.clone(),
            places => quote!(|object| #private::of_places(object, &[#(#places),*])),
        };
        let doc = format!(" Relation that [`{}::{name}`] reads.", kind.names.lister);
        quote! {
            #[doc = #doc]
            #vis const #constant: #ty<#objects, #target> =
                #ty::in_module(::core::module_path!(), #name, #values);
        }
    });
    quote! {
        impl #lookups #bounds {
            #(#constants)*
        }
    }
}

fn reading_methods(kind: &Emission<'_>, readings: &[Reading<'_>]) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let bounds = kind.related_bounds();
    let methods = readings.iter().map(|reading| {
        let Reading { by, target, .. } = reading;
        let constant = constant_of(by);
        let argument = match reading.verb {
            Verb::Owns | Verb::References => quote!(#runtime::ObjectKey),
            Verb::Selects => quote!(#target),
        };
        let docs = reading_docs(reading.verb, &link(target));
        quote! {
            #docs
            #[must_use]
            #vis fn #by(&self, target: &#argument) -> ::std::vec::Vec<::std::sync::Arc<S::Object>> {
                #private::Find::find(&#lookups::#constant, &self.0, target)
            }
        }
    });
    quote! {
        impl<S: #runtime::Storage<#objects>> #lookups<#runtime::Lister<#objects, S>> #bounds {
            #(#methods)*
        }
    }
}

/// Returns the documentation of the method that reads a relation to the type behind a link.
fn reading_docs(verb: Verb, target: &str) -> TokenStream {
    match verb {
        Verb::Owns | Verb::References => {
            let summary = format!(" Returns the objects that refer to the {target} with this key.");
            quote! {
                #[doc = #summary]
                ///
                /// The first call adds an index, which reads all cached objects. Later calls take
                /// O(log n) plus the number of objects found.
            }
        }
        Verb::Selects => {
            let summary =
                format!(" Returns the objects whose selector matches the labels of a {target}.");
            quote! {
                #[doc = #summary]
                ///
                /// The first call adds an index, which reads all cached objects. Later calls take
                /// time in proportion to the objects whose selector requires one of the labels.
            }
        }
    }
}

/// Returns the relations with this verb to this type.
fn relating<'k>(kind: &Emission<'k>, verb: Verb, target: &Type) -> Vec<&'k Relation> {
    let text = type_text(target);
    let mut relations = kind.relations.clone();
    relations.retain(|each| each.verb() == verb && type_text(&each.target) == text);
    relations
}

/// Returns the impl by which the type of the related objects finds its relation, or all of them
/// together.
fn implementation(
    kind: &Emission<'_>,
    verb: Verb,
    target: &Type,
    relations: &[&Relation],
) -> TokenStream {
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let bounds = kind.related_bounds();
    let ty = relation_type(kind, verb);
    match verb {
        Verb::Owns => quote! {
            impl #private::Owns<#target> for #lookups #bounds {
                type Owner = #objects;
            }
        },
        Verb::References => {
            let relation = united(kind, verb, relations);
            quote! {
                impl #private::References<#target> for #lookups #bounds {
                    type Referrer = #objects;

                    const REFERENCE: #ty<#objects, #target> = #relation;
                }
            }
        }
        Verb::Selects => {
            let relation = united(kind, verb, relations);
            quote! {
                impl #private::Selects<#target> for #lookups #bounds {
                    type Selecting = #objects;

                    const SELECTION: #ty<#objects, #target> = #relation;
                }
            }
        }
    }
}

/// Returns the only relation, or the one that unites several.
fn united(kind: &Emission<'_>, verb: Verb, relations: &[&Relation]) -> TokenStream {
    let methods: Vec<&Ident> = relations.iter().filter_map(|each| each.by()).collect();
    let constants: Vec<Ident> = methods.iter().map(|method| constant_of(method)).collect();
    if let [constant] = constants.as_slice() {
        return quote!(Self::#constant);
    }
    let private = &kind.private;
    let ty = relation_type(kind, verb);
    let texts: Vec<String> = methods.iter().map(ToString::to_string).collect();
    let name = texts.join(" ");
    quote! {
        #ty::in_module(::core::module_path!(), #name, |object| {
            #private::of_relations(object, &[#(Self::#constants),*])
        })
    }
}

/// Returns the type of a relation as a value, without its parameters.
fn relation_type(kind: &Emission<'_>, verb: Verb) -> TokenStream {
    let runtime = &kind.kind.runtime;
    match verb {
        Verb::Owns | Verb::References => quote!(#runtime::relations::Reference),
        Verb::Selects => quote!(#runtime::relations::LabelSelection),
    }
}

/// Returns the methods of informers that return a relation to one type.
fn methods_of(kind: &Emission<'_>, verb: Verb) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let relations = quote!(#runtime::relations);
    let maker = quote!(M: #runtime::MakeInformers<Storage: #runtime::Storage<T>>);
    match verb {
        Verb::Owns => quote! {
            /// Returns the relation to the `T`s that these objects own, over the informer of
            /// `T` that `maker` shares.
            #[must_use]
            #vis fn owned<T, M>(&self, maker: &M) -> #relations::OwnedObjects<#objects, T, M::Storage>
            where
                #lookups: #private::Owns<T, Owner = #objects>,
                T: #private::TypedObject,
                #maker,
            {
                #relations::OwnedObjects::new(self.0.resource(), maker)
            }
        },
        Verb::References => quote! {
            /// Returns the relation to the `T`s to which these objects refer, over the informer
            /// of `T` that `maker` shares.
            #[must_use]
            #vis fn references_to<T, M>(
                &self,
                maker: &M,
            ) -> #relations::ReferencedObjects<#objects, T, S, M::Storage>
            where
                #lookups: #private::References<T, Referrer = #objects>,
                T: #private::TypedObject,
                #maker,
            {
                #relations::ReferencedObjects::new(&self.0, <#lookups as #private::References<T>>::REFERENCE, maker)
            }

            /// Starts building a cache of only the `T`s to which these objects refer. `factory`
            /// runs its informers.
            #vis fn referenced<'a, T>(
                &'a self,
                factory: &'a #private::SharedInformerFactory,
            ) -> #private::ReferencedCacheBuilder<'a, #objects, S, T>
            where
                #lookups: #private::References<T, Referrer = #objects>,
                T: #private::TypedObject,
            {
                #relations::ReferencedCache::builder(factory, &self.0, <#lookups as #private::References<T>>::REFERENCE)
            }
        },
        Verb::Selects => quote! {
            /// Returns the relation to the `T`s that these objects select, over the informer of
            /// `T` that `maker` shares.
            #[must_use]
            #vis fn selected<T, M>(
                &self,
                maker: &M,
            ) -> #relations::SelectedObjects<#objects, T, S, M::Storage>
            where
                #lookups: #private::Selects<T, Selecting = #objects>,
                T: #private::TypedObject,
                #maker,
            {
                #relations::SelectedObjects::new(&self.0, <#lookups as #private::Selects<T>>::SELECTION, maker)
            }
        },
    }
}
