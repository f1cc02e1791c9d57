//! The struct that the derive stands on.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Type, Visibility};

use crate::attr::PathAttr;
use crate::attr::serde::{self, FieldAttrs, RenameRule};
use crate::ctxt::Ctxt;

/// What the macro was called on.
pub(crate) struct Input<'a> {
    /// Its visibility, which everything generated gets.
    pub(crate) vis: &'a Visibility,
    /// Its name.
    pub(crate) ident: &'a Ident,
    /// Whether the name alone is a type: no parameters.
    pub(crate) concrete: bool,
    /// What it is.
    pub(crate) shape: Shape,
    /// Its fields; none if it is no struct with named fields.
    pub(crate) fields: Vec<Field<'a>>,
    /// What makes serde read something else than these fields, as `from = ".."` does.
    pub(crate) reads_other: Option<String>,
}

/// What a type is, as far as it matters.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Shape {
    /// `struct Foo { .. }`
    Named,
    /// `struct Foo(..);`
    Tuple,
    /// `struct Foo;`
    Unit,
    /// `enum Foo { .. }`
    Enum,
    /// `union Foo { .. }`
    Union,
}

/// A field.
pub(crate) struct Field<'a> {
    /// The name in Rust.
    pub(crate) ident: &'a Ident,
    /// The name in JSON.
    pub(crate) json: String,
    /// The declared type.
    pub(crate) ty: &'a Type,
    /// Whether `#[serde(flatten)]` lifts its fields to the struct's level.
    pub(crate) flatten: bool,
    /// Whether serde never reads it.
    pub(crate) skip: bool,
    /// Whether its value need not be what stands in JSON.
    pub(crate) computed: bool,
}

// === impl Input ===

impl<'a> Input<'a> {
    /// Reads `input`; what cannot be an informer's type is reported.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput) -> Self {
        let (shape, fields) = match &input.data {
            Data::Struct(data) => match &data.fields {
                Fields::Named(fields) => (Shape::Named, Some(&fields.named)),
                Fields::Unnamed(_) => (Shape::Tuple, None),
                Fields::Unit => (Shape::Unit, None),
            },
            Data::Enum(_) => (Shape::Enum, None),
            Data::Union(_) => (Shape::Union, None),
        };
        let rule = RenameRule::read(&input.attrs);
        let has_default = serde::has_default(&input.attrs);
        let fields = fields.into_iter().flatten();
        Self {
            vis: &input.vis,
            ident: &input.ident,
            concrete: is_concrete(ctxt, input),
            shape,
            fields: fields
                .filter_map(|f| Field::read(f, rule, has_default))
                .collect(),
            reads_other: serde::reads_other(&input.attrs),
        }
    }
}

// === impl Shape ===

impl Shape {
    /// With its article.
    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::Named => "a struct with named fields",
            Self::Tuple => "a tuple struct",
            Self::Unit => "a unit struct",
            Self::Enum => "an enum",
            Self::Union => "a union",
        }
    }
}

// === impl Field ===

impl<'a> Field<'a> {
    /// Reads `field`; `None` if it has no name.
    fn read(field: &'a syn::Field, rule: RenameRule, has_default: bool) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let attrs = FieldAttrs::read(&field.attrs);
        let json = attrs
            .rename
            .unwrap_or_else(|| rule.apply_to_field(&ident.unraw().to_string()));
        Some(Self {
            ident,
            json,
            ty: &field.ty,
            flatten: attrs.flatten,
            skip: attrs.skip,
            computed: attrs.computed || has_default,
        })
    }

    /// The name in Rust, without `r#`.
    pub(crate) fn rust(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Whether `path` can go through it: what is flattened has no name in JSON.
    pub(crate) fn is_visible(&self, path: &PathAttr) -> bool {
        match path {
            PathAttr::Json(_) => !self.flatten,
            PathAttr::Rust(_) => true,
        }
    }

    /// Whether it is what `path` calls `name`.
    pub(crate) fn is_called(&self, path: &PathAttr, name: &str) -> bool {
        self.is_visible(path)
            && match path {
                PathAttr::Json(_) => self.json == name,
                PathAttr::Rust(_) => self.rust() == name,
            }
    }
}

fn is_concrete(ctxt: &Ctxt, input: &DeriveInput) -> bool {
    let generics = &input.generics;
    let name = &input.ident;
    if generics.lifetimes().next().is_some() {
        ctxt.error(
            generics,
            "a cached object outlives every borrow: remove the lifetimes and own the data \
             (`String` for `&'a str`)",
        );
    } else if !generics.params.is_empty() && has_kube(input) {
        ctxt.error(
            generics,
            "a `CustomResource` is one concrete type: remove the parameters",
        );
    } else if !generics.params.is_empty() {
        ctxt.error(
            generics,
            format!(
                "an informer watches one concrete type: derive `Informer` on a name for each, as \
                 in `#[derive(Informer)] #[informer(of = \"{name}<Bar>\", accessor = \"foos\", \
                 scope = \"Namespaced\")] struct {name}OfBar;`"
            ),
        );
    }
    generics.params.is_empty()
}

fn has_kube(input: &DeriveInput) -> bool {
    input.attrs.iter().any(|attr| attr.path().is_ident("kube"))
}
