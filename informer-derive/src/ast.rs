//! The struct that the derive stands on.

use proc_macro2::Ident;
use syn::ext::IdentExt;
use syn::{Data, DeriveInput, Fields, FieldsNamed, Type, Visibility};

use crate::attr::serde::{FieldAttrs, RenameRule};
use crate::ctxt::Ctxt;

/// What the macro was called on.
pub(crate) struct Input<'a> {
    /// Its visibility, which everything generated gets.
    pub(crate) vis: &'a Visibility,
    /// Its name.
    pub(crate) ident: &'a Ident,
    /// Whether the name alone is a type: no parameters.
    pub(crate) concrete: bool,
    /// Its fields; `None` if it is no struct with named fields, which has been reported.
    pub(crate) fields: Option<Vec<Field<'a>>>,
}

/// A field that takes part in deserializing.
pub(crate) struct Field<'a> {
    /// The name in Rust.
    pub(crate) ident: &'a Ident,
    /// The name in JSON.
    pub(crate) json: String,
    /// The declared type.
    pub(crate) ty: &'a Type,
    /// Whether `#[serde(flatten)]` lifts its fields to the struct's level.
    pub(crate) flatten: bool,
}

// === impl Input ===

impl<'a> Input<'a> {
    /// Reads `input`; what cannot be an informer's type is reported.
    pub(crate) fn read(ctxt: &Ctxt, input: &'a DeriveInput) -> Self {
        Self {
            vis: &input.vis,
            ident: &input.ident,
            concrete: is_concrete(ctxt, input),
            fields: named_fields(ctxt, input).map(|fields| {
                let rule = RenameRule::read(&input.attrs);
                fields
                    .named
                    .iter()
                    .filter_map(|f| Field::read(f, rule))
                    .collect()
            }),
        }
    }
}

impl<'a> Field<'a> {
    /// Reads `field`; `None` if serde skips it.
    fn read(field: &'a syn::Field, rule: RenameRule) -> Option<Self> {
        let ident = field.ident.as_ref()?;
        let attrs = FieldAttrs::read(&field.attrs);
        if attrs.skip {
            return None;
        }
        let json = attrs
            .rename
            .unwrap_or_else(|| rule.apply(&ident.unraw().to_string()));
        Some(Self {
            ident,
            json,
            ty: &field.ty,
            flatten: attrs.flatten,
        })
    }
}

fn is_concrete(ctxt: &Ctxt, input: &DeriveInput) -> bool {
    let generics = &input.generics;
    if generics.lifetimes().next().is_some() {
        ctxt.error(
            generics,
            "a cached object outlives every borrow: remove the lifetimes and own the data \
             (`String` for `&'a str`)",
        );
    }
    if generics.type_params().next().is_some() || generics.const_params().next().is_some() {
        ctxt.error(
            generics,
            format!(
                "an informer watches one concrete type: remove the parameters, or derive `Informer` \
                 on a struct of its own for each type that `{}` stands for",
                input.ident
            ),
        );
    }
    generics.params.is_empty()
}

fn named_fields<'a>(ctxt: &Ctxt, input: &'a DeriveInput) -> Option<&'a FieldsNamed> {
    let what = match &input.data {
        Data::Struct(data) => match &data.fields {
            Fields::Named(fields) => return Some(fields),
            Fields::Unnamed(_) => "a tuple struct",
            Fields::Unit => "a unit struct",
        },
        Data::Enum(_) => "an enum",
        Data::Union(_) => "a union",
    };
    ctxt.error(
        &input.ident,
        format!(
            "`Informer` is derived on a struct with named fields, and `{}` is {what}: put it on the \
             root type of the resource, for instance with `#[kube(derive = \"Informer\")]`",
            input.ident
        ),
    );
    None
}
