//! The indices of generated code: what each is over, as data, and how it is added.

use std::borrow::Borrow;
use std::fmt;

use crate::indexer::{AddIndexError, Index, IndexValue, Indexer, Snapshot};
use crate::lister::{over_objects, over_path};
use crate::object::Object;
use crate::storage::Storage;
use crate::wire::FieldPath;

/// An index that generated code wants, whoever adds it.
pub struct Definition<K: Object, V: IndexValue> {
    name: &'static str,
    /// What it is over: two indices of one name that say the same are one.
    text: &'static str,
    /// Whether the name is a path whose values are in JSON what they are in Rust.
    json: bool,
    values: fn(&K) -> Vec<V>,
}

/// The indices of one kind.
pub trait Indices<K: Object, S: Storage<K>>: Clone {
    /// Checks that no index of another definition has one of the names.
    ///
    /// # Errors
    ///
    /// The one that is in the way.
    fn check(indexer: &Indexer<S::Handle>) -> Result<(), AddIndexError>;

    /// The indices of `indexer`, which are added if they are not there.
    fn of(indexer: &Indexer<S::Handle>) -> Self;
}

/// The indices of a kind that has none.
#[derive(Clone, Copy, Debug)]
pub struct NoIndices;

// === impl Definition ===

impl<K: Object, V: IndexValue> Definition<K, V> {
    /// Defines an index over a path of JSON, whose values a storage of bytes reads there.
    #[must_use]
    pub fn json(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            name,
            text,
            json: true,
            values,
        }
    }

    /// Defines an index over what only the object tells.
    #[must_use]
    pub fn object(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            json: false,
            ..Self::json(name, text, values)
        }
    }

    /// Defines an index over what a function of the user's gives.
    #[must_use]
    pub fn with(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self::object(name, text, values)
    }

    /// Checks that the name is free, or that of an index of the same definition.
    ///
    /// # Errors
    ///
    /// Another index has the name.
    pub fn check<S: Storage<K>>(&self, indexer: &Indexer<S::Handle>) -> Result<(), AddIndexError> {
        indexer.index_of_definition::<V>(self.name, self.text)?;
        Ok(())
    }

    /// Returns the index of this definition, added if it is not there.
    ///
    /// An accessor of a factory cannot fail. So where another index has the name, which
    /// [`check`](Self::check) tells whoever asks, this one goes under a name that nobody picks.
    #[must_use]
    pub fn add<S: Storage<K>>(&self, indexer: &Indexer<S::Handle>) -> Index<S::Handle, V> {
        let mut name = self.name.to_owned();
        loop {
            match indexer.index_of_definition::<V>(&name, self.text) {
                Ok(Some(reader)) => return reader,
                // Should somebody be faster, the next turn finds theirs.
                Ok(None) => {
                    if let Ok(index) = self.try_add::<S>(indexer, &name) {
                        return index;
                    }
                }
                Err(_) => name.push_str(" (generated)"),
            }
        }
    }

    fn try_add<S: Storage<K>>(
        &self,
        indexer: &Indexer<S::Handle>,
        name: &str,
    ) -> Result<Index<S::Handle, V>, AddIndexError> {
        let function = self.values;
        let values = move |object: &K| Ok(function(object));
        let definition = Some(self.text.into());
        let path: Option<FieldPath> = self.name.parse().ok().filter(|_| self.json);
        match path {
            Some(path) => over_path::<K, V, S>(indexer, name.into(), definition, path, values),
            None => over_objects::<K, V, S>(indexer, name.into(), definition, values),
        }
    }
}

impl<K: Object, V: IndexValue> fmt::Debug for Definition<K, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Definition")
            .field("name", &self.name)
            .field("text", &self.text)
            .finish_non_exhaustive()
    }
}

// === impl NoIndices ===

impl<K: Object, S: Storage<K>> Indices<K, S> for NoIndices {
    fn check(_: &Indexer<S::Handle>) -> Result<(), AddIndexError> {
        Ok(())
    }

    fn of(_: &Indexer<S::Handle>) -> Self {
        Self
    }
}

/// What an index function returns: a `Vec` of the index's values.
#[diagnostic::on_unimplemented(
    message = "this index is over values of type `{V}`, and its function returns `{Self}`",
    label = "not a `Vec` of the index's values",
    note = "an index by a function is over `String`, unless `value` says otherwise: `index(name = \"by_x\", with = function, value = \"ObjectKey\")`",
    note = "the function returns a `Vec`, empty if an object has no value: `fn(&Foo) -> Vec<String>`"
)]
pub trait ValuesOf<V> {
    /// Returns the values.
    fn values_of(self) -> Vec<V>;
}

impl<V> ValuesOf<V> for Vec<V> {
    fn values_of(self) -> Vec<V> {
        self
    }
}

/// Returns the values that an index function has found.
pub fn values_of<V, R: ValuesOf<V>>(values: R) -> Vec<V> {
    values.values_of()
}

/// Compiles if an index can hold values of type `V`.
pub const fn assert_index_value<V: IndexValue>() {}

/// The objects that have this value in `snapshot`, ordered by key.
///
/// A generated lister's snapshots are younger than its indices, so none of them is missing there.
#[must_use]
pub fn all<H, V, Q>(index: &Index<H, V>, snapshot: &Snapshot<H>, value: &Q) -> Vec<H>
where
    H: Clone + Send + Sync + 'static,
    V: IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let view = index.in_snapshot(snapshot);
    view.map(|view| view.get(value)).unwrap_or_default()
}

/// The first object by key that has this value in `snapshot`. O(log n), however many have it.
#[must_use]
pub fn first<H, V, Q>(index: &Index<H, V>, snapshot: &Snapshot<H>, value: &Q) -> Option<H>
where
    H: Clone + Send + Sync + 'static,
    V: IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let entry = index.in_snapshot(snapshot)?.iter(value).next()?;
    Some(entry.handle.clone())
}
