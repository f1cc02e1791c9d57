//! [`Relation`]: a declared relation, and [`Reference`], the relation to objects by their keys.

use std::fmt;
use std::marker::PhantomData;

use informer_runtime::ObjectKey;

/// Relation of a `K` to `T`s: the function that returns how a `K` names the `T`s, by keys or by
/// selectors.
pub struct Relation<K, T, V> {
    name: &'static str,
    /// Place of the declaration, which distinguishes two declarations with one name.
    module: &'static str,
    values: fn(&K) -> Vec<V>,
    target: PhantomData<fn() -> T>,
}

/// Reference of a `K` to `T`s: the keys of the `T`s that a `K` mentions.
pub type Reference<K, T> = Relation<K, T, ObjectKey>;

// === impl Relation ===

impl<K, T, V> Relation<K, T, V> {
    /// Creates a relation. `name` identifies it among the relations of `K`; it is also the name of
    /// the index that finds a `K` by what it names. `values` has to be deterministic, and may
    /// return a value more than once.
    #[must_use]
    pub const fn new(name: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self::in_module("", name, values)
    }

    /// Creates a relation that is declared in this module. Two declarations with the same name and
    /// module share one index; generated code passes `module_path!()`.
    #[must_use]
    pub const fn in_module(
        module: &'static str,
        name: &'static str,
        values: fn(&K) -> Vec<V>,
    ) -> Self {
        Self {
            name,
            module,
            values,
            target: PhantomData,
        }
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the text that identifies the index.
    pub(super) fn definition(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    pub(crate) fn values(&self, object: &K) -> Vec<V> {
        (self.values)(object)
    }
}

impl<K, T> Reference<K, T> {
    /// Returns the keys that `referrer` mentions.
    #[must_use]
    pub fn keys(&self, referrer: &K) -> Vec<ObjectKey> {
        self.values(referrer)
    }
}

impl<K, T, V> Clone for Relation<K, T, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, T, V> Copy for Relation<K, T, V> {}

impl<K, T, V> fmt::Debug for Relation<K, T, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Relation").field(&self.name).finish()
    }
}
