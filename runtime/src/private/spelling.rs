//! Refusing to guess how serde spells the fields of a type that a macro cannot see.
//!
//! Nothing here depends on the rest of the crate but the import of `DeepMerge`: the tests of
//! informer-derive compile this file as part of their stub runtime.

use super::DeepMerge;

/// Lets a path of JSON through the types of k8s-openapi.
///
/// Their fields are called in Rust what they are called in JSON, by one rule that the macro knows.
/// They are told by [`DeepMerge`], which k8s-openapi implements for all of its types and has no
/// derive for. rustc looks for a method on `&T` before it looks on `&&T`: so they are found here,
/// and all other types by [`SpeltOtherwise`], where nothing satisfies the bound.
pub trait Spelt<'a> {
    /// The type with the fields.
    type Value: 'a;

    /// The value itself.
    fn __spelt_as_in_kubernetes(self) -> &'a Self::Value;
}

/// [`Spelt`] for types whose fields serde may call anything.
pub trait SpeltOtherwise<'a> {
    /// The type with the fields.
    type Value: 'a;

    /// The value itself.
    fn __spelt_as_in_kubernetes(self) -> &'a Self::Value
    where
        Self::Value: SpeltAsInKubernetes;
}

/// What no type implements, so that rustc says why.
#[diagnostic::on_unimplemented(
    message = "how serde spells the fields of `{Self}` in JSON cannot be seen from here",
    label = "this path goes on inside of `{Self}`",
    note = "write the path without quotes, by the names of the fields in Rust, as in `index = spec.template.node_name`",
    note = "in quotes, paths are JSON's: they go through the fields of the struct with `#[derive(Informer)]`, `metadata`, and the types of k8s-openapi"
)]
pub trait SpeltAsInKubernetes {}

impl<'a, T: DeepMerge> Spelt<'a> for &'a T {
    type Value = T;

    fn __spelt_as_in_kubernetes(self) -> &'a T {
        self
    }
}

impl<'a, T> SpeltOtherwise<'a> for &&'a T {
    type Value = T;

    fn __spelt_as_in_kubernetes(self) -> &'a T
    where
        T: SpeltAsInKubernetes,
    {
        self
    }
}
