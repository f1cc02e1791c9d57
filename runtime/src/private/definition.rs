//! Indices of generated code: their definitions as data, and functions to add them.

use std::borrow::Borrow;
use std::sync::Arc;

use derive_where::derive_where;

use crate::indexer::{AddIndexError, Index, IndexName, IndexValue, Indexer, Snapshot};
use crate::lister::{Lister, defined, over_objects, over_path};
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

/// Pass over the indices of one kind, which checks them or adds them.
#[derive_where(Debug)]
pub struct EachIndex<'a, K: Object, S: Storage<K>> {
    indexer: &'a Indexer<S::Object>,
    /// `false` while the names are only checked.
    adds: bool,
    checked: Result<(), AddIndexError>,
}

/// Reader of a store: a lister, or a snapshot.
pub trait Reads<K> {
    /// Form of the objects.
    type Object: Send + Sync + 'static;

    /// Calls `read` with the state of the store.
    fn read<Q>(&self, read: impl FnOnce(&Snapshot<Self::Object>) -> Q) -> Q;
}

// === impl Definition ===

impl<K: Object, V: IndexValue> Definition<K, V> {
    /// Defines an index over a JSON path, whose values a storage of bytes reads without decoding.
    #[must_use]
    pub const fn json(name: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            name,
            text: name,
            json: true,
            values,
        }
    }

    /// Defines an index whose values come from the decoded object.
    #[must_use]
    pub const fn object(name: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self::with(name, name, values)
    }

    /// Defines an index whose values come from a user's function, which `text` identifies.
    #[must_use]
    pub const fn with(name: &'static str, text: &'static str, values: fn(&K) -> Vec<V>) -> Self {
        Self {
            name,
            text,
            json: false,
            values,
        }
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

    /// Returns the objects with this value in this index, ordered by key.
    ///
    /// A generated lister adds its indices before it takes snapshots, so each snapshot contains them.
    #[must_use]
    pub fn all<R: Reads<K>, Q>(&self, reader: &R, value: &Q) -> Vec<Arc<R::Object>>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        reader.read(|snapshot| {
            let view = snapshot.index_defined::<V>([self.name, self.text]);
            view.map(|view| view.get(value)).unwrap_or_default()
        })
    }

    /// Returns the first object, by key, with this value in this index. O(log n) for any number of such
    /// objects.
    #[must_use]
    pub fn first<R: Reads<K>, Q>(&self, reader: &R, value: &Q) -> Option<Arc<R::Object>>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        reader.read(|snapshot| {
            let view = snapshot.index_defined::<V>([self.name, self.text])?;
            let mut entries = view.entries(value);
            entries.next().map(Entry::shared)
        })
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

// === impl Reads ===

impl<K: Object, S: Storage<K>> Reads<K> for Lister<K, S> {
    type Object = S::Object;

    fn read<Q>(&self, read: impl FnOnce(&Snapshot<S::Object>) -> Q) -> Q {
        read(&self.snapshot())
    }
}

impl<K, T: Send + Sync + 'static> Reads<K> for Snapshot<T> {
    type Object = T;

    fn read<Q>(&self, read: impl FnOnce(&Self) -> Q) -> Q {
        read(self)
    }
}

// === impl EachIndex ===

impl<'a, K: Object, S: Storage<K>> EachIndex<'a, K, S> {
    /// Adds the indices that `each` passes to [`index`](Self::index), unless a name belongs to
    /// another index.
    ///
    /// # Errors
    ///
    /// Returns the index that has the name.
    pub fn try_add(
        indexer: &'a Indexer<S::Object>,
        each: fn(&mut Self),
    ) -> Result<(), AddIndexError> {
        let mut pass = Self {
            indexer,
            adds: false,
            checked: Ok(()),
        };
        each(&mut pass);
        pass.adds = pass.checked.is_ok();
        each(&mut pass);
        pass.checked
    }

    /// Adds the indices that `each` passes to [`index`](Self::index). A factory's accessor cannot
    /// fail; see [`Definition::add`].
    pub fn add(indexer: &'a Indexer<S::Object>, each: fn(&mut Self)) {
        each(&mut Self {
            indexer,
            adds: true,
            checked: Ok(()),
        });
    }

    /// Checks or adds one index.
    pub fn index<V: IndexValue>(&mut self, definition: &Definition<K, V>) {
        if self.adds {
            drop(definition.add::<S>(self.indexer));
        } else if self.checked.is_ok() {
            self.checked = definition.check::<S>(self.indexer);
        }
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
