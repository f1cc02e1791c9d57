//! [`Index`]: objects by a value that they have.

use std::any::TypeId;
use std::borrow::Borrow;
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

use crate::indexer::{
    AddIndexError, Decoded, IndexFunctionError, IndexName, IndexReader, IndexValue, IndexView,
    Indexer, Snapshot,
};
use crate::object::{Object, ObjectKey};
use crate::storage::Entry;
use crate::storage::{Storage, Typed};
use crate::wire::FieldPath;

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

    /// Adds an index by a function of the object, which is decoded once per version for all of them.
    pub(crate) fn over_objects(
        indexer: &Indexer<S::Handle>,
        name: IndexName,
        definition: Option<Arc<str>>,
        values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    ) -> Result<Self, AddIndexError> {
        let values = move |entry: &Entry<S::Handle>, decoded: &mut Decoded| {
            of_object::<K, S, V>(entry, decoded, &values)
        };
        indexer
            .add_defined_index(name, definition, values)
            .map(Self::new)
    }

    /// Adds an index over a path, whose values are read as text if the storage can do that, and by a
    /// function of the object if not.
    pub(crate) fn over_path(
        indexer: &Indexer<S::Handle>,
        name: IndexName,
        definition: Option<Arc<str>>,
        path: FieldPath,
        values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError> + Send + Sync + 'static,
    ) -> Result<Self, AddIndexError> {
        let values = move |entry: &Entry<S::Handle>, decoded: &mut Decoded| {
            let Some(texts) = S::texts_at(entry, &path) else {
                return of_object::<K, S, V>(entry, decoded, &values);
            };
            let parse = |text: String| {
                let value = V::parse(&text);
                value
                    .ok_or_else(|| format!("a value at `{path}` is not of the index's type").into())
            };
            texts?.into_iter().map(parse).collect()
        };
        indexer
            .add_defined_index(name, definition, values)
            .map(Self::new)
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

/// The values of an object, which stays decoded for the functions after this one.
fn of_object<K: Object, S: Storage<K>, V>(
    entry: &Entry<S::Handle>,
    decoded: &mut Decoded,
    values: impl Fn(&K) -> Result<Vec<V>, IndexFunctionError>,
) -> Result<Vec<V>, IndexFunctionError> {
    let object = S::object(&entry.handle)?;
    // A handle that is the object needs nobody to hold what it decodes to.
    if TypeId::of::<S::Handle>() != TypeId::of::<Arc<K>>() {
        decoded.hold(&object);
    }
    values(&object)
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
