//! Walking from an object to the values at a path, through types that a macro cannot see.
//!
//! Nothing here depends on the rest of the crate: the tests of informer-derive compile this file
//! as part of their stub runtime.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::hash::BuildHasher;
use std::iter::{Once, once};
use std::sync::Arc;

/// Takes one wrapper off a value: [`__peel`](Peel::__peel) iterates over what is inside.
///
/// Generated code writes `for inner in (&value).__peel() { .. }` without knowing the value's type,
/// with this trait and [`PeelNothing`] in scope. rustc looks for a method on `&T` before it looks
/// on `&&T`. So a wrapper is gone through, and every other value is taken as it is, once.
pub trait Peel<'a> {
    /// What is inside.
    type Value: ?Sized + 'a;

    /// The values inside: none, one or many.
    fn __peel(self) -> impl Iterator<Item = &'a Self::Value>;
}

/// [`Peel`] for values that are no wrappers.
pub trait PeelNothing<'a> {
    /// The type of the value.
    type Value: ?Sized + 'a;

    /// The value itself.
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

/// A map with texts as keys.
#[diagnostic::on_unimplemented(
    message = "the path of an index has a key in brackets, but `{Self}` is no map with `String` keys",
    label = "the key is looked up here"
)]
pub trait Map {
    /// The type of the values.
    type Value;

    /// The value of `key`.
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

/// The value of `key` in `map`.
#[must_use]
pub fn map_value<'a, M: Map>(map: &'a M, key: &str) -> Option<&'a M::Value> {
    map.value(key)
}

/// A type of index values that can be made from what is at the end of a path.
#[diagnostic::on_unimplemented(
    message = "the values at the path of this index are of type `{L}`, but the index is over `{Self}`",
    label = "`{L}` is here",
    note = "go on to a field if this is an object, and to a key in brackets, `[\"key\"]`, if it is a map",
    note = "of another type, give it to the index as its `value`; or compute the values by a function, with the index's `with`"
)]
pub trait IndexValue<L: ?Sized>: Sized {
    /// The index value for `leaf`.
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

/// The index value for `leaf`.
#[must_use]
pub fn index_value<V: IndexValue<L>, L: ?Sized>(leaf: &L) -> V {
    V::of(leaf)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What generated code does for a path whose last field is `$value`.
    macro_rules! values {
        ($value:expr) => {{
            let mut values: Vec<String> = Vec::new();
            for at_0 in ($value).__peel() {
                for at_1 in at_0.__peel() {
                    for at_2 in at_1.__peel() {
                        values.push(index_value::<String, _>(at_2));
                    }
                }
            }
            values
        }};
    }

    fn text(value: &str) -> String {
        value.to_owned()
    }

    #[test]
    fn a_plain_value_is_taken_once() {
        assert_eq!(values!(&text("a")), ["a"]);
        assert_eq!(values!("a"), ["a"]);
        assert_eq!(values!(&Cow::Borrowed("a")), ["a"]);
    }

    #[test]
    fn wrappers_are_gone_through_in_any_order() {
        assert_eq!(
            values!(&Some(vec![Box::new(text("a")), Box::new(text("b"))])),
            ["a", "b"]
        );
        assert_eq!(
            values!(&vec![Some(text("a")), None, Some(text("b"))]),
            ["a", "b"]
        );
        assert_eq!(values!(&Box::new(Some(Arc::<str>::from("a")))), ["a"]);
        assert_eq!(values!(&VecDeque::from([text("b")])), ["b"]);
        assert_eq!(values!(&BTreeSet::from([text("b"), text("a")])), ["a", "b"]);
        assert_eq!(values!(&Some(HashSet::from([text("a")]))), ["a"]);
        assert_eq!(values!(&None::<Vec<String>>), [""; 0]);
    }

    #[test]
    fn a_map_is_asked_for_a_key() {
        let map = BTreeMap::from([(text("app"), 1)]);
        assert_eq!(map_value(&map, "app"), Some(&1));
        assert_eq!(map_value(&map, "tier"), None);
        let map = HashMap::from([(text("app"), 1)]);
        assert_eq!(map_value(&map, "app"), Some(&1));
    }

    #[test]
    fn values_keep_their_type_when_the_index_has_it() {
        assert_eq!(index_value::<u16, _>(&7_u16), 7);
        assert_eq!(index_value::<Option<u16>, _>(&Some(7_u16)), Some(7));
    }
}
