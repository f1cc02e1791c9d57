//! [`Snapshot`]: the store at one moment.

use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;

use super::IndexLookupError;
use super::index::Posted;
use super::state::{Lookup, State};
use crate::object::{KeyLookup, ObjectKey, Uid};
use crate::storage::Entry;

/// The store at one moment: a consistent set of objects, indices, resourceVersion and undecodable
/// keys.
///
/// Taking or cloning a snapshot costs O(1) and copies no object. Later writes do not change a
/// snapshot. While it is held, its objects stay in memory.
///
/// # Ordering
///
/// All iterators and lists are ordered by key: by namespace, then by name.
#[derive_where(Clone, Debug)]
pub struct Snapshot<T> {
    state: Arc<State>,
    #[derive_where(skip(Debug))]
    objects: PhantomData<fn() -> T>,
}

// === impl Snapshot ===

impl<T: Send + Sync + 'static> Snapshot<T> {
    /// Gives a state of a store the type of its objects.
    pub(crate) fn new(state: Arc<State>) -> Self {
        Self {
            state,
            objects: PhantomData,
        }
    }

    /// Returns the object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<Arc<T>> {
        self.find(key)
    }

    /// Returns the object with a key of any comparable form.
    pub(crate) fn find(&self, key: &impl KeyLookup) -> Option<Arc<T>> {
        self.state.get(key).map(|entry| entry.shared())
    }

    /// Returns the last version of an object, also if it was deleted within the period that
    /// [`InformerConfig::retain_deleted`](crate::InformerConfig::retain_deleted) sets.
    #[must_use]
    pub fn get_retained(&self, key: &ObjectKey) -> Option<Arc<T>> {
        self.state.get_retained(key).map(|entry| entry.shared())
    }

    /// Returns the object with this uid, also if it was deleted within the period of
    /// [`retain_deleted`](crate::InformerConfig::retain_deleted) and another object has its key now.
    /// O(n).
    #[must_use]
    pub fn get_retained_by_uid(&self, uid: &Uid) -> Option<Arc<T>> {
        let mut entries = self
            .state
            .deleted()
            .map(|entry| &**entry)
            .chain(self.entries());
        let found = entries.find(|entry| entry.uid.as_ref() == Some(uid))?;
        Some(found.shared())
    }

    /// Returns what [`by_index`](Self::by_index) does, followed by the objects with this value that
    /// were deleted within the period of
    /// [`retain_deleted`](crate::InformerConfig::retain_deleted). Calls the function of the index for
    /// each of these.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn by_index_retained(
        &self,
        name: &str,
        value: &str,
    ) -> Result<Vec<Arc<T>>, IndexLookupError> {
        let mut found = self.by_index(name, value)?;
        let lookup = self.state.lookup(name)?;
        let is_found = |entry: &&Arc<Entry>| match lookup {
            Lookup::Namespace => entry.key.namespace() == Some(value),
            Lookup::Added(index) => index.has_text(entry, value),
        };
        let deleted = self.state.deleted().filter(is_found);
        found.extend(deleted.map(|entry| entry.shared()));
        Ok(found)
    }

    /// Returns all objects.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries().map(Entry::typed)
    }

    /// Returns the objects of one namespace, without visiting other namespaces.
    #[must_use]
    pub fn namespace<'s>(
        &'s self,
        namespace: &str,
    ) -> impl DoubleEndedIterator<Item = &'s T> + use<'s, T> {
        self.entries_in(namespace).map(Entry::typed)
    }

    /// Returns the objects that have the value which `value` parses to; none if it does not parse.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<Arc<T>>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => self.entries_in(value).map(Entry::shared).collect(),
            Lookup::Added(index) => self.shared(index.of_text(value)),
        })
    }

    /// Returns the objects that share at least one value with `entry`, which need not be stored.
    /// client-go's counterpart is `Indexer.Index`.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name, or if its function fails for `entry`.
    pub fn index_of(&self, name: &str, entry: &Entry) -> Result<Vec<Arc<T>>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => match entry.key.namespace() {
                Some(namespace) => self.entries_in(namespace).map(Entry::shared).collect(),
                None => Vec::new(),
            },
            Lookup::Added(index) => self.shared(index.like(entry)?),
        })
    }

    fn shared<'a>(&'a self, found: Vec<Posted<'a>>) -> Vec<Arc<T>> {
        let entries = Entry::ahead(self.state.posted(found.into_iter()));
        entries.map(Entry::shared).collect()
    }
}

impl<T> Deref for Snapshot<T> {
    type Target = State;

    fn deref(&self) -> &State {
        &self.state
    }
}
