//! [`Index`]: objects by a value that they have.

use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;

use crate::indexer::{IndexName, IndexReader, IndexValue, IndexView, Snapshot};
use crate::object::{Object, ObjectKey};
use crate::storage::{Storage, Typed};

/// Finds objects by a value of type `V`, as they are at the moment of the call.
///
/// Made by [`SharedInformer::add_index`](crate::SharedInformer::add_index). For several reads of
/// one moment use the [`Snapshot`](crate::indexer::Snapshot).
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
pub struct Index<K: Object, V, S: Storage<K> = Typed> {
    reader: IndexReader<S::Handle, V>,
    types: PhantomData<fn() -> (K, S)>,
}

// === impl Index ===

impl<K: Object, V: IndexValue, S: Storage<K>> Index<K, V, S> {
    pub(crate) fn new(reader: IndexReader<S::Handle, V>) -> Self {
        Self {
            reader,
            types: PhantomData,
        }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &IndexName {
        self.reader.name()
    }

    /// The objects that have this value, ordered by key. O(log n + found · log n).
    #[must_use]
    pub fn get<Q>(&self, value: &Q) -> Vec<S::Handle>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.reader.get(value)
    }

    /// The keys of the objects that have this value, in order.
    #[must_use]
    pub fn keys<Q>(&self, value: &Q) -> Vec<ObjectKey>
    where
        V: Borrow<Q>,
        Q: Ord + ?Sized,
    {
        self.reader.keys(value)
    }

    /// The values that at least one object has, in order.
    #[must_use]
    pub fn values(&self) -> Vec<V> {
        self.reader.values()
    }

    /// The index as it is in `snapshot`, for several reads of one moment; `None` if the snapshot
    /// was taken before the index was added.
    #[must_use]
    pub fn in_snapshot<'s>(
        &self,
        snapshot: &'s Snapshot<S::Handle>,
    ) -> Option<IndexView<'s, S::Handle, V>> {
        self.reader.in_snapshot(snapshot)
    }
}

impl<K: Object, V, S: Storage<K>> Clone for Index<K, V, S>
where
    IndexReader<S::Handle, V>: Clone,
{
    fn clone(&self) -> Self {
        Self {
            reader: self.reader.clone(),
            types: PhantomData,
        }
    }
}

impl<K: Object, V: IndexValue, S: Storage<K>> fmt::Debug for Index<K, V, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Index")
            .field(&self.reader.name().as_str())
            .finish()
    }
}
