//! [`Snapshot`]: the store at one moment.

use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use super::state::{Lookup, State, Stored};
use super::{IndexFailures, IndexLookupError, IndexName};
use crate::object::{KeyLookup, ObjectKey, ResourceVersion};
use crate::storage::{Entry, Undecodable};

/// The store at one moment: objects, indices, resourceVersion and undecodable keys that belong
/// together.
///
/// Taking and cloning one costs O(1) and copies no object; later writes do not move it. While it
/// is held, the objects of its moment stay in memory.
///
/// # Ordering
///
/// Everything comes ordered by key: by namespace, then by name.
pub struct Snapshot<H> {
    state: Arc<State<H>>,
}

// === impl Snapshot ===

impl<H: Clone + Send + Sync + 'static> Snapshot<H> {
    pub(super) fn new(state: Arc<State<H>>) -> Self {
        Self { state }
    }

    pub(super) fn state(&self) -> &State<H> {
        &self.state
    }

    /// The object with this key.
    #[must_use]
    pub fn get(&self, key: &ObjectKey) -> Option<&Entry<H>> {
        self.state.get(key)
    }

    /// Returns the handle of a key in whatever form.
    pub(crate) fn find(&self, key: &impl KeyLookup) -> Option<H> {
        self.state.with(key, |entry| entry.handle.clone())
    }

    /// The version of the object of a key, in whatever form, that did not decode.
    pub(crate) fn find_undecodable(&self, key: &impl KeyLookup) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// How many objects there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state.objects.len()
    }

    /// Whether there are no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.state.objects.is_empty()
    }

    /// All objects.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Entry<H>> + ExactSizeIterator {
        self.state.objects.values().map(Stored::entry)
    }

    /// The first object whose key comes after this one; the very first without a key. O(log n).
    #[must_use]
    pub fn next_after(&self, key: Option<&ObjectKey>) -> Option<&Entry<H>> {
        let after = key.map_or(Bound::Unbounded, Bound::Excluded);
        let range: (Bound<&ObjectKey>, Bound<&ObjectKey>) = (after, Bound::Unbounded);
        let mut rest = self.state.objects.range::<_, ObjectKey>(range);
        rest.next().map(|(_, stored)| stored.entry())
    }

    /// The objects of one namespace; those of other namespaces are not looked at.
    #[must_use]
    pub fn namespace<'s>(
        &'s self,
        namespace: &str,
    ) -> impl DoubleEndedIterator<Item = &'s Entry<H>> + use<'s, H> {
        self.state.namespace(namespace)
    }

    /// The namespaces that have objects.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        self.state.namespaces()
    }

    /// The version of the last add, update, delete, bookmark or list that was applied: what reads
    /// of this snapshot reflect.
    ///
    /// The reflector's own version may be ahead of it, by what waits to be applied.
    /// [`ResourceVersion::UNSET`] before the first list. client-go's counterpart is
    /// `LastStoreSyncResourceVersion`.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.state.resource_version
    }

    /// How many transactions came before: a later snapshot of the same store never has less.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.state.generation
    }

    /// Whether the store has held a whole list.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.state.synced
    }

    /// The version of this object that did not decode, if that is its latest.
    ///
    /// What [`get`](Self::get) gives then is older, or missing.
    #[must_use]
    pub fn undecodable(&self, key: &ObjectKey) -> Option<&Undecodable> {
        self.state.undecodable.get(key)
    }

    /// The objects whose latest version did not decode.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.state.undecodable.values()
    }

    /// The names of all indices, the built-in one first, then in the order in which they were
    /// added.
    pub fn index_names(&self) -> impl Iterator<Item = IndexName> {
        self.state.index_names()
    }

    /// The objects that have the value which `value` spells; none if it spells no value.
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn by_index(&self, name: &str, value: &str) -> Result<Vec<H>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => handles(self.namespace(value)),
            Lookup::Added(index) => self.resolve(&index.keys_of_text(value)),
        })
    }

    /// The keys of the objects that have the value which `value` spells.
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn index_keys(&self, name: &str, value: &str) -> Result<Vec<ObjectKey>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => self
                .namespace(value)
                .map(|entry| entry.key.clone())
                .collect(),
            Lookup::Added(index) => index.keys_of_text(value),
        })
    }

    /// The objects that share at least one value with `entry`, which need not be stored.
    /// client-go's `Indexer.Index`.
    ///
    /// # Errors
    ///
    /// There is no index of this name, or its function fails for `entry`.
    pub fn index_of(&self, name: &str, entry: &Entry<H>) -> Result<Vec<H>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => match entry.key.namespace() {
                Some(namespace) => handles(self.namespace(namespace)),
                None => Vec::new(),
            },
            Lookup::Added(index) => self.resolve(&index.keys_like(entry)?),
        })
    }

    /// The values of an index as text, in the order of the values. client-go's
    /// `ListIndexFuncValues`.
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn list_index_func_values(&self, name: &str) -> Result<Vec<String>, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => self.namespaces().map(str::to_owned).collect(),
            Lookup::Added(index) => index.value_texts(),
        })
    }

    /// The objects for which an index has no values because its function failed.
    ///
    /// # Errors
    ///
    /// There is no index of this name.
    pub fn index_failures(&self, name: &str) -> Result<IndexFailures, IndexLookupError> {
        Ok(match self.state.lookup(name)? {
            Lookup::Namespace => IndexFailures::default(),
            Lookup::Added(index) => index.failures().clone(),
        })
    }

    fn resolve(&self, keys: &[ObjectKey]) -> Vec<H> {
        let mut found = Vec::with_capacity(keys.len());
        self.state
            .for_each(keys.iter(), |entry| found.push(entry.handle.clone()));
        found
    }
}

/// Copies the handles, which copies no object.
pub(super) fn handles<'a, H: Clone + 'a>(entries: impl Iterator<Item = &'a Entry<H>>) -> Vec<H> {
    entries.map(|entry| entry.handle.clone()).collect()
}

impl<H> Clone for Snapshot<H> {
    fn clone(&self) -> Self {
        Self {
            state: Arc::clone(&self.state),
        }
    }
}

impl<H> fmt::Debug for Snapshot<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Snapshot")
            .field("len", &self.state.objects.len())
            .field("resource_version", &self.state.resource_version)
            .field("generation", &self.state.generation)
            .field("synced", &self.state.synced)
            .finish_non_exhaustive()
    }
}
