//! [`Index`] and [`IndexView`]: reading an index by its type.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use super::index::{AnyIndex, Decoded, TypedIndex};
use super::state::State;
use super::{AddIndexError, IndexFailures, IndexName, IndexValue, Indexer, Snapshot};
use crate::object::ObjectKey;
use crate::storage::{Entry, IndexFunctionError};

/// Finds objects by a value of type `V`, as they are at the moment of the call.
///
/// Made by [`SharedInformer::add_index`](crate::SharedInformer::add_index) and
/// [`Indexer::add_index`]. `H` is what the store hands out: `Arc<K>` if it is
/// [`Typed`](crate::Typed). For several reads of one moment use the [`Snapshot`]. Clones are cheap,
/// and keep the store alive.
///
/// # Examples
///
/// ```
/// # use informer_runtime::SharedInformer;
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let by_node = pods.add_index("spec.nodeName", |pod: &Pod| {
///     pod.spec.as_ref().and_then(|spec| spec.node_name.clone())
/// })?;
/// for pod in by_node.get("node-1") {
///     println!("{:?}", pod.metadata.name);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Index<H, V> {
    indexer: Indexer<H>,
    name: IndexName,
    /// Its position in every state since it was added: indices are never removed.
    slot: usize,
    values: PhantomData<fn() -> V>,
}

/// One index of a snapshot.
pub struct IndexView<'s, H, V> {
    state: &'s State<H>,
    index: &'s TypedIndex<H, V>,
}

// === impl Indexer ===

impl<H: Clone + Send + Sync + 'static> Indexer<H> {
    /// Adds an index: `function` names the values under which an object is found, each once.
    ///
    /// Objects that are stored already are found as soon as this returns, and all at the same
    /// moment. Their values are computed before the writer is held up, which then waits only for
    /// what has changed meanwhile. Adding an index starts nothing.
    ///
    /// `function` has to give the same values for the same object. Its errors and panics are
    /// recorded ([`Snapshot::index_failures`]) and concern only that object in this index.
    ///
    /// # Errors
    ///
    /// There is an index of this name; nothing is added.
    pub fn add_index<V, F>(
        &self,
        name: impl Into<IndexName>,
        function: F,
    ) -> Result<Index<H, V>, AddIndexError>
    where
        V: IndexValue,
        F: Fn(&Entry<H>) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    {
        self.add_defined_index(name.into(), None, move |entry, _| function(entry))
    }

    /// Adds an index that says what it is over; its function may decode the object, which those
    /// after it can share.
    pub(crate) fn add_defined_index<V, F>(
        &self,
        name: IndexName,
        definition: Option<Arc<str>>,
        function: F,
    ) -> Result<Index<H, V>, AddIndexError>
    where
        V: IndexValue,
        F: Fn(&Entry<H>, &mut Decoded) -> Result<Vec<V>, IndexFunctionError>
            + Send
            + Sync
            + 'static,
    {
        let mut index = TypedIndex::new(name.clone(), definition, function);
        let first = self.snapshot();
        first.state().check_free(&name)?;
        first
            .state()
            .catch_up(&mut index, &State::new(first.state().scope));
        // Once more for what was written during that long time, so that little is left.
        let seen = self.snapshot();
        seen.state().catch_up(&mut index, first.state());
        let slot = self.transaction(|transaction| {
            transaction.try_write(|state| state.add_index(Box::new(index), seen.state()))
        })?;
        Ok(Index::new(self.clone(), name, slot))
    }

    /// The index of this name over `definition`; `None` if there is none of this name.
    ///
    /// # Errors
    ///
    /// There is one over something else, or with other values.
    pub(crate) fn index_of_definition<V: IndexValue>(
        &self,
        name: &str,
        definition: &str,
    ) -> Result<Option<Index<H, V>>, AddIndexError> {
        let snapshot = self.snapshot();
        let found = snapshot
            .state()
            .index_of_definition::<V>(name, definition)?;
        Ok(found.map(|(slot, name)| Index::new(self.clone(), name.clone(), slot)))
    }

    /// An index that was added before; `None` if there is none of this name, or with other values.
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<H, V>> {
        let snapshot = self.snapshot();
        let (slot, index) = snapshot.state().typed_index::<V>(name)?;
        Some(Index::new(self.clone(), index.name().clone(), slot))
    }
}

// === impl Snapshot ===

impl<H: Clone + Send + Sync + 'static> Snapshot<H> {
    /// An index with its type; `None` if there is none of this name, or with other values.
    ///
    /// The built-in namespace index is [`namespace`](Self::namespace).
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<IndexView<'_, H, V>> {
        let (_, index) = self.state().typed_index(name)?;
        Some(IndexView::new(self.state(), index))
    }
}

// === impl Index ===

impl<H: Clone + Send + Sync + 'static, V: IndexValue> Index<H, V> {
    pub(super) fn new(indexer: Indexer<H>, name: IndexName, slot: usize) -> Self {
        Self {
            indexer,
            name,
            slot,
            values: PhantomData,
        }
    }

    /// The name of the index.
    #[must_use]
    pub fn name(&self) -> &IndexName {
        &self.name
    }

    /// Returns the objects that have this value, ordered by key. O(log n + found).
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Vec<H>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let snapshot = self.indexer.snapshot();
        let view = self.in_snapshot(&snapshot);
        view.map(|view| view.get(value)).unwrap_or_default()
    }

    /// Calls `visit` with each entry that has this value, ordered by key; all are of one moment.
    ///
    /// Clones no handle, and is therefore cheaper than [`get`](Self::get). O(log n + found).
    pub fn for_each<Q>(&self, value: &Q, visit: impl FnMut(&Entry<H>))
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let snapshot = self.indexer.snapshot();
        if let Some(view) = self.in_snapshot(&snapshot) {
            view.for_each(value, visit);
        }
    }

    /// The keys of the objects that have this value, in order.
    #[must_use]
    pub fn keys<Q>(&self, value: &Q) -> Vec<ObjectKey>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let snapshot = self.indexer.snapshot();
        let view = self.in_snapshot(&snapshot);
        view.map(|view| view.keys(value).cloned().collect())
            .unwrap_or_default()
    }

    /// The values that at least one object has, ascending.
    #[must_use]
    pub fn values(&self) -> Vec<V> {
        let snapshot = self.indexer.snapshot();
        let view = self.in_snapshot(&snapshot);
        view.map(|view| view.values().cloned().collect())
            .unwrap_or_default()
    }

    /// The index as it is in `snapshot`, for several reads of one moment; `None` if the snapshot
    /// was taken before the index was added.
    #[must_use]
    pub fn in_snapshot<'s>(&self, snapshot: &'s Snapshot<H>) -> Option<IndexView<'s, H, V>> {
        let state = snapshot.state();
        let index = state.index_at(self.slot)?;
        Some(IndexView::new(state, index))
    }
}

impl<H, V> Clone for Index<H, V> {
    fn clone(&self) -> Self {
        Self {
            indexer: self.indexer.clone(),
            name: self.name.clone(),
            slot: self.slot,
            values: PhantomData,
        }
    }
}

impl<H, V> fmt::Debug for Index<H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

// === impl IndexView ===

impl<'s, H: Clone + Send + Sync + 'static, V: IndexValue> IndexView<'s, H, V> {
    pub(super) fn new(state: &'s State<H>, index: &'s TypedIndex<H, V>) -> Self {
        Self { state, index }
    }

    /// The name of the index.
    #[must_use]
    pub fn name(&self) -> &'s IndexName {
        self.index.name()
    }

    /// The objects that have this value, ordered by key.
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Vec<H>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let mut found = Vec::new();
        self.for_each(value, |entry| found.push(entry.handle.clone()));
        found
    }

    /// Calls `visit` with each entry that has this value, ordered by key.
    ///
    /// Clones no handle. Cheaper than [`iter`](Self::iter), because most entries are found by the
    /// hash of their key: all that have not changed since the snapshot was taken.
    pub fn for_each<Q>(&self, value: &Q, visit: impl FnMut(&Entry<H>))
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.state.for_each(self.keys(value), visit);
    }

    /// The entries that have this value, ordered by key.
    pub fn iter<Q>(
        &self,
        value: &Q,
    ) -> impl DoubleEndedIterator<Item = &'s Entry<H>> + use<'s, H, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let state = self.state;
        self.keys(value).filter_map(move |key| state.get(key))
    }

    /// The keys of the objects that have this value, in order.
    pub fn keys<Q>(
        &self,
        value: &Q,
    ) -> impl DoubleEndedIterator<Item = &'s ObjectKey> + use<'s, H, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.index.keys(value)
    }

    /// The values that at least one object has, ascending.
    pub fn values(&self) -> impl Iterator<Item = &'s V> {
        self.index.values()
    }

    /// The objects for which the index has no values because its function failed.
    #[must_use]
    pub fn failures(&self) -> &'s IndexFailures {
        self.index.failures()
    }
}

impl<H, V> Clone for IndexView<'_, H, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<H, V> Copy for IndexView<'_, H, V> {}

impl<H, V> fmt::Debug for IndexView<'_, H, V> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexView").finish_non_exhaustive()
    }
}
