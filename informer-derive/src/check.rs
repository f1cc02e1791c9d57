//! Judges what was read, and builds the [`Model`] of what to generate.
//!
//! The model is always complete. Where something is wrong it holds the likeliest guess, which
//! only the fallback sees.

mod index;
pub(crate) mod path;
mod resolve;
mod value;

use proc_macro2::{Ident, Span};
use quote::format_ident;
use syn::ext::IdentExt;
use syn::{LitStr, Path, Type, Visibility, parse_quote};

use crate::ast::Input;
use crate::attr::kube::KubeAttrs;
use crate::attr::{Attrs, Scope};
use crate::ctxt::Ctxt;
use crate::naming;

/// What to generate.
pub(crate) struct Model {
    /// The visibility of all of it.
    pub(crate) vis: Visibility,
    /// The type whose objects are cached.
    pub(crate) root: Ident,
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
    /// Whether another derive generates the same: then an outline would be in its way.
    pub(crate) elsewhere: bool,
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
    Field { ident: Ident, wrappers: usize },
    /// To the value of a map's key, then the same.
    Key { key: String, wrappers: usize },
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
}

/// Checks everything.
pub(crate) fn check(
    ctxt: &Ctxt,
    input: &Input<'_>,
    attrs: &Attrs,
    kube: Option<&KubeAttrs>,
) -> Model {
    let mut model = match kube {
        Some(kube) => of_spec(ctxt, input, attrs, kube),
        None => of_root(ctxt, input, attrs),
    };
    model.root_known &= input.concrete;
    if let Some(accessor) = &attrs.accessor.value {
        model.accessor = rust_name(ctxt, accessor).unwrap_or(model.accessor);
    }
    model.indices = index::check(ctxt, input, attrs, kube);
    model
}

/// The model for the spec struct of a `CustomResource`.
fn of_spec(ctxt: &Ctxt, input: &Input<'_>, attrs: &Attrs, kube: &KubeAttrs) -> Model {
    if let Some((_, span)) = attrs.scope.value {
        ctxt.error_at(span, "the scope is that of `#[kube(...)]`: remove `scope`");
    }
    if let Some(span) = kube.unserved {
        ctxt.error_at(
            span,
            "a version that is not served cannot be watched: remove `served = false`, or do not \
             derive `Informer` on this version",
        );
    }
    if let Some(span) = kube.derives_informer {
        ctxt.error_at(
            span,
            "`Informer` is derived on the spec already, for the same root type: remove this, or \
             the derive on the spec",
        );
    }
    let kind = kube.kind.as_ref();
    if kind.is_none() {
        ctxt.error_at(
            kube.span,
            "`#[kube(...)]` names no kind: write `kind = \"Foo\"`",
        );
    }
    let root = kube
        .root
        .as_ref()
        .or(kind)
        .and_then(|name| type_name(ctxt, name));
    let kind_name = kind.map_or_else(|| guess_root(input.ident).to_string(), LitStr::value);

    Model {
        vis: input.vis.clone(),
        root_known: root.is_some(),
        root: root.unwrap_or_else(|| guess_root(input.ident)),
        api_version: api_version(kube),
        accessor: default_accessor(ctxt, attrs, kube, &kind_name),
        scope: Some(if kube.namespaced {
            Scope::Namespaced
        } else {
            Scope::Cluster
        }),
        assert_scope: false,
        runtime: runtime(attrs),
        indices: Vec::new(),
        elsewhere: kube.derives_informer.is_some(),
    }
}

/// The model for a type that is a resource itself.
fn of_root(ctxt: &Ctxt, input: &Input<'_>, attrs: &Attrs) -> Model {
    let name = input.ident.unraw().to_string();
    // Nothing says that this is a root type: more likely, the attribute of the spec is missing.
    let is_root = attrs.accessor.given() || attrs.scope.given();
    if is_root {
        report_missing(ctxt, input, attrs);
    } else if input.fields.is_some() {
        ctxt.error(
            input.ident,
            format!(
                "nothing says which resource `{name}` is: add `#[kube(group = \"..\", version = \
                 \"..\", kind = \"..\")]` if it is the spec of a `CustomResource`, or \
                 `#[informer(accessor = \"foos\", scope = \"Namespaced\")]` if it implements \
                 `kube::Resource` itself"
            ),
        );
    }
    let root = if is_root {
        input.ident.clone()
    } else {
        guess_root(input.ident)
    };
    let plural = naming::to_plural(&root.unraw().to_string().to_ascii_lowercase());
    let accessor = naming::accessor(&root.unraw().to_string(), &plural);

    Model {
        vis: input.vis.clone(),
        root_known: is_root,
        accessor: naming::ident(&accessor, Span::call_site()),
        root,
        api_version: None,
        scope: attrs.scope.value.map(|(scope, _)| scope),
        assert_scope: true,
        runtime: runtime(attrs),
        indices: Vec::new(),
        elsewhere: false,
    }
}

fn report_missing(ctxt: &Ctxt, input: &Input<'_>, attrs: &Attrs) {
    if !attrs.accessor.given() {
        ctxt.error(
            input.ident,
            "the factory's method has no name (plurals are not guessed): write \
             `#[informer(accessor = \"foos\")]`",
        );
    }
    if !attrs.scope.given() {
        ctxt.error(
            input.ident,
            "without `#[kube(...)]` the scope cannot be told: write `#[informer(scope = \
             \"Namespaced\")]` or `#[informer(scope = \"Cluster\")]`",
        );
    }
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

fn api_version(kube: &KubeAttrs) -> Option<String> {
    let (group, version) = (kube.group.as_ref()?, kube.version.as_ref()?);
    Some(format!("{}/{}", group.value(), version.value()))
}

/// The accessor that the kind and the plural give.
fn default_accessor(ctxt: &Ctxt, attrs: &Attrs, kube: &KubeAttrs, kind: &str) -> Ident {
    let plural = match &kube.plural {
        Some(plural) => plural.value(),
        None => naming::to_plural(
            &kube
                .singular
                .as_ref()
                .map_or_else(|| kind.to_ascii_lowercase(), LitStr::value),
        ),
    };
    let given = [&kube.plural, &kube.singular, &kube.kind]
        .into_iter()
        .flatten()
        .next();
    let span = given.map_or_else(Span::call_site, LitStr::span);
    let is_plural = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if plural.is_empty() || !plural.chars().all(is_plural) {
        ctxt.error_at(
            span,
            format!(
                "`{plural}` is not the plural name of a Kubernetes resource (lower-case letters, \
                 digits and `-`): write `#[kube(plural = \"..\")]` as the API server spells it"
            ),
        );
        let guess = attrs
            .accessor
            .value
            .as_ref()
            .map_or_else(|| "objects".to_owned(), LitStr::value);
        let guess = if naming::is_identifier(&guess) {
            guess
        } else {
            "objects".to_owned()
        };
        return naming::ident(&guess, span);
    }
    naming::ident(&naming::accessor(kind, &plural), span)
}

/// The identifier in `name`, which names a type.
fn type_name(ctxt: &Ctxt, name: &LitStr) -> Option<Ident> {
    let text = name.value();
    let root = name
        .parse_with(Ident::parse_any)
        .ok()
        .filter(|_| naming::is_identifier(&text));
    match root {
        Some(root) if text != "Self" => Some(root),
        _ => {
            ctxt.error(
                name,
                format!(
                    "`{text}` cannot name a Rust struct: write `#[kube(root = \"..\")]` with a \
                     name that can"
                ),
            );
            None
        }
    }
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
