//! [`Snapshot`]: the store at one moment.

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use derive_where::derive_where;

use super::index::Posted;
use super::state::{Lookup, State};
use super::{IndexFailures, IndexLookupError, IndexName};
use crate::object::{KeyLookup, ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// The store at one moment: a consistent set of objects, indices, resourceVersion and undecodable
/// keys.
///
/// Taking or cloning a snapshot costs O(1) and copies no object. Later writes do not change a
/// snapshot. While it is held, its objects stay in memory.
///
/// # Ordering
///
/// All iterators and lists are ordered by key: by namespace, then by name.
#[derive_where(Clone)]
pub struct Snapshot<T> {
    state: Arc<State>,
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

    pub(crate) fn state(&self) -> &State {
        &self.state
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

    /// Returns the object with this key, with its uid and its version.
    #[must_use]
    pub fn entry(&self, key: &ObjectKey) -> Option<&Entry> {
        self.state.get(key).map(|entry| &**entry)
    }

    /// Returns the version that did not decode, of the object with a key of any comparable form.
    pub(crate) fn find_undecodable(&self, key: &impl KeyLookup) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Returns `true` if the store has no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.objects.is_empty()
    }

    /// Returns all objects.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.entries().map(Entry::typed)
    }

    /// Returns all objects, with their keys, uids and versions.
    #[must_use]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.state.objects.iter().map(|entry| &**entry)
    }

    /// Returns the first object whose key is greater than `key`, or the first object if `key` is
    /// `None`. O(log n).
    #[must_use]
    pub fn next_after(&self, key: Option<&ObjectKey>) -> Option<&Entry> {
        self.state.next_after(key).map(|entry| &**entry)
    }

    /// Returns the objects of one namespace, without visiting other namespaces.
    #[must_use]
    pub fn namespace<'s>(
        &'s self,
        namespace: &str,
    ) -> impl DoubleEndedIterator<Item = &'s T> + use<'s, T> {
        self.entries_in(namespace).map(Entry::typed)
    }

    /// Returns the objects of one namespace, with their keys, uids and versions.
    pub(crate) fn entries_in<'s>(
        &'s self,
        namespace: &str,
    ) -> impl DoubleEndedIterator<Item = &'s Entry> + use<'s, T> {
        self.state.namespace(namespace).map(|entry| &**entry)
    }

    /// Returns the namespaces that have objects.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.state.namespaces()
    }

    /// Returns the resourceVersion that reads of this snapshot reflect: that of the last applied
    /// add, update, delete, bookmark or list.
    ///
    /// The reflector may be ahead, by the deltas that wait in the queue. [`ResourceVersion::UNSET`]
    /// before the first list. client-go's counterpart is `LastStoreSyncResourceVersion`.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.state.resource_version
    }

    /// Returns the number of earlier transactions. Never decreases in later snapshots of the same
    /// store.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Returns `true` if the store has held a complete list.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.state.synced
    }

    /// Returns the version of this object that did not decode, if that is its latest version.
    ///
    /// In that case [`get`](Self::get) returns an older version, or `None`.
    #[must_use]
    pub fn undecodable(&self, key: &ObjectKey) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// Returns the objects whose latest version did not decode.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.state.undecodable.values()
    }

    /// Returns the names of all indices: the built-in index first, then the others in the order in
    /// which they were added.
    pub fn index_names(&self) -> impl Iterator<Item = IndexName> {
        self.state.index_names()
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

    /// Returns the keys of the objects that have the value which `value` parses to.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn index_keys(&self, name: &str, value: &str) -> Result<Vec<ObjectKey>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => self
                .entries_in(value)
                .map(|entry| entry.key.clone())
                .collect(),
            Lookup::Added(index) => {
                let found = index.of_text(value);
                found.iter().map(|posted| posted.key.clone()).collect()
            }
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

    /// Returns the values of an index as text, in the order of the values. client-go's counterpart
    /// is `ListIndexFuncValues`.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn list_index_func_values(&self, name: &str) -> Result<Vec<String>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => self.namespaces().map(str::to_owned).collect(),
            Lookup::Added(index) => index.value_texts(),
        })
    }

    /// Returns the objects for which an index has no values because its function failed.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn index_failures(&self, name: &str) -> Result<IndexFailures, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => IndexFailures::default(),
            Lookup::Added(index) => index.failures().clone(),
        })
    }

    fn shared<'a>(&'a self, found: Vec<Posted<'a>>) -> Vec<Arc<T>> {
        let entries = Entry::ahead(self.state.posted(found.into_iter()));
        entries.map(Entry::shared).collect()
    }
}

impl<T> fmt::Debug for Snapshot<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("len", &self.state.objects.len())
            .field("resource_version", &self.state.resource_version)
            .field("generation", &self.state.generation)
            .field("synced", &self.state.synced)
            .finish_non_exhaustive()
    }
}
