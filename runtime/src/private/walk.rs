//! Walking from an object to the values at a path, through types that a macro cannot see.
//!
//! Nothing here depends on the rest of the crate: the tests of informer-derive compile this file
//! as part of their stub runtime.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::hash::BuildHasher;
use std::iter::{Once, once};
use std::sync::Arc;
use std::{collections::btree_set, collections::hash_set, option, slice};

/// Takes one wrapper off a value: [`peel`](PeelNothing::peel) iterates over what is inside.
///
/// Generated code writes `for inner in Peel(&value).peel() { .. }` without knowing the value's
/// type. For the wrappers that it should go through, `peel` is an inherent method. For every other
/// type it is the method of [`PeelNothing`], which gives the value itself: methods of a trait are
/// found only where there is no inherent one.
#[derive(Debug)]
pub struct Peel<'a, T: ?Sized>(pub &'a T);

impl<'a, T> Peel<'a, Option<T>> {
    /// The value, if there is one.
    #[must_use]
    pub fn peel(self) -> option::Iter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T> Peel<'a, Vec<T>> {
    /// The elements.
    #[must_use]
    pub fn peel(self) -> slice::Iter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T> Peel<'a, BTreeSet<T>> {
    /// The elements.
    #[must_use]
    pub fn peel(self) -> btree_set::Iter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T, S> Peel<'a, HashSet<T, S>> {
    /// The elements.
    #[must_use]
    pub fn peel(self) -> hash_set::Iter<'a, T> {
        self.0.iter()
    }
}

impl<'a, T: ?Sized> Peel<'a, Box<T>> {
    /// What is in the box.
    #[must_use]
    pub fn peel(self) -> Once<&'a T> {
        once(self.0.as_ref())
    }
}

impl<'a, T: ?Sized> Peel<'a, Arc<T>> {
    /// What is shared.
    #[must_use]
    pub fn peel(self) -> Once<&'a T> {
        once(self.0.as_ref())
    }
}

/// [`Peel`] for values that are no wrappers.
pub trait PeelNothing<'a> {
    /// The type of the value.
    type Value: ?Sized + 'a;

    /// The value itself.
    #[must_use]
    fn peel(self) -> Once<&'a Self::Value>;
}

impl<'a, T: ?Sized> PeelNothing<'a> for Peel<'a, T> {
    type Value = T;

    fn peel(self) -> Once<&'a T> {
        once(self.0)
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
    note = "say the type of the values: `#[informer(index(path = \"..\", value = \"Type\"))]`",
    note = "or compute them: `#[informer(index(name = \"by_x\", with = function, value = \"Type\"))]`"
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
            for at_0 in Peel($value).peel() {
                for at_1 in Peel(at_0).peel() {
                    for at_2 in Peel(at_1).peel() {
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
