//! [`Index`] and [`IndexView`]: typed reads of an index.

use std::borrow::Borrow;
use std::marker::PhantomData;
use std::sync::Arc;

use derive_where::derive_where;

use super::index::{AnyIndex, Decoded, TypedIndex};
use super::state::State;
use super::{AddIndexError, IndexFailures, IndexName, IndexValue, Indexer, Snapshot};
use crate::object::ObjectKey;
use crate::storage::{Entry, IndexFunctionError};

/// Finds objects by a value of type `V`, in the store's state at the time of the call.
///
/// Created by [`SharedInformer::add_index`](crate::SharedInformer::add_index) and
/// [`Indexer::add_index`]. `T` is the form of the objects in the store: their own type for
/// [`Typed`](crate::Typed) storage. For several reads of one state use a [`Snapshot`]. Clones are
/// cheap, and keep the store alive.
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
#[derive_where(Clone, Debug)]
pub struct Index<T, V> {
    #[derive_where(skip(Debug))]
    pub(crate) indexer: Indexer<T>,
    name: IndexName,
    /// Position of the index in every later state, since indices are never removed.
    #[derive_where(skip(Debug))]
    position: usize,
    #[derive_where(skip(Debug))]
    values: PhantomData<fn() -> V>,
}

/// Index of one snapshot.
#[derive_where(Clone, Copy, Debug)]
#[derive_where(skip_inner(Debug))]
pub struct IndexView<'s, T, V> {
    state: &'s State,
    index: &'s TypedIndex<V>,
    objects: PhantomData<fn() -> T>,
}

// === impl Indexer ===

impl<T: Send + Sync + 'static> Indexer<T> {
    /// Adds an index. `function` returns the values under which an object is found; duplicates are
    /// ignored.
    ///
    /// When this function returns, the index contains all stored objects. They become visible in it
    /// at the same moment. Most values are computed before the writer lock is taken, so the writer
    /// only waits for the latest changes. Adding an index does not start the informer.
    ///
    /// `function` has to be deterministic. Its errors and panics are recorded
    /// (`Snapshot::index_failures`) and affect only that object in this index.
    ///
    /// # Errors
    ///
    /// Fails if the store already has an index of this name. Nothing is added then.
    pub fn add_index<V, F>(
        &self,
        name: impl Into<IndexName>,
        function: F,
    ) -> Result<Index<T, V>, AddIndexError>
    where
        V: IndexValue,
        F: Fn(&T) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    {
        self.add_defined_index(name.into(), None, move |entry, _| function(entry.typed()))
    }

    /// Adds an index with a definition. Its function may decode the object, and later functions can
    /// share the result.
    pub(crate) fn add_defined_index<V, F>(
        &self,
        name: IndexName,
        definition: Option<Arc<str>>,
        function: F,
    ) -> Result<Index<T, V>, AddIndexError>
    where
        V: IndexValue,
        F: Fn(&Entry, &mut Decoded) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    {
        let index = TypedIndex::new(name.clone(), definition, function);
        let position = self.add_boxed(Box::new(index))?;
        Ok(Index::new(self.clone(), name, position))
    }

    /// Returns the index of this name over `definition`; `None` if the name is not in use.
    ///
    /// # Errors
    ///
    /// Fails if the index of this name has another definition or another type of values.
    pub(crate) fn index_of_definition<V: IndexValue>(
        &self,
        name: &str,
        definition: &str,
    ) -> Result<Option<Index<T, V>>, AddIndexError> {
        let snapshot = self.snapshot();
        let found = snapshot.index_of_definition::<V>(name, definition)?;
        Ok(found.map(|(position, name)| Index::new(self.clone(), name.clone(), position)))
    }

    /// Returns an index that was added before; `None` if the name is unknown, or if its values have
    /// another type.
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<T, V>> {
        let snapshot = self.snapshot();
        let (position, index) = snapshot.typed_index::<V>(name)?;
        Some(Index::new(self.clone(), index.name().clone(), position))
    }
}

// === impl Snapshot ===

impl<T: Send + Sync + 'static> Snapshot<T> {
    /// Returns an index with its type; `None` if the name is unknown, or if its values have another
    /// type.
    ///
    /// For the built-in namespace index use [`namespace`](Self::namespace).
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<IndexView<'_, T, V>> {
        let (_, index) = self.typed_index(name)?;
        Some(IndexView::new(self, index))
    }

    /// Returns the index whose name begins with this name, over this definition: if another index has
    /// the name, [`defined`](crate::lister::defined) extends it.
    pub(crate) fn index_defined<V: IndexValue>(
        &self,
        index: [&str; 2],
    ) -> Option<IndexView<'_, T, V>> {
        let index = State::index_defined(self, index)?;
        Some(IndexView::new(self, index))
    }
}

// === impl Index ===

impl<T: Send + Sync + 'static, V: IndexValue> Index<T, V> {
    pub(super) fn new(indexer: Indexer<T>, name: IndexName, position: usize) -> Self {
        Self {
            indexer,
            name,
            position,
            values: PhantomData,
        }
    }

    /// Returns the name of the index.
    #[must_use]
    pub fn name(&self) -> &IndexName {
        &self.name
    }

    /// Returns the objects that have this value, ordered by key. O(log n + found).
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Vec<Arc<T>>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.read(|view| view.get(value))
    }

    /// Calls `visit` with each object that has this value, ordered by key. All objects belong to one
    /// snapshot.
    ///
    /// Counts no references, and is therefore cheaper than [`get`](Self::get). O(log n + found).
    pub fn for_each<Q>(&self, value: &Q, visit: impl FnMut(&T))
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.read(|view| view.for_each(value, visit));
    }

    /// Returns the keys of the objects that have this value, in order.
    #[must_use]
    pub fn keys<Q>(&self, value: &Q) -> Vec<ObjectKey>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.read(|view| view.keys(value).cloned().collect())
    }

    /// Returns the values that at least one object has, ascending.
    #[must_use]
    pub fn values(&self) -> Vec<V> {
        self.read(|view| view.values().cloned().collect())
    }

    /// Waits until the index has the values of all objects. Completes at once, unless the index was
    /// added when bodies were evicted that it has to read: the informer then lists once more, and
    /// [`IndexFailures::evicted`] has the objects that are still missing. An object whose latest
    /// version does not decode is not waited for.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect. It waits as long as the informer cannot list: use a timeout.
    pub async fn wait_complete(&self) {
        let index = self.clone();
        let is_complete = move |snapshot: &Snapshot<T>| {
            let is_known = |key: &ObjectKey| snapshot.undecodable(key).is_some();
            let view = index.in_snapshot(snapshot);
            view.is_some_and(|view| view.failures().evicted().all(is_known))
        };
        self.indexer.wait_until(is_complete).await;
    }

    /// Reads the current state.
    fn read<R: Default>(&self, read: impl FnOnce(IndexView<'_, T, V>) -> R) -> R {
        let snapshot = self.indexer.snapshot();
        self.in_snapshot(&snapshot).map(read).unwrap_or_default()
    }

    /// Returns the index in `snapshot`, for several reads of one state; `None` if the snapshot is
    /// older than the index.
    #[must_use]
    pub fn in_snapshot<'s>(&self, snapshot: &'s Snapshot<T>) -> Option<IndexView<'s, T, V>> {
        let index = snapshot.index_at(self.position)?;
        Some(IndexView::new(snapshot, index))
    }
}

// === impl IndexView ===

impl<'s, T: Send + Sync + 'static, V: IndexValue> IndexView<'s, T, V> {
    pub(super) fn new(state: &'s State, index: &'s TypedIndex<V>) -> Self {
        Self {
            state,
            index,
            objects: PhantomData,
        }
    }

    /// Returns the name of the index.
    #[must_use]
    pub fn name(&self) -> &'s IndexName {
        self.index.name()
    }

    /// Returns the objects that have this value, ordered by key.
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Vec<Arc<T>>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let entries = Entry::ahead(self.entries(value));
        entries.map(Entry::shared).collect()
    }

    /// Calls `visit` with each object that has this value, ordered by key. Counts no references.
    pub fn for_each<Q>(&self, value: &Q, visit: impl FnMut(&T))
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        let entries = Entry::ahead(self.entries(value));
        entries.map(Entry::typed).for_each(visit);
    }

    /// Returns the objects that have this value, ordered by key.
    pub fn iter<Q>(&self, value: &Q) -> impl DoubleEndedIterator<Item = &'s T> + use<'s, T, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.entries(value).map(Entry::typed)
    }

    /// Returns the objects that have this value, ordered by key, with their keys, uids and
    /// versions.
    pub fn entries<Q>(
        &self,
        value: &Q,
    ) -> impl DoubleEndedIterator<Item = &'s Entry> + use<'s, T, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.state.posted(self.index.of(value))
    }

    /// Returns the keys of the objects that have this value, in order.
    pub fn keys<Q>(
        &self,
        value: &Q,
    ) -> impl DoubleEndedIterator<Item = &'s ObjectKey> + use<'s, T, V, Q>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.index.of(value).map(|posted| posted.key)
    }

    /// Returns the values that at least one object has, ascending.
    pub fn values(&self) -> impl Iterator<Item = &'s V> {
        self.index.values()
    }

    /// Returns the objects for which the index has no values because its function failed.
    #[must_use]
    pub fn failures(&self) -> &'s IndexFailures {
        self.index.failures()
    }
}
