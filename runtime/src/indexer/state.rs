//! [`State`]: content of a snapshot, which `Transaction` modifies.

use std::any::Any;
use std::cmp::Ordering;
use std::fmt;
use std::ops::Bound;
use std::sync::Arc;

use equivalent::{Comparable, Equivalent};
use imbl::OrdMap;

use super::index::{AnyIndex, Decoded, Posted, TypedIndex};
use super::objects::Objects;
use super::retained::{Held, Retained};
use super::table::Difference;
use super::{
    AddIndexError, IndexFailures, IndexLookupError, IndexName, IndexValue, NAMESPACE_INDEX,
};
use crate::object::{KeyLookup, ObjectKey, ResourceVersion, Scope};
use crate::storage::{Entry, Undecodable};

/// Store at one moment, whatever the type of its objects: the reads that a
/// [`Snapshot`](super::Snapshot) and a [`Transaction`](super::Transaction) have in common.
// Cloning costs O(1) and a small allocation per index.
#[derive(Clone)]
pub struct State {
    pub(super) scope: Scope,
    pub(super) objects: Objects,
    pub(super) indices: Vec<Box<dyn AnyIndex>>,
    pub(super) undecodable: OrdMap<ObjectKey, Undecodable>,
    /// Version that the whole content reflects.
    pub(crate) resource_version: ResourceVersion,
    /// Version of each namespace that has a watch of its own, unset before its first list; empty if
    /// one watch covers all.
    pub(super) versions: Vec<(Arc<str>, ResourceVersion)>,
    pub(crate) generation: u64,
    pub(crate) synced: bool,
    pub(super) retained: Option<Retained>,
}

/// Result of looking up an index by name.
pub(super) enum Lookup<'a> {
    /// Built-in index, implemented as a range of keys.
    Namespace,
    /// Index that was added.
    Added(&'a dyn AnyIndex),
}

impl Lookup<'_> {
    /// Returns the path or function of the index, if it is known.
    fn definition(&self) -> Option<Arc<str>> {
        match self {
            Self::Namespace => Some("metadata.namespace".into()),
            Self::Added(index) => index.definition().cloned(),
        }
    }
}

/// Boundary of the keys of a namespace; equal to no key.
enum Edge<'a> {
    Before(&'a str),
    After(&'a str),
}

// === impl State ===

impl State {
    pub(super) fn new(scope: Scope) -> Self {
        Self {
            scope,
            objects: Objects::default(),
            indices: Vec::new(),
            undecodable: OrdMap::new(),
            resource_version: ResourceVersion::UNSET,
            versions: Vec::new(),
            generation: 0,
            synced: false,
            retained: None,
        }
    }

    // --- Reads ---

    /// Returns the object with this key, with its uid and its version.
    #[must_use]
    pub fn entry(&self, key: &ObjectKey) -> Option<&Entry> {
        self.get(key).map(|entry| &**entry)
    }

    /// Returns the version that did not decode, of the object with a key of any comparable form.
    pub(crate) fn find_undecodable(&self, key: &impl KeyLookup) -> Option<&Undecodable> {
        self.undecodable.get(key)
    }

    /// Returns the number of objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// Returns `true` if the store has no objects.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Returns all objects, with their keys, uids and versions.
    #[must_use]
    pub fn entries(&self) -> impl DoubleEndedIterator<Item = &Entry> {
        self.objects.iter().map(|entry| &**entry)
    }

    /// Returns the resourceVersion that reads of this snapshot reflect: that of the last applied
    /// add, update, delete, bookmark or list.
    ///
    /// The reflector may be ahead, by the deltas that wait in the queue. [`ResourceVersion::UNSET`]
    /// before the first list. client-go's counterpart is `LastStoreSyncResourceVersion`.
    #[must_use]
    pub fn resource_version(&self) -> &ResourceVersion {
        &self.resource_version
    }

    /// Returns the number of earlier transactions. Never decreases in later snapshots of the same
    /// store.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns `true` if the store has held a complete list.
    #[must_use]
    pub fn is_synced(&self) -> bool {
        self.synced
    }

    /// Returns the version of this object that did not decode, if that is its latest version.
    ///
    /// In that case [`Snapshot::get`](super::Snapshot::get) returns an older version, or `None`.
    #[must_use]
    pub fn undecodable(&self, key: &ObjectKey) -> Option<&Undecodable> {
        self.undecodable.get(key)
    }

    /// Returns the objects whose latest version did not decode.
    #[must_use]
    pub fn undecodable_all(&self) -> impl ExactSizeIterator<Item = &Undecodable> {
        self.undecodable.values()
    }

    /// Returns the keys of the objects that have the value which `value` parses to.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn index_keys(&self, name: &str, value: &str) -> Result<Vec<ObjectKey>, IndexLookupError> {
        Ok(match self.lookup(name)? {
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

    /// Returns the values of an index as text, in the order of the values. client-go's counterpart
    /// is `ListIndexFuncValues`.
    ///
    /// # Errors
    ///
    /// Fails if there is no index of this name.
    pub fn list_index_func_values(&self, name: &str) -> Result<Vec<String>, IndexLookupError> {
        Ok(match self.lookup(name)? {
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
        Ok(match self.lookup(name)? {
            Lookup::Namespace => IndexFailures::default(),
            Lookup::Added(index) => index.failures().clone(),
        })
    }

    pub(crate) fn get<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<&Arc<Entry>> {
        self.objects.get(key)
    }

    /// Returns the last version of an object, if it exists or if it was deleted within the period of
    /// retention.
    pub(super) fn get_retained(&self, key: &ObjectKey) -> Option<&Arc<Entry>> {
        let deleted = || self.retained.as_ref()?.get(key);
        self.get(key).or_else(deleted)
    }

    /// Returns the deleted objects that are retained, ordered by key.
    pub(super) fn deleted(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.retained.iter().flat_map(Retained::iter)
    }

    /// Returns the version that the content of a namespace reflects, or of the empty namespace for
    /// the whole content.
    #[doc(hidden)]
    #[must_use]
    pub fn version_of(&self, namespace: &str) -> &ResourceVersion {
        let own = self.own_version(namespace);
        own.unwrap_or(&self.resource_version)
    }

    /// Reports whether the content of a namespace is complete: that its first list was processed.
    pub(crate) fn is_complete(&self, namespace: &str) -> bool {
        let own = self.own_version(namespace);
        own.map_or(self.synced, |version| !version.is_unset())
    }

    fn own_version(&self, namespace: &str) -> Option<&ResourceVersion> {
        let mut versions = self.versions.iter();
        let own = versions.find(|(known, _)| **known == *namespace);
        own.map(|(_, version)| version)
    }

    /// Returns the oldest version of a namespace. Before the first sync, this is no version until
    /// all namespaces were listed. Later, namespaces that the client may not list do not count.
    pub(super) fn oldest_version(&self) -> ResourceVersion {
        let versions = self.versions.iter().map(|(_, version)| version);
        let counted = versions.filter(|version| !self.synced || !version.is_unset());
        let oldest = counted.reduce(|oldest, version| {
            let is_older = version.is_unset() || version.is_older_than(oldest);
            if is_older { version } else { oldest }
        });
        oldest.cloned().unwrap_or_default()
    }

    /// Returns the keys of the objects, in order.
    pub(crate) fn keys(&self) -> impl ExactSizeIterator<Item = &ObjectKey> {
        self.objects.keys.keys()
    }

    /// Returns the keys of the objects whose latest version did not decode, in order.
    pub(crate) fn undecodable_keys(&self) -> impl ExactSizeIterator<Item = &ObjectKey> {
        self.undecodable.keys()
    }

    /// Returns the entries of objects that an index of this state refers to.
    pub(super) fn posted<'a>(
        &'a self,
        posted: impl DoubleEndedIterator<Item = Posted<'a>>,
    ) -> impl DoubleEndedIterator<Item = &'a Entry> {
        posted.filter_map(|posted| Some(&**self.objects.at(posted.slot)?))
    }

    /// Returns the first object whose key is greater than `key`, or the first object if `key` is
    /// `None`. O(log n).
    #[must_use]
    pub fn next_after(&self, key: Option<&ObjectKey>) -> Option<&Arc<Entry>> {
        let after = key.map_or(Bound::Unbounded, Bound::Excluded);
        let range: (Bound<&ObjectKey>, Bound<&ObjectKey>) = (after, Bound::Unbounded);
        let (_, slot) = self.objects.keys.range::<_, ObjectKey>(range).next()?;
        self.objects.at(*slot)
    }

    /// Returns the objects of one namespace, with their keys, uids and versions.
    pub(crate) fn entries_in<'a>(
        &'a self,
        namespace: &str,
    ) -> impl DoubleEndedIterator<Item = &'a Entry> + use<'a> {
        self.objects
            .keys
            .range(Edge::Before(namespace)..Edge::After(namespace))
            .filter_map(|(_, slot)| self.objects.at(*slot).map(|entry| &**entry))
    }

    /// Returns the namespaces that have objects, ascending, with one search for each.
    pub fn namespaces(&self) -> impl Iterator<Item = &str> {
        // Keys without a namespace sort before all other keys.
        let after = |namespace: &str| {
            let (key, _) = self.objects.keys.range(Edge::After(namespace)..).next()?;
            key.namespace()
        };
        let first = self.objects.keys.range(Edge::Before("")..).next();
        std::iter::successors(first.and_then(|(key, _)| key.namespace()), move |last| {
            after(last)
        })
    }

    /// Returns the names of all indices: the built-in index first, then the others in the order in
    /// which they were added.
    pub fn index_names(&self) -> impl Iterator<Item = IndexName> {
        let built_in = (self.scope == Scope::Namespaced).then(|| NAMESPACE_INDEX.into());
        let added = self.indices.iter().map(|index| index.name().clone());
        built_in.into_iter().chain(added)
    }

    pub(super) fn lookup(&self, name: &str) -> Result<Lookup<'_>, IndexLookupError> {
        if self.scope == Scope::Namespaced && name == NAMESPACE_INDEX {
            return Ok(Lookup::Namespace);
        }
        self.added(name)
            .map(Lookup::Added)
            .ok_or_else(|| IndexLookupError::Unknown { name: name.into() })
    }

    /// Returns the index of this name with its position, if its values have this type.
    pub(super) fn typed_index<V: IndexValue>(&self, name: &str) -> Option<(usize, &TypedIndex<V>)> {
        let position = self.position(name)?;
        Some((position, self.index_at(position)?))
    }

    /// Returns the index at this position; `None` if it was added later than this state.
    pub(super) fn index_at<V: IndexValue>(&self, position: usize) -> Option<&TypedIndex<V>> {
        let index: &dyn Any = &**self.indices.get(position)?;
        index.downcast_ref()
    }

    pub(super) fn check_free(&self, name: &IndexName) -> Result<(), AddIndexError> {
        match self.lookup(name.as_str()) {
            Ok(found) => Err(AddIndexError {
                name: name.clone(),
                definition: found.definition(),
            }),
            Err(_) => Ok(()),
        }
    }

    /// Returns the index of this name, if it has this definition and this type of values.
    pub(super) fn index_of_definition<V: IndexValue>(
        &self,
        name: &str,
        definition: &str,
    ) -> Result<Option<(usize, &IndexName)>, AddIndexError> {
        let Ok(found) = self.lookup(name) else {
            return Ok(None);
        };
        let existing = found.definition();
        match self.typed_index::<V>(name) {
            Some((position, index)) if existing.as_deref() == Some(definition) => {
                Ok(Some((position, AnyIndex::name(index))))
            }
            _ => Err(AddIndexError {
                name: name.into(),
                definition: existing,
            }),
        }
    }

    /// Returns an index with this definition and this type of values, whose name begins with `name`.
    pub(super) fn index_defined<V: IndexValue>(
        &self,
        [name, definition]: [&str; 2],
    ) -> Option<&TypedIndex<V>> {
        let is_defined = |index: &&dyn AnyIndex| {
            let found = index.definition().map(|found| &**found);
            found == Some(definition) && index.name().as_str().starts_with(name)
        };
        let indices = self.indices.iter().map(|index| &**index);
        indices.filter(is_defined).find_map(|index| {
            let index: &dyn Any = index;
            index.downcast_ref()
        })
    }

    fn added(&self, name: &str) -> Option<&dyn AnyIndex> {
        Some(&**self.indices.get(self.position(name)?)?)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.indices.iter().position(|index| *index.name() == *name)
    }

    /// Returns the number and the size of the deleted objects that are retained.
    pub(crate) fn retained(&self) -> Held {
        self.retained
            .as_ref()
            .map_or_else(Held::default, Retained::held)
    }

    /// Returns the size of all objects as the API server sent them, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        self.objects.bytes
    }

    /// Returns the estimated memory of all indices, in bytes.
    pub(crate) fn index_bytes(&self) -> usize {
        self.indices.iter().map(|index| index.bytes()).sum()
    }

    /// Reports whether indices were added.
    pub(crate) fn has_indices(&self) -> bool {
        !self.indices.is_empty()
    }

    /// Reports whether an index lacks an object because its body was evicted.
    pub(crate) fn lacks(&self, key: &ObjectKey) -> bool {
        let mut indices = self.indices.iter();
        indices.any(|index| index.failures().evicted.contains(key))
    }

    /// Returns how often an index has lacked an object because its body was evicted.
    pub(crate) fn lacked(&self) -> u64 {
        let indices = self.indices.iter();
        indices.map(|index| index.failures().total_evicted).sum()
    }

    // --- Writes ---

    /// Updates an index that contains the objects of `seen` to this state. Calls its function for
    /// each object that differs.
    pub(super) fn catch_up(&self, index: &mut dyn AnyIndex, seen: &Self) {
        let differences = self.objects.differences(&seen.objects);
        // First all that went: an object may have been removed and stored again in another slot.
        for Difference { slot, old, new } in &differences {
            if let Some(old) = old
                && new.is_none_or(|new| new.key != old.key)
            {
                index.remove(*slot, &old.key);
            }
        }
        for Difference { slot, new, .. } in differences {
            if let Some(entry) = new {
                let values = index.compute(entry, &mut Decoded::default());
                index.file(slot, entry, values);
            }
        }
    }
}

impl fmt::Debug for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("State")
            .field("len", &self.len())
            .field("resource_version", &self.resource_version)
            .field("generation", &self.generation)
            .field("synced", &self.synced)
            .finish_non_exhaustive()
    }
}

// === impl Edge ===

impl Equivalent<ObjectKey> for Edge<'_> {
    fn equivalent(&self, _key: &ObjectKey) -> bool {
        false
    }
}

impl Comparable<ObjectKey> for Edge<'_> {
    fn compare(&self, key: &ObjectKey) -> Ordering {
        let found = key.namespace();
        match self {
            Self::Before(namespace) => Some(*namespace).cmp(&found).then(Ordering::Less),
            Self::After(namespace) => Some(*namespace).cmp(&found).then(Ordering::Greater),
        }
    }
}
