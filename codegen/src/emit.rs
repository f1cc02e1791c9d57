//! Writes the wrappers of a kind as tokens: a declaration, of which `__private::wrappers!` in the
//! runtime makes the items.

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::{ToTokens, format_ident, quote, quote_spanned};
use syn::{Path, Type};

use crate::ir::{Accessor, Argument, Index, Objects, Scope, Source, Step, Wrappers};

/// The names of what is emitted.
#[derive(Debug)]
pub struct Names {
    /// The informer.
    pub informer: Ident,
    /// The lister.
    pub lister: Ident,
    /// The snapshot of the lister; only there if there are indices.
    pub snapshot: Ident,
    /// What holds the indices; only there if there are any.
    pub indices: Ident,
}

// === impl Names ===

impl Names {
    /// The names for a prefix, which [`names::stem`](crate::names::stem) may have made.
    #[must_use]
    pub fn of(prefix: &str) -> Self {
        Self {
            informer: format_ident!("{prefix}Informer"),
            lister: format_ident!("{prefix}Lister"),
            snapshot: format_ident!("{prefix}ListerSnapshot"),
            indices: format_ident!("{prefix}Indices"),
        }
    }
}

/// Returns the item that declares the wrappers.
#[must_use]
pub fn wrappers(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    let declaration = declaration(kind);
    quote!(#runtime::__private::wrappers! { #declaration })
}

/// Returns what stands inside of it.
#[must_use]
pub fn declaration(kind: &Wrappers) -> TokenStream {
    let Wrappers { vis, docs, .. } = kind;
    let Names {
        informer,
        lister,
        snapshot,
        indices: holder,
    } = Names::of(&kind.prefix);
    let objects = objects(&kind.objects);
    let bounds = bounds(kind);
    let constants = kind.selectable.iter().map(|field| {
        let (name, path) = (&field.name, &field.path);
        let doc =
            format!(" `{path}`, a field that the API server selects by: for field selectors.");
        quote!(#[doc = #doc] const #name = #path;)
    });
    let accessor = kind.accessor.iter().map(|accessor| {
        let Accessor { factory, name } = accessor;
        quote!(fn #factory::#name();)
    });
    let entries = kind.indices.iter().map(|entry| index(kind, entry));
    let indices = (!kind.indices.is_empty()).then(|| {
        quote! {
            #snapshot, #holder {
                #(#entries)*
            }
        }
    });
    quote! {
        #(#[doc = #docs])*
        #vis #informer, #lister: #objects #bounds;
        #(#constants)*
        #(#accessor)*
        #indices
    }
}

/// Returns what rustc is to check of types that nothing is known of, at the place where each is given.
#[must_use]
pub fn assertions(kind: &Wrappers) -> TokenStream {
    let runtime = &kind.runtime;
    let values = unchecked_values(kind).map(|index| {
        let value = &index.value;
        // A name of its own, so that the error is at the index, not at the field.
        quote_spanned! {index.span=>
            const _: () = {
                type Values = #value;
                #runtime::__private::assert_index_value::<Values>()
            };
        }
    });
    quote!(#(#values)*)
}

/// What the declaration relies on.
fn bounds(kind: &Wrappers) -> Option<TokenStream> {
    let Objects::Typed(root) = &kind.objects else {
        return None;
    };
    let runtime = &kind.runtime;
    let values = unchecked_values(kind).map(|index| {
        let value = &index.value;
        quote!(, for<'__a> #value: #runtime::__private::AnyIndexValue)
    });
    kind.is_checked
        .then(|| quote!(where [for<'__a> #root: #runtime::__private::TypedObject #(#values)*]))
}

/// The indices whose values may be of a type that no index can hold.
fn unchecked_values(kind: &Wrappers) -> impl Iterator<Item = &Index> {
    kind.indices.iter().filter(|index| {
        let is_known = matches!(index.source, Source::Owner(_));
        kind.is_checked && !is_known && Argument::of(&index.value) == Argument::Ref
    })
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

/// The entry of an index.
///
/// What rustc may find wrong stands at the span of the index: its values, and their type.
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
        Source::With(_) => quote!(with),
        _ if index.is_read_from_bytes() => quote!(json),
        Source::Walk { .. } | Source::Members(_) | Source::Owner(_) | Source::Nowhere => {
            quote!(object)
        }
    };
    let span = Span::mixed_site().located_at(index.span);
    let values = match &index.source {
        Source::Walk { steps, .. } => path(runtime, steps, span),
        Source::Members(names) => {
            quote_spanned!(span=> |object| #runtime::__private::json_values(object, &[#(#names),*]))
        }
        Source::Owner(None) => quote!(#runtime::__private::controller_uid),
        Source::Owner(Some(owner)) => {
            quote_spanned!(span=> #runtime::__private::controller_of::<#owner, _>)
        }
        Source::With(function) => {
            // The argument is the caller's, whatever macro the path comes from.
            let object = Ident::new("object", Span::call_site());
            let runtime = located(runtime, index.span);
            quote_spanned! {index.span=>
                |#object| #runtime::__private::values_of::<#value, _>(#function(#object))
            }
        }
        Source::Nowhere => quote!(|_| ::std::vec::Vec::new()),
    };
    quote! {
        #(#[doc = #docs])*
        #find #accessor(#argument): #value = #definition(#name, #values);
    }
}

/// Returns the tokens of `path` with `span` as their place.
fn located(path: &Path, span: Span) -> TokenStream {
    let tokens = path.to_token_stream().into_iter();
    let located = tokens.map(|mut token| {
        token.set_span(token.span().located_at(span));
        token
    });
    located.collect()
}

/// `path!(..)`.
fn path(runtime: &Path, steps: &[Step], span: Span) -> TokenStream {
    let star = |wrapped: bool| wrapped.then(|| quote_spanned!(span=> *));
    let steps = steps.iter().map(|step| match step {
        Step::Metadata => quote_spanned!(span=> metadata),
        Step::Field {
            ident,
            wrapped,
            kubernetes,
        } => {
            let star = star(*wrapped);
            if *kubernetes {
                quote_spanned!(span=> /#ident #star)
            } else {
                quote_spanned!(span=> .#ident #star)
            }
        }
        Step::Key { key, wrapped } => {
            let star = star(*wrapped);
            let mut key = Literal::string(key);
            key.set_span(span);
            quote_spanned!(span=> [#key] #star)
        }
    });
    quote_spanned!(span=> #runtime::__private::path!(#(#steps)*))
}

fn documentation(index: &Index) -> Vec<String> {
    let objects = if index.unique { "object" } else { "objects" };
    let name = &index.name;
    let what = match &index.source {
        Source::With(_) => {
            format!(" The cached {objects} that the index `{name}` has under `value`.")
        }
        Source::Owner(None) => {
            " The cached objects that the object with the UID `value` controls.".to_owned()
        }
        Source::Owner(Some(owner)) => format!(
            " The cached objects that the `{}` with the key `value` controls.",
            type_text(owner)
        ),
        Source::Walk { .. } | Source::Members(_) | Source::Nowhere => {
            // A path of Rust starts at the object.
            let path = name.strip_prefix("self.").unwrap_or(name);
            format!(" The cached {objects} with `value` at `{path}`.")
        }
    };
    let mut docs = vec![what];
    if index.unique {
        docs.push(String::new());
        docs.push(" If several have it, the first by key.".to_owned());
    }
    docs.push(String::new());
    docs.push(if index.is_read_from_bytes() {
        " O(log n) and the objects found. A storage of bytes reads the values from them.".to_owned()
    } else {
        " O(log n) and the objects found. A storage of bytes decodes each version once, as it comes, \
         for all such indices."
            .to_owned()
    });
    docs
}

/// Returns what documentation and messages call a type.
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

/// Returns the type of texts, as emitted code names it; rustc's errors about it go to `span`.
#[must_use]
pub fn string(span: Span) -> Type {
    syn::parse_quote_spanned!(span=> ::std::string::String)
}
