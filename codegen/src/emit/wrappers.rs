//! Emits the wrappers of a kind as tokens: a declaration, which `__private::wrappers!` expands.

use proc_macro2::{Ident, Span, TokenStream};
use quote::{ToTokens, quote, quote_spanned};

use super::common::{WrapperNames, bounds, located, path, type_text};
use super::plain::{accessor, aliases};
use super::relations::{self, targets};
use crate::doc::Doc;
use crate::ir::{Argument, Index, IndexSource, Objects, Scope, Wrappers};

/// Returns the informer and the lister of a kind, and the accessor of factories.
#[must_use]
pub fn wrappers(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    if let Some(aliases) = aliases(kind) {
        let accessor = accessor(kind);
        return quote!(#(#aliases)* #accessor);
    }
    let declaration = declaration(kind);
    quote!(#runtime::__private::wrappers! { #declaration })
}

/// Returns the declaration, without the macro call around it.
#[must_use]
pub fn declaration(kind: &Wrappers) -> TokenStream {
    let Wrappers {
        vis, docs, runtime, ..
    } = kind;
    let WrapperNames {
        lookups,
        informer,
        lister,
        snapshot,
        ..
    } = WrapperNames::of(&kind.prefix);
    let objects = objects(&kind.objects);
    let bounds = bounds(kind).map(|bounds| {
        let targets = targets(kind);
        let targets = (!targets.is_empty())
            .then(|| quote!([#(, for<'__a> #targets: #runtime::__private::TypedObject)*]));
        quote!(where [#bounds] #targets)
    });
    let relations = relations::declaration(kind);
    // An unknown macro is then the only error, if the crate does not exist.
    let accessor = accessor(kind).map(|items| quote!(accessor { #items }));
    let constants = kind.selectable.iter().map(|field| {
        let name = &field.name;
        let path = &field.path;
        let doc = Doc::new(&format!(
            "Field path `{path}`, which field selectors of this resource support."
        ));
        quote!(#doc const #name = #path;)
    });
    let entries = kind.indices.iter().map(|entry| index(kind, entry));
    let indices = (!kind.indices.is_empty()).then(|| {
        quote! {
            indices #snapshot {
                #(#entries)*
            }
        }
    });
    quote! {
        #docs
        #vis #lookups, #informer, #lister: #objects #bounds;
        #(#constants)*
        #indices
        #relations
        #accessor
    }
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
        IndexSource::With(_) => quote!(with),
        _ if index.is_read_from_bytes() => quote!(json),
        IndexSource::Walk { .. }
        | IndexSource::Members(_)
        | IndexSource::Owner(_)
        | IndexSource::Nowhere => {
            quote!(object)
        }
    };
    let span = Span::mixed_site().located_at(index.span);
    let values = match &index.source {
        IndexSource::Walk { steps, .. } => path(runtime, steps, span),
        IndexSource::Members(names) => {
            quote_spanned!(span=> |object| #runtime::__private::json_values(object, &[#(#names),*]))
        }
        IndexSource::Owner(None) => quote!(#runtime::__private::controller_uid),
        IndexSource::Owner(Some(owner)) => {
            quote_spanned!(span=> #runtime::__private::controller_of::<#owner, _>)
        }
        IndexSource::With(function) => {
            // The argument has the caller's hygiene, even if the path comes from another macro.
            let object = Ident::new("object", Span::call_site());
            let runtime = located(runtime, index.span);
            quote_spanned! {index.span=>
                |#object| #runtime::__private::values_of::<#value, _>(#function(#object))
            }
        }
        IndexSource::Nowhere => quote!(|_| ::std::vec::Vec::new()),
    };
    quote! {
        #docs
        #find #accessor(#argument): #value = #definition(#name, #values);
    }
}

fn documentation(index: &Index) -> Doc {
    let objects = if index.unique { "object" } else { "objects" };
    let name = &index.name;
    let summary = match &index.source {
        IndexSource::With(_) => {
            format!("Returns the cached {objects} that the index `{name}` maps to `value`.")
        }
        IndexSource::Owner(None) => {
            "Returns the cached objects that the object with the UID `value` controls.".to_owned()
        }
        IndexSource::Owner(Some(owner)) => format!(
            "Returns the cached objects that the `{}` with the key `value` controls.",
            type_text(owner)
        ),
        IndexSource::Walk { .. } | IndexSource::Members(_) | IndexSource::Nowhere => {
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
    Doc::new(&summary).paragraph(Doc::new(unique))
}
