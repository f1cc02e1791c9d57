//! Indices of generated code: their definitions as data, and functions to add them.

use std::borrow::Borrow;
use std::sync::Arc;

use derive_where::derive_where;

use crate::indexer::{AddIndexError, Index, IndexName, IndexValue, Indexer, Snapshot};
use crate::lister::{defined, over_objects, over_path};
use crate::object::Object;
use crate::storage::{Entry, Storage};
use crate::wire::FieldPath;

/// Index that generated code needs, regardless of who adds it first.
#[derive_where(Debug)]
pub struct Definition<K: Object, V: IndexValue> {
    name: &'static str,
    /// Text that identifies the definition: two indices with the same name and text are one index.
    text: &'static str,
    /// `true` if the name is a path whose JSON values equal the Rust values.
    #[derive_where(skip)]
    json: bool,
    #[derive_where(skip)]
    values: fn(&K) -> Vec<V>,
}

/// Indices of one kind.
pub trait Indices<K: Object, S: Storage<K>>: Clone {
    /// Checks that no index with another definition has one of the names.
    ///
    /// # Errors
    ///
    /// Returns the conflicting index.
    fn check(indexer: &Indexer<S::Object>) -> Result<(), AddIndexError>;

    /// Returns the indices of `indexer`, after adding missing ones.
    fn of(indexer: &Indexer<S::Object>) -> Self;
}

/// Indices of a kind without indices.
#[derive(Clone, Copy, Debug)]
pub struct NoIndices;

// === impl Definition ===

impl<K: Object, V: IndexValue> Definition<K, V> {
    /// Defines an index over a JSON path, whose values a storage of bytes reads without decoding.
    #[must_use]
    pub fn json(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            name,
            text,
            json: true,
            values,
        }
    }

    /// Defines an index whose values come from the decoded object.
    #[must_use]
    pub fn object(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            json: false,
            ..Self::json(name, text, values)
        }
    }

    /// Defines an index whose values come from a user's function.
    #[must_use]
    pub fn with(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self::object(name, text, values)
    }

    /// Checks that the name is unused, or belongs to an index with the same definition.
    ///
    /// # Errors
    ///
    /// Fails if another index has the name.
    pub fn check<S: Storage<K>>(&self, indexer: &Indexer<S::Object>) -> Result<(), AddIndexError> {
        indexer.index_of_definition::<V>(self.name, self.text)?;
        Ok(())
    }

    /// Returns the index with this definition, after adding it if it is missing.
    ///
    /// A factory's accessor cannot fail. If another index has the name, which
    /// [`check`](Self::check) reports, this index gets a name that no user chooses.
    #[must_use]
    pub fn add<S: Storage<K>>(&self, indexer: &Indexer<S::Object>) -> Index<S::Object, V> {
        let add = |name| self.try_add::<S>(indexer, name);
        defined(indexer, self.name, self.text, add)
    }

    fn try_add<S: Storage<K>>(
        &self,
        indexer: &Indexer<S::Object>,
        name: IndexName,
    ) -> Result<Index<S::Object, V>, AddIndexError> {
        let function = self.values;
        let values = move |object: &K| Ok(function(object));
        let definition = Some(self.text.into());
        let path: Option<FieldPath> = self.name.parse().ok().filter(|_| self.json);
        match path {
            Some(path) => over_path::<K, V, S>(indexer, name, definition, path, values),
            None => over_objects::<K, V, S>(indexer, name, definition, values),
        }
    }
}

// === impl NoIndices ===

impl<K: Object, S: Storage<K>> Indices<K, S> for NoIndices {
    fn check(_: &Indexer<S::Object>) -> Result<(), AddIndexError> {
        Ok(())
    }

    fn of(_: &Indexer<S::Object>) -> Self {
        Self
    }
}

/// Return type of an index function: a `Vec` of the index's values.
#[diagnostic::on_unimplemented(
    message = "this index is over values of type `{V}`, but its function returns `{Self}`",
    label = "not a `Vec` of the index's values",
    note = "the values of an index with a function are `String`, unless `value` sets another type: `index(name = \"by_x\", with = function, value = \"ObjectKey\")`",
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

/// Returns the result of an index function as values.
pub fn values_of<V, R: ValuesOf<V>>(values: R) -> Vec<V> {
    values.values_of()
}

/// Compiles if an index can hold values of type `V`.
pub const fn assert_index_value<V: IndexValue>() {}

/// Returns the objects with this value in `snapshot`, ordered by key.
///
/// A generated lister creates its indices before its snapshots, so each snapshot contains them.
#[must_use]
pub fn all<T, V, Q>(index: &Index<T, V>, snapshot: &Snapshot<T>, value: &Q) -> Vec<Arc<T>>
where
    T: Send + Sync + 'static,
    V: IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let view = index.in_snapshot(snapshot);
    view.map(|view| view.get(value)).unwrap_or_default()
}

/// Returns the first object, by key, with this value in `snapshot`. O(log n) for any number of such
/// objects.
#[must_use]
pub fn first<T, V, Q>(index: &Index<T, V>, snapshot: &Snapshot<T>, value: &Q) -> Option<Arc<T>>
where
    T: Send + Sync + 'static,
    V: IndexValue + Borrow<Q>,
    Q: Ord + ?Sized,
{
    let mut entries = index.in_snapshot(snapshot)?.entries(value);
    entries.next().map(Entry::shared)
}
