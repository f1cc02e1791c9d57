//! Access to the values at a path, through types that a macro cannot see.
//!
//! This file does not depend on the rest of the crate, because the tests of informer-derive compile
//! it as a part of their stub runtime.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::iter::{Once, once};
use std::sync::Arc;

/// Removes one wrapper from a value: [`__peel`](Peel::__peel) iterates over the values inside.
///
/// Generated code writes `for inner in (&value).__peel() { .. }` without knowing the value's type,
/// with this trait and [`PeelNothing`] in scope. rustc looks for a method on `&T` before `&&T`. A
/// wrapper is therefore removed, and any other value is returned unchanged, once.
pub trait Peel<'a> {
    /// Type of the values inside.
    type Value: ?Sized + 'a;

    /// Returns the values inside: none, one or many.
    fn __peel(self) -> impl Iterator<Item = &'a Self::Value>;
}

/// Counterpart of [`Peel`] for values that are not wrappers.
pub trait PeelNothing<'a> {
    /// Type of the value.
    type Value: ?Sized + 'a;

    /// Returns the value itself.
    fn __peel(self) -> Once<&'a Self::Value>;
}

impl<'a, T: ?Sized> PeelNothing<'a> for &&'a T {
    type Value = T;

    fn __peel(self) -> Once<&'a T> {
        once(*self)
    }
}

impl<'a, T> Peel<'a> for &'a Option<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        self.iter()
    }
}

impl<'a, T> Peel<'a> for &'a Vec<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        self.iter()
    }
}

impl<'a, T> Peel<'a> for &'a VecDeque<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        self.iter()
    }
}

impl<'a, T> Peel<'a> for &'a BTreeSet<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        self.iter()
    }
}

impl<'a, T, S> Peel<'a> for &'a HashSet<T, S> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        self.iter()
    }
}

impl<'a, T: ?Sized> Peel<'a> for &'a Box<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        once(self.as_ref())
    }
}

impl<'a, T: ?Sized> Peel<'a> for &'a Arc<T> {
    type Value = T;

    fn __peel(self) -> impl Iterator<Item = &'a T> {
        once(self.as_ref())
    }
}

/// Map with string keys.
#[diagnostic::on_unimplemented(
    message = "the path of an index has a key in brackets, but `{Self}` is not a map with `String` keys",
    label = "the key is looked up here"
)]
pub trait Map {
    /// Type of the values.
    type Value;

    /// Returns the value of `key`.
    fn value(&self, key: &str) -> Option<&Self::Value>;
}

impl<V> Map for BTreeMap<String, V> {
    type Value = V;

    fn value(&self, key: &str) -> Option<&V> {
        self.get(key)
    }
}

impl<V, S: BuildHasher> Map for HashMap<String, V, S> {
    type Value = V;

    fn value(&self, key: &str) -> Option<&V> {
        self.get(key)
    }
}

/// Returns the value of `key` in `map`.
#[must_use]
pub fn map_value<'a, M: Map>(map: &'a M, key: &str) -> Option<&'a M::Value> {
    map.value(key)
}

/// Type of index values that can be made from the value at the end of a path.
#[diagnostic::on_unimplemented(
    message = "this path ends at a value of type `{L}` instead of `{Self}`",
    label = "the value has type `{L}`",
    note = "if the value is an object, continue the path to a field; if it is a map, to a key in brackets, `[\"key\"]`",
    note = "an index has values of another type with `value`, or computes them with a function in `with`",
    note = "a path of `references` ends at the name of an object, one of `selects` at a label selector"
)]
pub trait IndexValue<L: ?Sized>: Sized {
    /// Returns the index value for `leaf`.
    fn of(leaf: &L) -> Self;
}

impl<T: Clone> IndexValue<T> for T {
    fn of(leaf: &T) -> T {
        leaf.clone()
    }
}

impl IndexValue<str> for String {
    fn of(leaf: &str) -> String {
        leaf.to_owned()
    }
}

impl IndexValue<Cow<'_, str>> for String {
    fn of(leaf: &Cow<'_, str>) -> String {
        leaf.as_ref().to_owned()
    }
}

/// Returns the index value for `leaf`.
#[must_use]
pub fn index_value<V: IndexValue<L>, L: ?Sized>(leaf: &L) -> V {
    V::of(leaf)
}

#[cfg(test)]
mod tests;
