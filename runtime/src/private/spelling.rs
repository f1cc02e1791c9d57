//! Rejects JSON paths through types whose serde field names a macro cannot see.
//!
//! This file depends on the rest of the crate only for the import of `DeepMerge`, because the tests
//! of informer-derive compile it as a part of their stub runtime.

use super::DeepMerge;

/// Allows a JSON path through the types of k8s-openapi.
///
/// One rule, which the macro knows, maps their JSON field names to Rust names. The bound
/// [`DeepMerge`] identifies these types: k8s-openapi implements it for all of its types, and it has
/// no derive. rustc looks for a method on `&T` before `&&T`, so these types use this trait. All
/// other types use [`SpeltOtherwise`], whose bound no type satisfies.
pub trait Spelt<'a> {
    /// Type with the fields.
    type Value: 'a;

    /// Returns the value itself.
    fn __spelt_as_in_kubernetes(self) -> &'a Self::Value;
}

/// Counterpart of [`Spelt`] for types whose serde field names are unknown.
pub trait SpeltOtherwise<'a> {
    /// Type with the fields.
    type Value: 'a;

    /// Returns the value itself.
    fn __spelt_as_in_kubernetes(self) -> &'a Self::Value
    where
        Self::Value: SpeltAsInKubernetes;
}

/// Bound that no type satisfies, so that rustc prints its message.
#[diagnostic::on_unimplemented(
    message = "the JSON names of the fields of `{Self}` are unknown here",
    label = "this path continues inside `{Self}`",
    note = "write the path without quotes, with the Rust names of the fields, as in `index = spec.template.node_name`",
    note = "a path in quotes uses JSON names: it can only pass through the fields of the struct with `#[derive(Informer)]`, `metadata`, and the types of k8s-openapi"
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
