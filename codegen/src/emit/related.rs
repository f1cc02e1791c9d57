//! Emits the struct with all relations of a kind, whose informers a controller needs at once.

use proc_macro2::{Ident, TokenStream};
use quote::{format_ident, quote};

use super::common::{constant_of, link};
use super::emission::Emission;
use crate::ir::{Relation, Verb, Wrappers};

/// One relation of the struct.
struct RelatedField<'k> {
    relation: &'k Relation,
    verb: Verb,
    /// Type of the relation.
    ty: TokenStream,
}

/// Returns the alias, the struct, and the methods that read each relation.
pub(super) fn items(kind: &Emission<'_>) -> Vec<TokenStream> {
    if !kind.kind.has_related || kind.kind.relations.is_empty() {
        return Vec::new();
    }
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let related = &kind.names.related;
    let relations = &kind.names.relations;
    let bounds = kind.related_bounds();
    let storage = storage_bounds(kind);
    let constructor = constructor_of(kind);
    let related_fields = fields_of(kind);
    let fields = related_fields.iter().map(|field| {
        let name = &field.relation.accessor;
        let ty = &field.ty;
        quote!(#name: #ty)
    });
    let methods = related_fields.iter().map(|field| methods(kind, field));
    let of_related = format!(
        " Relations of the objects of a [`{}`]. Cheap to clone.",
        kind.names.informer
    );
    let of_relations = format!(" Relations of a [`{related}`].");
    vec![
        quote! {
            #[doc = #of_related]
            #vis type #related<S = #runtime::Typed, R = #runtime::Typed> =
                #lookups<#private::Related<#objects, S, #relations<S, R>>>;
        },
        quote! {
            #[doc = #of_relations]
            #[derive(::core::fmt::Debug)]
            #vis struct #relations<S: #runtime::Storage<#objects>, R: #storage> #bounds {
                #(#fields,)*
                __storage: ::core::marker::PhantomData<S>,
            }
        },
        quote! {
            impl<S: #runtime::Storage<#objects>> #lookups<#runtime::SharedInformer<#objects, S>> #bounds {
                #constructor
            }
        },
        quote! {
            impl<S: #runtime::Storage<#objects>, R: #storage>
                #lookups<#private::Related<#objects, S, #relations<S, R>>> #bounds
            {
                #(#methods)*
            }
        },
    ]
}

/// Returns the method of informers that makes the struct.
fn constructor_of(kind: &Emission<'_>) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let lookups = &kind.names.lookups;
    let related = &kind.names.related;
    let relations = &kind.names.relations;
    let storage = storage_bounds(kind);
    let fields = fields_of(kind);
    let names = fields.iter().map(|field| &field.relation.accessor);
    let fields = fields.iter().map(|RelatedField { relation, verb, .. }| {
        let name = &relation.accessor;
        let objects = objects_of(*verb);
        let made = match relation.by().map(constant_of) {
            None => quote!(new(self.0.resource(), maker)),
            Some(constant) => quote!(new(&self.0, #lookups::#constant, maker)),
        };
        quote!(#name: #runtime::relations::#objects::#made)
    });
    quote! {
        /// Returns the relations of the objects, over the informers of the related types that
        /// `maker` shares.
        #[must_use]
        #vis fn related<R, M>(&self, maker: &M) -> #related<S, R>
        where
            R: #storage,
            M: #runtime::MakeInformers<Storage = R>,
        {
            let relations = #relations {
                #(#fields,)*
                __storage: ::core::marker::PhantomData,
            };
            #lookups(#private::Related::new(&self.0, relations, |all| ::std::vec![#(&all.#names),*]))
        }
    }
}

/// Returns the bounds of the storage of the related objects.
fn storage_bounds(kind: &Emission<'_>) -> TokenStream {
    let runtime = &kind.kind.runtime;
    let targets = kind.targets();
    quote!(#(#runtime::Storage<#targets>)+*)
}

fn fields_of<'k>(kind: &Emission<'k>) -> Vec<RelatedField<'k>> {
    let runtime = &kind.kind.runtime;
    let objects = &kind.objects;
    let fields = kind.relations.iter().copied().map(|relation| {
        let verb = relation.verb();
        let ty = objects_of(verb);
        let target = &relation.target;
        let parameters = if verb == Verb::Owns {
            quote!(#objects, #target, R)
        } else {
            quote!(#objects, #target, S, R)
        };
        RelatedField {
            relation,
            verb,
            ty: quote!(#runtime::relations::#ty<#parameters>),
        }
    });
    fields.collect()
}

/// Returns the method that returns a relation, and the one that returns its objects.
fn methods(kind: &Emission<'_>, field: &RelatedField<'_>) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let objects = &kind.objects;
    let RelatedField { relation, verb, ty } = field;
    let Relation {
        accessor, target, ..
    } = relation;
    let accessor_of = format_ident!("{accessor}_of");
    let name = link(target);
    let object = Ident::new(argument(*verb), accessor.span());
    let found = match verb {
        Verb::Owns | Verb::Selects => quote!(::std::sync::Arc),
        Verb::References => quote!(#runtime::relations::RelatedObject),
    };
    let returns = format!(
        " Returns the relation to the {} {name}s.",
        participle(*verb)
    );
    let returns_objects = match verb {
        Verb::Owns => {
            format!(" Returns the cached {name}s that `owner` controls, ordered by key.")
        }
        Verb::References => format!(
            " Returns the {name}s to which `referrer` refers, ordered by key: for each key the \
             object, or the reason for which it is not available."
        ),
        Verb::Selects => {
            format!(" Returns the cached {name}s that `object` selects, ordered by key.")
        }
    };
    quote! {
        #[doc = #returns]
        #[must_use]
        #vis fn #accessor(&self) -> &#ty {
            &self.0.all.#accessor
        }

        #[doc = #returns_objects]
        #[must_use]
        #vis fn #accessor_of(
            &self,
            #object: &#objects,
        ) -> ::std::vec::Vec<#found<<R as #runtime::Storage<#target>>::Object>> {
            self.0.all.#accessor.of(#object)
        }
    }
}

/// Returns the type of the related objects of a kind.
fn objects_of(verb: Verb) -> Ident {
    match verb {
        Verb::Owns => format_ident!("OwnedObjects"),
        Verb::References => format_ident!("ReferencedObjects"),
        Verb::Selects => format_ident!("SelectedObjects"),
    }
}

const fn participle(verb: Verb) -> &'static str {
    match verb {
        Verb::Owns => "owned",
        Verb::References => "referenced",
        Verb::Selects => "selected",
    }
}

/// Returns the name of the argument that has the related objects.
const fn argument(verb: Verb) -> &'static str {
    match verb {
        Verb::Owns => "owner",
        Verb::References => "referrer",
        Verb::Selects => "object",
    }
}
