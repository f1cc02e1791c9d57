//! Emits the struct of a kind with declarations, and the informer, the lister and the snapshot that
//! are aliases of it.
//!
//! Functions that are not generic are `#[inline]`, so that rustc compiles them only where they are
//! called. Otherwise a library would compile the runtime for each of its types, even unused ones.

use proc_macro2::TokenStream;
use quote::quote;

use super::common::type_text;
use super::emission::Emission;
use super::plain::{accessor, aliases};
use super::{indices, related, relations};
use crate::doc::Doc;
use crate::ir::{Objects, Scope, Wrappers};

/// Returns the items of a kind: its informer, its lister, and the accessor of factories.
#[must_use]
pub fn wrappers(kind: &Wrappers) -> Vec<TokenStream> {
    let mut items = match aliases(kind) {
        Some(aliases) => Vec::from(aliases),
        None => declared(&Emission::of(kind)),
    };
    items.extend(accessor(kind));
    items
}

fn declared(kind: &Emission<'_>) -> Vec<TokenStream> {
    let mut items = vec![informer(kind), lister(kind)];
    items.extend(indices::snapshot(kind));
    items.extend(structure(kind));
    items.push(methods_of_informers(kind));
    items.extend(methods_of_listers(kind));
    items.extend(indices::methods(kind));
    items.extend(constants(kind));
    items.extend(indices::definitions(kind));
    items.extend(conversions(kind));
    items.extend(relations::items(kind));
    items.extend(related::items(kind));
    items
}

fn informer(kind: &Emission<'_>) -> TokenStream {
    let Wrappers {
        vis, docs, runtime, ..
    } = kind.kind;
    let informer = &kind.names.informer;
    let lookups = &kind.names.lookups;
    let objects = &kind.objects;
    let methods = methods_sentence(kind, "SharedInformer");
    quote! {
        #docs
        #[doc = ""]
        #methods
        #vis type #informer<S = #runtime::Typed> = #lookups<#runtime::SharedInformer<#objects, S>>;
    }
}

fn lister(kind: &Emission<'_>) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let lister = &kind.names.lister;
    let lookups = &kind.names.lookups;
    let objects = &kind.objects;
    let summary = format!(" Reader of the cache of a [`{}`].", kind.names.informer);
    let methods = methods_sentence(kind, "Lister");
    quote! {
        #[doc = #summary]
        #[doc = ""]
        #methods
        #vis type #lister<S = #runtime::Typed> = #lookups<#runtime::Lister<#objects, S>>;
    }
}

/// Returns the sentence that says where the methods of an alias are, because rustdoc shows none on
/// its page.
fn methods_sentence(kind: &Emission<'_>, reader: &str) -> TokenStream {
    let lookups = &kind.names.lookups;
    let runtime = type_text(&kind.kind.runtime);
    let sentence = format!(
        " The methods of this kind are those of [`{lookups}`], and all others those of \
         [`{reader}`]({runtime}::{reader})."
    );
    quote!(#[doc = #sentence])
}

/// Returns the struct, and its dereference to the reader.
fn structure(kind: &Emission<'_>) -> [TokenStream; 2] {
    let vis = &kind.kind.vis;
    let lookups = &kind.names.lookups;
    let summary = format!(" Methods of a [`{}`],", kind.names.informer);
    let more = format!(
        " or of a [`{}`], on top of those of its reader `R`.",
        kind.names.lister
    );
    [
        quote! {
            #[doc = #summary]
            #[doc = #more]
            ///
            /// A look-up by an index takes O(log n) plus the number of objects found.
            #[derive(::core::clone::Clone, ::core::fmt::Debug)]
            #vis struct #lookups<R = ()>(R);
        },
        quote! {
            impl<R> ::core::ops::Deref for #lookups<R> {
                type Target = R;

                fn deref(&self) -> &R {
                    &self.0
                }
            }
        },
    ]
}

/// Returns the constants with the field paths that the API server selects by, and the resource of a
/// kind without a Rust type.
fn constants(kind: &Emission<'_>) -> Option<TokenStream> {
    let vis = &kind.kind.vis;
    let private = &kind.private;
    let runtime = &kind.kind.runtime;
    let lookups = &kind.names.lookups;
    let bounds = kind.bounds();
    let fields = kind.kind.selectable.iter().map(|field| {
        let name = &field.name;
        let path = &field.path;
        let doc = Doc::new(&format!(
            "Field path `{path}`, which field selectors of this resource support."
        ));
        quote! {
            #doc
            #vis const #name: &'static ::core::primitive::str = #path;
        }
    });
    let resource = match &kind.kind.objects {
        Objects::Typed(_) => None,
        Objects::Dynamic {
            group,
            version,
            kind,
            plural,
            scope,
        } => {
            let variant = match scope {
                Scope::Namespaced => quote!(Namespaced),
                Scope::Cluster => quote!(Cluster),
            };
            Some(quote! {
                #[inline]
                fn __resource() -> #runtime::ResourceInfo {
                    #private::dynamic_resource(#group, #version, #kind, #plural, #runtime::Scope::#variant)
                }
            })
        }
    };
    if kind.kind.selectable.is_empty() && resource.is_none() {
        return None;
    }
    Some(quote! {
        impl #lookups #bounds {
            #(#fields)*
            #resource
        }
    })
}

fn methods_of_informers(kind: &Emission<'_>) -> TokenStream {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let lister = &kind.names.lister;
    let bounds = kind.bounds();
    let make = match &kind.kind.objects {
        Objects::Typed(_) => quote!(maker.make(options)),
        Objects::Dynamic { .. } => quote!(maker.make_dynamic(#lookups::__resource(), options)),
    };
    let body = if kind.kind.indices.is_empty() {
        quote!(Self(#make))
    } else {
        quote! {
            let informer = #make;
            #private::EachIndex::add(informer.indexer(), Self::__indices);
            Self(informer)
        }
    };
    let each_index = indices::each(kind);
    let relations = relations::methods(kind);
    quote! {
        impl<S: #runtime::Storage<#objects>> #lookups<#runtime::SharedInformer<#objects, S>> #bounds {
            /// Returns the informer that `maker` shares. Creates it if it does not exist.
            #[must_use]
            #vis fn new<M: #runtime::MakeInformers<Storage = S>>(maker: &M) -> Self {
                Self::with(maker, #runtime::InformerOptions::new())
            }

            /// Returns the informer that `maker` shares for these settings, such as a selector, a
            /// namespace or a transform. Requests with the same settings share one informer.
            #[must_use]
            #vis fn with<M: #runtime::MakeInformers<Storage = S>>(
                maker: &M,
                options: #runtime::InformerOptions<#objects, S>,
            ) -> Self {
                #body
            }

            /// Returns the lister of the informer's cache.
            #[must_use]
            #vis fn lister(&self) -> #lister<S> {
                #lookups(self.0.lister())
            }

            #relations
            #each_index
        }
    }
}

/// Returns the methods of listers that have no value as their argument: the snapshot, and what a
/// Rust type would tell about the scope.
fn methods_of_listers(kind: &Emission<'_>) -> Option<TokenStream> {
    let Wrappers { vis, runtime, .. } = kind.kind;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let bounds = kind.bounds();
    let snapshot = indices::snapshot_method(kind);
    let of_scope = match &kind.kind.objects {
        Objects::Typed(_) => None,
        Objects::Dynamic {
            scope: Scope::Namespaced,
            ..
        } => Some(quote! {
            /// Returns a lister of one namespace.
            #[must_use]
            #vis fn namespace<'a>(
                &'a self,
                namespace: &'a ::core::primitive::str,
            ) -> #runtime::NamespaceLister<'a, #objects, S> {
                #private::dynamic_namespace(&self.0, namespace)
            }
        }),
        Objects::Dynamic {
            scope: Scope::Cluster,
            ..
        } => Some(quote! {
            /// Returns the object with this name.
            #[must_use]
            #vis fn get(
                &self,
                name: &::core::primitive::str,
            ) -> ::core::option::Option<::std::sync::Arc<S::Object>> {
                #private::dynamic_get(&self.0, name)
            }
        }),
    };
    if snapshot.is_none() && of_scope.is_none() {
        return None;
    }
    Some(quote! {
        impl<S: #runtime::Storage<#objects>> #lookups<#runtime::Lister<#objects, S>> #bounds {
            #snapshot
            #of_scope
        }
    })
}

/// Returns the conversions between the informer and a `SharedInformer`, and from an `Indexer` to the
/// lister.
fn conversions(kind: &Emission<'_>) -> [TokenStream; 3] {
    let runtime = &kind.kind.runtime;
    let private = &kind.private;
    let objects = &kind.objects;
    let lookups = &kind.names.lookups;
    let informer = &kind.names.informer;
    let lister = &kind.names.lister;
    let bounds = kind.bounds();
    let shared = quote!(#runtime::SharedInformer<#objects, S>);
    let error = quote!(#runtime::index::AddIndexError);
    let has_indices = !kind.kind.indices.is_empty();
    let add_to_informer = has_indices
        .then(|| quote!(#private::EachIndex::try_add(informer.indexer(), Self::__indices)?;));
    let add_to_indexer = has_indices.then(
        || quote!(#private::EachIndex::try_add(indexer, #informer::<#runtime::Typed>::__indices)?;),
    );
    let of_store = match &kind.kind.objects {
        Objects::Typed(_) => quote!(::core::convert::From::from(indexer)),
        Objects::Dynamic { .. } => {
            quote!(#private::dynamic_lister(#lookups::__resource(), indexer))
        }
    };
    [
        quote! {
            impl<S: #runtime::Storage<#objects>> ::core::convert::From<#informer<S>> for #shared #bounds {
                fn from(informer: #informer<S>) -> Self {
                    informer.0
                }
            }
        },
        quote! {
            impl<S: #runtime::Storage<#objects>> ::core::convert::TryFrom<#shared> for #informer<S> #bounds {
                type Error = #error;

                fn try_from(informer: #shared) -> ::core::result::Result<Self, #error> {
                    #add_to_informer
                    ::core::result::Result::Ok(Self(informer))
                }
            }
        },
        quote! {
            impl ::core::convert::TryFrom<&#runtime::advanced::Indexer<#objects>> for #lister #bounds {
                type Error = #error;

                #[inline]
                fn try_from(indexer: &#runtime::advanced::Indexer<#objects>) -> ::core::result::Result<Self, #error> {
                    #add_to_indexer
                    ::core::result::Result::Ok(Self(#of_store))
                }
            }
        },
    ]
}
