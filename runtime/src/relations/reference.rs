//! [`Reference`]: the keys of the objects that an object refers to.

use std::fmt;
use std::marker::PhantomData;

use crate::object::ObjectKey;

/// Reference of a `K` to `T`s: the keys of the `T`s that a `K` mentions.
pub struct Reference<K, T> {
    name: &'static str,
    /// Place of the declaration, which distinguishes two declarations with one name.
    module: &'static str,
    keys: fn(&K) -> Vec<ObjectKey>,
    target: PhantomData<fn() -> T>,
}

// === impl Reference ===

impl<K, T> Reference<K, T> {
    /// Creates a reference. `name` identifies it among the references of `K`; it is also the name
    /// of the index that [`referrers`](super::referrers) reads. `keys` has to be deterministic, and
    /// may return a key more than once.
    #[must_use]
    pub const fn new(name: &'static str, keys: fn(&K) -> Vec<ObjectKey>) -> Self {
        Self {
            name,
            module: "",
            keys,
            target: PhantomData,
        }
    }

    /// Sets the module of the declaration. Two declarations with the same name and module share one
    /// index; generated code passes `module_path!()`.
    #[must_use]
    pub const fn declared_in(mut self, module: &'static str) -> Self {
        self.module = module;
        self
    }

    /// Returns the name.
    #[must_use]
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Returns the text that identifies the index over the keys.
    pub(super) fn definition(&self) -> String {
        format!("{}::{}", self.module, self.name)
    }

    /// Returns the keys that `referrer` mentions.
    #[must_use]
    pub fn keys(&self, referrer: &K) -> Vec<ObjectKey> {
        (self.keys)(referrer)
    }
}

impl<K, T> Clone for Reference<K, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K, T> Copy for Reference<K, T> {}

impl<K, T> fmt::Debug for Reference<K, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Reference").field(&self.name).finish()
    }
}
