//! Judges what was read, and builds the [`Model`] of what to generate.
//!
//! The model is always complete. Where something is wrong it holds the likeliest guess, which
//! only the fallback sees.

mod index;
pub(crate) mod path;
mod resolve;
mod root;
mod selectable;
mod spec;
mod value;

use proc_macro2::{Ident, Span};
use quote::{ToTokens, format_ident};
use syn::ext::IdentExt;
use syn::{LitStr, Path, Type, Visibility, parse_quote};

use crate::ast::{Input, Shape};
use crate::attr::kube::KubeAttrs;
use crate::attr::{Attrs, Scope};
use crate::ctxt::Ctxt;
use crate::naming;

#[cfg(test)]
pub(crate) use self::index::RESERVED;

/// What to generate.
pub(crate) struct Model {
    /// The visibility of all of it.
    pub(crate) vis: Visibility,
    /// The type whose objects are cached.
    pub(crate) root: Type,
    /// What the names of the wrappers start with.
    pub(crate) prefix: Ident,
    /// Whether there is such a type, as far as the macro can tell.
    pub(crate) root_known: bool,
    /// `group/version`, if known.
    pub(crate) api_version: Option<String>,
    /// The factory's method.
    pub(crate) accessor: Ident,
    /// Where objects live; `None` only in a guess.
    pub(crate) scope: Option<Scope>,
    /// Whether the scope is the user's word, to be compared with the type's.
    pub(crate) assert_scope: bool,
    /// The crate that generated code names.
    pub(crate) runtime: Path,
    /// The indices.
    pub(crate) indices: Vec<Index>,
    /// The fields that the API server can select by.
    pub(crate) selectable: Vec<Selectable>,
    /// The name that the derive stands on, if it does nothing but that.
    pub(crate) marker: Option<Ident>,
    /// Whether another derive generates the same: then an outline would be in its way.
    pub(crate) elsewhere: bool,
}

/// A constant for field selectors.
pub(crate) struct Selectable {
    /// Its name.
    pub(crate) name: Ident,
    /// The field, as a field selector spells it.
    pub(crate) path: String,
}

/// An index to generate.
pub(crate) struct Index {
    /// The method that reads it.
    pub(crate) accessor: Ident,
    /// What the indexer knows it by: its path, or its name.
    pub(crate) name: String,
    /// Where it is given.
    pub(crate) span: Span,
    /// The type of its values.
    pub(crate) value: Type,
    /// How a value is passed to the method.
    pub(crate) argument: Argument,
    /// Whether a value is taken to be one object's: the accessor gives that one.
    pub(crate) unique: bool,
    /// Where the values come from.
    pub(crate) source: Source,
}

/// How an index accessor takes a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Argument {
    /// `&str`, for values that are `String`s.
    Str,
    /// By value: integers, `bool`, `char`.
    Copy,
    /// By reference.
    Ref,
}

/// Where the values of an index come from.
pub(crate) enum Source {
    /// From a walk through the object.
    Walk(Vec<Step>),
    /// From the owner that controls the object, of any kind or of one type only.
    Owner(Option<Box<Type>>),
    /// From a function.
    With(Path),
    /// From nowhere: the index is wrong, which has been reported.
    Nowhere,
}

/// One step of a walk.
pub(crate) enum Step {
    /// From the object to its metadata.
    Metadata,
    /// To a field, then through as many wrappers (`Option`, `Vec`, ..) as it may have.
    Field {
        ident: Ident,
        wrappers: usize,
        spelling: Spelling,
    },
    /// To the value of a map's key, then the same.
    Key { key: String, wrappers: usize },
}

/// Whether a field is the one that the path names.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Spelling {
    /// It is.
    Certain,
    /// It is if the type is k8s-openapi's, whose fields are called as JSON's in its own way.
    Kubernetes,
}

// === impl Step ===

impl Step {
    /// Whether there may be wrappers at its end.
    pub(crate) fn is_wrapped(&self) -> bool {
        match self {
            Self::Metadata => false,
            Self::Field { wrappers, .. } | Self::Key { wrappers, .. } => *wrappers > 0,
        }
    }

    /// Whether it relies on k8s-openapi's spelling.
    pub(crate) fn is_kubernetes(&self) -> bool {
        match self {
            Self::Field { spelling, .. } => *spelling == Spelling::Kubernetes,
            Self::Metadata | Self::Key { .. } => false,
        }
    }
}

/// The methods of every factory, which an accessor would not be reached beside.
pub(crate) const FACTORY_METHODS: [&str; 18] = [
    "builder",
    "client",
    "clone",
    "discover",
    "dynamic",
    "dynamic_with",
    "informer",
    "informer_with",
    "metadata",
    "metadata_with",
    "metrics",
    "run_errors",
    "shutdown",
    "start",
    "stored_as",
    "stored_as_with",
    "wait_for_cache_sync",
    "wait_for_cache_sync_until",
];

/// Checks everything; `inherited` is what a sibling `#[resource(inherit = ...)]` names.
pub(crate) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    kube: Option<&KubeAttrs>,
    inherited: Option<&str>,
) -> Model {
    let mut model = match kube {
        Some(kube) => spec::model(ctxt, input, attrs, kube),
        None => root::model(ctxt, input, attrs, inherited),
    };
    model.root_known &= input.concrete;
    if input.shape == Shape::Union {
        ctxt.error(
            input.ident,
            format!(
                "`Informer` cannot be derived for a union, which nothing deserializes: make `{}` a \
                 struct",
                input.ident
            ),
        );
    }
    if let Some(prefix) = &attrs.prefix.value {
        model.prefix = wrapper_prefix(ctxt, prefix).unwrap_or(model.prefix);
    }
    if let Some(accessor) = &attrs.accessor.value {
        model.accessor = rust_name(ctxt, accessor).unwrap_or(model.accessor);
    }
    if FACTORY_METHODS
        .iter()
        .any(|method| model.accessor == method)
    {
        let name = &model.accessor;
        ctxt.error(
            name,
            format!(
                "every factory has a method `{name}`, which would be called instead: write \
                 `#[informer(accessor = \"all_{name}\")]`"
            ),
        );
        model.accessor = format_ident!("all_{name}");
    }
    model.indices = index::check(ctxt, input, attrs, kube, &model.runtime);
    model
}

/// `FooSpec` is the spec of `Foo`, if anything.
fn guess_root(ident: &Ident) -> Ident {
    let name = ident.unraw().to_string();
    match name.strip_suffix("Spec") {
        Some(kind) if !kind.is_empty() => Ident::new(kind, ident.span()),
        _ => format_ident!("{name}"),
    }
}

fn runtime(attrs: &Attrs) -> Path {
    attrs
        .runtime
        .value
        .clone()
        .unwrap_or_else(|| parse_quote!(::informer))
}

/// What generated documentation calls a type.
pub(crate) fn type_text(ty: &impl ToTokens) -> String {
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

/// The identifier in `name`, which names of types start with.
fn wrapper_prefix(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    if naming::is_identifier(&text) {
        return Some(naming::ident(&text, name.span()));
    }
    ctxt.error(
        name,
        format!("`{text}Informer` cannot name a Rust struct: write a name such as `Foo`"),
    );
    None
}

/// The identifier in `name`, which names a method.
fn rust_name(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    let plain = text.strip_prefix("r#").unwrap_or(&text);
    if naming::is_identifier(plain) {
        return Some(naming::ident(plain, name.span()));
    }
    let hint = heck::ToSnakeCase::to_snake_case(plain);
    let message = if naming::is_identifier(&hint) {
        format!("`{text}` is not a Rust identifier: write `{hint}`")
    } else {
        format!("`{text}` is not a Rust identifier: write one such as `foos`")
    };
    ctxt.error(name, message);
    None
}
