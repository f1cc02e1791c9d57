//! Names, types and bounds that the emitted items of one kind share.

use proc_macro2::TokenStream;
use quote::{ToTokens, quote};
use syn::Type;

use super::common::{WrapperNames, bounds_of, targets};
use crate::ir::{Objects, Relation, Wrappers};

/// A kind with declarations, and what its items have in common.
pub(super) struct Emission<'k> {
    pub(super) kind: &'k Wrappers,
    pub(super) names: WrapperNames,
    /// Type of the objects.
    pub(super) objects: TokenStream,
    /// Path of the items that only generated code uses.
    pub(super) private: TokenStream,
    /// Relations, in the order of their verbs.
    pub(super) relations: Vec<&'k Relation>,
}

// === impl Emission ===

impl<'k> Emission<'k> {
    pub(super) fn of(kind: &'k Wrappers) -> Self {
        let runtime = &kind.runtime;
        let mut relations: Vec<&Relation> = kind.relations.iter().collect();
        relations.sort_by_key(|relation| relation.verb());
        Self {
            kind,
            names: WrapperNames::of(&kind.prefix),
            objects: object_type(kind),
            private: quote!(#runtime::__private),
            relations,
        }
    }

    /// Returns the `where` clause of an item that names the objects of the kind.
    pub(super) fn bounds(&self) -> Option<TokenStream> {
        let bounds = bounds_of(self.kind)?;
        Some(quote!(where #bounds))
    }

    /// Returns the `where` clause of an item that also names the related objects.
    pub(super) fn related_bounds(&self) -> Option<TokenStream> {
        let private = &self.private;
        let bounds = bounds_of(self.kind)?;
        let targets = self.targets();
        Some(quote!(where #bounds #(, for<'__a> #targets: #private::TypedObject)*))
    }

    /// Returns the types of the related objects, each once.
    pub(super) fn targets(&self) -> Vec<&'k Type> {
        targets(self.kind)
    }
}

/// Returns the type of the objects of a kind.
pub(super) fn object_type(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    match &kind.objects {
        Objects::Typed(ty) => ty.to_token_stream(),
        Objects::Dynamic { .. } => quote!(#runtime::__private::DynamicObject),
    }
}
