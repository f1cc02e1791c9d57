//! Input of the derive: the annotated item.

use informer_codegen::ctxt::Ctxt;
use informer_codegen::declaration::path::Written;
use informer_codegen::path::Spelling;
use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, Type, Visibility};

use crate::serde::{self, FieldAttrs, RenameRule};

/// Item that the macro was called on.
pub(crate) struct Input<'a> {
    /// Visibility of the item, which all generated items get.
    pub(crate) vis: &'a Visibility,
    /// Name of the item.
    pub(crate) ident: &'a Ident,
    /// `true` if the item has no generic parameters.
    pub(crate) concrete: bool,
    /// Form of the item.
    pub(crate) shape: Shape,
    /// Fields of a struct with named fields. Empty for other items.
    pub(crate) fields: Vec<Field<'a>>,
    /// serde attribute that makes serde read something other than these fields, such as `from =
    /// ".."`.
    pub(crate) reads_other: Option<String>,
}

/// Form of an item.
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

/// Field of a struct.
pub(crate) struct Field<'a> {
    /// Name in Rust.
    pub(crate) ident: &'a Ident,
    /// Name in JSON.
    pub(crate) json: String,
    /// Declared type.
    pub(crate) ty: &'a Type,
    /// `true` if `#[serde(flatten)]` moves its fields to the level of the struct.
    pub(crate) flatten: bool,
    /// `true` if serde never reads the field.
    pub(crate) skip: bool,
    /// `true` if the value may differ from the value in JSON.
    pub(crate) computed: bool,
}

// === impl Input ===

impl<'a> Input<'a> {
    /// Reads `input`, and reports items that cannot have an informer.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput) -> Self {
        let (shape, named) = match &input.data {
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
        let fields = named
            .into_iter()
            .flatten()
            .filter_map(|field| Field::read(field, rule, has_default))
            .collect();
        Self {
            vis: &input.vis,
            ident: &input.ident,
            concrete: is_concrete(ctxt, input),
            shape,
            fields,
            reads_other: serde::reads_other(&input.attrs),
        }
    }
}

// === impl Shape ===

impl Shape {
    /// Returns the form with its article, for messages.
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
    /// Reads `field`. Returns `None` if the field has no name.
    fn read(field: &'a syn::Field, rule: RenameRule, has_default: bool) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let attrs = FieldAttrs::read(&field.attrs);
        let json = match attrs.rename {
            Some(name) => name,
            None => rule.apply_to_field(&ident.unraw().to_string()),
        };
        Some(Self {
            ident,
            json,
            ty: &field.ty,
            flatten: attrs.flatten,
            skip: attrs.skip,
            computed: attrs.computed || has_default,
        })
    }

    /// Returns the name in Rust, without `r#`.
    pub(crate) fn rust(&self) -> String {
        self.ident.unraw().to_string()
    }

    /// Returns the name in the spelling `spelling`.
    pub(crate) fn name(&self, spelling: Spelling) -> String {
        match spelling {
            Spelling::Json => self.json.clone(),
            Spelling::Rust => self.rust(),
        }
    }

    /// Reports whether `path` can lead through the field. A flattened field has no name in JSON.
    pub(crate) fn is_visible(&self, path: &Written) -> bool {
        !(path.is_json() && self.flatten)
    }

    /// Reports whether the field has the name `name` in the spelling of `path`.
    pub(crate) fn is_called(&self, path: &Written, name: &str) -> bool {
        self.is_visible(path) && self.name(path.spelling) == name
    }
}

fn is_concrete(ctxt: &Ctxt, input: &DeriveInput) -> bool {
    let generics = &input.generics;
    let name = &input.ident;
    if generics.lifetimes().next().is_some() {
        ctxt.error(
            generics,
            "a cached object must own its data: remove the lifetimes (`String` for `&'a str`)",
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
                "an informer watches one concrete type: derive `Informer` on a marker struct for \
                 each type, as in `#[derive(Informer)] #[informer(of = \"{name}<Bar>\", \
                 accessor = \"foos\", scope = \"Namespaced\")] struct {name}OfBar;`"
            ),
        );
    }
    generics.params.is_empty()
}

fn has_kube(input: &DeriveInput) -> bool {
    input.attrs.iter().any(|attr| attr.path().is_ident("kube"))
}
