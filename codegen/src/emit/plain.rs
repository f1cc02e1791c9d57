//! Emits a kind without declarations as type aliases, and the accessor of any kind.

use proc_macro2::TokenStream;
use quote::quote;

use super::common::{WrapperNames, bounds_of};
use super::emission::object_type;
use crate::ir::{Accessor, Objects, Wrappers};

/// Returns the aliases of a kind: its informer and its lister. `None` if the kind has methods of its
/// own: indices, relations, constants, or the scope of a kind without a Rust type.
pub(super) fn aliases(kind: &Wrappers) -> Option<[TokenStream; 2]> {
    let Objects::Typed(objects) = &kind.objects else {
        return None;
    };
    let has_own = !(kind.indices.is_empty() && kind.selectable.is_empty());
    if has_own || !kind.relations.is_empty() {
        return None;
    }
    let Wrappers {
        vis, runtime, docs, ..
    } = kind;
    let WrapperNames {
        informer, lister, ..
    } = WrapperNames::of(&kind.prefix);
    let reader = format!(" Reader of the cache of a [`{informer}`].");
    Some([
        quote! {
            #docs
            #vis type #informer<S = #runtime::Typed> = #runtime::SharedInformer<#objects, S>;
        },
        quote! {
            #[doc = #reader]
            #vis type #lister<S = #runtime::Typed> = #runtime::Lister<#objects, S>;
        },
    ])
}

/// Returns the trait whose method is the accessor of factories.
pub(super) fn accessor(kind: &Wrappers) -> Option<TokenStream> {
    let Accessor { factory, name } = kind.accessor.as_ref()?;
    let Wrappers { vis, runtime, .. } = kind;
    let WrapperNames { informer, .. } = WrapperNames::of(&kind.prefix);
    let objects = object_type(kind);
    let bounds = bounds_of(kind).map(|bounds| quote!(where #bounds));
    let makes = quote!(#runtime::MakeInformers<Storage: #runtime::Storage<#objects>>);
    let of_factories = format!(
        " Accessor of the [`{informer}`] on types that create informers, such as a factory."
    );
    let returns = format!(" Returns the shared [`{informer}`].");
    Some(quote! {
        #[doc = #of_factories]
        #vis trait #factory: #makes + ::core::marker::Sized #bounds {
            #[doc = #returns]
            #[must_use]
            fn #name(&self) -> #informer<Self::Storage> {
                #informer::new(self)
            }
        }

        impl<M: #makes> #factory for M #bounds {}
    })
}
