//! [`SharedInformer`]: the handle that all users of an informer share.

use std::any::TypeId;
use std::error::Error;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;
#[cfg(feature = "packed")]
use serde::de::DeserializeOwned;

use super::config::InformerConfig;
use super::error::ConfigError;
use super::fetch;
use super::generic_informer::{GenericInformer, Parts};
use crate::indexer::{AddIndexError, Decoded, Index, IndexName, IndexValue, Indexer, Snapshot};
use crate::lister::{Lister, ReadsCaches, VisitCache, over_label, over_objects};
use crate::object::Object;
use crate::processor::{
    AddHandlerError, EventHandler, EventStream, HandlerOptions, HandlerRegistration,
};
use crate::reflector::EntryMaker;
use crate::storage::{Entry, Filter, PathStorage, Storage, Transform, Typed};
#[cfg(feature = "packed")]
use crate::storage::{Packed, PackedObject};
use crate::wire::FieldPath;

/// Cache of one resource that follows the API server, shared by listers and handlers.
///
/// All clones are handles to the same informer. The informer lists and watches once, however many
/// handlers, listers and clones exist. client-go's counterpart is `SharedIndexInformer`.
#[derive_where(Clone)]
pub struct SharedInformer<K: Object, S: Storage<K> = Typed> {
    generic: GenericInformer,
    storage: Arc<S>,
    indexer: Indexer<S::Object>,
    objects: PhantomData<fn() -> K>,
}

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Joins the parts of an informer.
    pub(crate) fn from_parts(storage: S, parts: Parts) -> Self {
        let storage = Arc::new(storage);
        let config = &parts.config;
        let transform = config.transform.as_deref().and_then(Transform::of);
        let filter = config.filter.as_deref().and_then(Filter::of);
        let maker = EntryMaker::new(&storage, transform.cloned(), filter.cloned())
            .drop_fields(config.drop_fields.as_ref())
            .covering(&parts.coverage);
        storage.attach(fetch::link(&parts, transform));
        let generic = GenericInformer::new::<K, S>(Arc::clone(&storage), parts, maker);
        Self::of(generic, storage)
    }

    /// Checks that the storage accepts the transform.
    pub(crate) fn check_transform(storage: &S, config: &InformerConfig) -> Result<(), ConfigError> {
        match config.transform.as_deref().and_then(Transform::of) {
            Some(transform) if !storage.accepts(transform) => Err(
                ConfigError::TransformNotAccepted(Arc::clone(transform.name())),
            ),
            _ => Ok(()),
        }
    }

    /// Gives an informer its type. `storage` must be the informer's.
    pub(super) fn of(generic: GenericInformer, storage: Arc<S>) -> Self {
        Self {
            indexer: Indexer::of(generic.inner.store.clone()),
            generic,
            storage,
            objects: PhantomData,
        }
    }

    /// Returns a lister over the cache.
    #[must_use]
    pub fn lister(&self) -> Lister<K, S> {
        let mut lister = Lister::new(self.indexer.clone(), Arc::clone(&self.inner.resource));
        lister.coverage = Arc::clone(&self.inner.coverage);
        lister.early = Some(Arc::clone(&self.inner.early));
        lister
    }

    /// Returns a consistent snapshot of the cache. Later changes do not affect the snapshot. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S::Object> {
        self.indexer.snapshot()
    }

    /// Returns the store behind the listers, with client-go's string-keyed indexers.
    ///
    /// Only the informer should write to this store: it overwrites the changes of other writers.
    #[must_use]
    pub fn indexer(&self) -> &Indexer<S::Object> {
        &self.indexer
    }

    /// Returns the storage, which decides in which form objects are held.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.storage
    }

    /// Returns a function that gives a handle to this informer while another handle exists.
    #[doc(hidden)]
    pub fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<K, S> {
        let inner = Arc::downgrade(&self.inner);
        let storage = Arc::downgrade(&self.storage);
        move || {
            let inner = inner.upgrade()?;
            Some(Self::of(GenericInformer { inner }, storage.upgrade()?))
        }
    }

    // --- handlers ---

    /// Adds a handler with default options. A handler can be added at any time before the informer
    /// stops.
    ///
    /// A handler that is added late first receives every cached object as an add.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<S::Object>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with its own name, resync period or mailbox settings.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn add_event_handler_with(
        &self,
        handler: impl EventHandler<S::Object>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let current = || Some(self.current());
        self.inner
            .processor
            .add_of_objects(handler, options, current)
    }

    /// Returns notifications as a stream. Dropping the stream removes its registration.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn events(
        &self,
        options: HandlerOptions,
    ) -> Result<EventStream<S::Object>, AddHandlerError> {
        let options = options.named_after::<EventStream<S::Object>>();
        self.generic.subscribe(options).map(EventStream::of)
    }

    // --- indices ---

    /// Adds an index that groups objects by the values that `values` returns, none or many per
    /// object.
    ///
    /// An index can be added at any time. Objects that are cached already are indexed before this
    /// function returns, except for those with an evicted body; see [`Index::wait_complete`].
    /// O(n log n).
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    pub fn add_index<V, I>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Result<Index<S::Object, V>, AddIndexError>
    where
        V: IndexValue,
        I: IntoIterator<Item = V>,
    {
        self.try_add_index(name, move |object| Ok(values(object).into_iter().collect()))
    }

    /// Adds an index whose function can fail. An object for which the function fails is missing
    /// from this index only.
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    pub fn try_add_index<V: IndexValue>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&K) -> Result<Vec<V>, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Result<Index<S::Object, V>, AddIndexError> {
        over_objects::<K, V, S>(&self.indexer, name.into(), None, values)
    }

    /// Adds an index over the scalars at a path, as text. The index is named after the path. If the
    /// path leads through arrays, the values of all elements are indexed.
    ///
    /// [`Packed`](crate::Packed) reads the values from the stored bytes. `null` and missing fields
    /// have no values. If the path ends at an object, the cached object is missing from this index
    /// only.
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Packed, SharedInformer};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn doc(pods: SharedInformer<Pod, Packed>) -> Result<(), Box<dyn std::error::Error>> {
    /// let by_image = pods.add_path_index("spec.containers[*].image".parse()?)?;
    /// println!("{} pods", by_image.get("nginx:1.29").len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_path_index(&self, path: FieldPath) -> Result<Index<S::Object, String>, AddIndexError>
    where
        S: PathStorage<K>,
    {
        let name = IndexName::from(path.as_str());
        let definition = Some(path.as_str().into());
        let label = path.as_label().map(str::to_owned);
        let values = move |entry: &Entry, _: &mut Decoded| match &label {
            Some(label) => {
                let value = S::label(entry.typed(), label);
                Ok(value.map(str::to_owned).into_iter().collect())
            }
            None => S::values_at(entry.typed(), &path),
        };
        self.indexer.add_defined_index(name, definition, values)
    }

    /// Adds an index over one label. Lists by a selector that compares this label by `=` or `in`
    /// then visit only the objects with these values, in listers of one or all namespaces.
    ///
    /// Returns the existing index if the label has one, so consumers that share an informer can
    /// each call this function. The index contains the objects that have the label, and costs
    /// memory for these; an update whose label is unchanged writes nothing to it. The name of the
    /// index is its path: an index over `metadata.labels['app']`, added by
    /// [`add_path_index`](Self::add_path_index) or declared by the derive, is the same index. Does
    /// not start the informer.
    ///
    /// # Errors
    ///
    /// Fails if another index has that name.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Selector, SharedInformer};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
    /// pods.add_label_index("app.kubernetes.io/name")?;
    /// let web: Selector = "app.kubernetes.io/name in (web,proxy),!legacy".parse()?;
    /// println!("{} pods", pods.lister().list(&web).len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_label_index(&self, label: &str) -> Result<Index<S::Object, String>, AddIndexError> {
        over_label::<K, S>(&self.indexer, label)
    }

    /// Returns the index of this name, if its values have the type `V`.
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<S::Object, V>> {
        self.indexer.index(name)
    }
}

#[cfg(feature = "packed")]
impl<K: Object> SharedInformer<K, Packed> {
    /// Adds an index by a function of few fields of the object: those of `T`. Decoding a `T` of few
    /// fields takes less than twice the time that a path takes, and a small part of the time that
    /// [`add_index`](Self::add_index) takes to decode the whole object. An object that does not
    /// decode into `T` is missing from this index only.
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{Packed, SharedInformer};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// use serde::Deserialize;
    ///
    /// #[derive(Deserialize)]
    /// struct Scheduled {
    ///     spec: PodSpec,
    /// }
    ///
    /// #[derive(Deserialize)]
    /// #[serde(rename_all = "camelCase")]
    /// struct PodSpec {
    ///     node_name: Option<String>,
    ///     priority: Option<i32>,
    /// }
    ///
    /// # fn doc(pods: SharedInformer<Pod, Packed>) -> Result<(), Box<dyn std::error::Error>> {
    /// let urgent_by_node = pods.add_index_as("urgent by node", |pod: &Scheduled| {
    ///     let is_urgent = pod.spec.priority > Some(1000);
    ///     pod.spec.node_name.clone().filter(|_| is_urgent)
    /// })?;
    /// println!("{} pods", urgent_by_node.get("node-1").len());
    /// # Ok(())
    /// # }
    /// ```
    pub fn add_index_as<T, V, I>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&T) -> I + Send + Sync + 'static,
    ) -> Result<Index<PackedObject<K>, V>, AddIndexError>
    where
        T: DeserializeOwned,
        V: IndexValue,
        I: IntoIterator<Item = V>,
    {
        let values = move |entry: &Entry, _: &mut Decoded| {
            let few = entry.typed::<PackedObject<K>>().decode_as()?;
            Ok(values(&few).into_iter().collect())
        };
        self.indexer.add_defined_index(name.into(), None, values)
    }
}

// === impl GenericInformer ===

impl GenericInformer {
    /// Returns the informer with its types, if it has these types.
    #[must_use]
    pub fn typed<K: Object, S: Storage<K>>(&self) -> Option<SharedInformer<K, S>> {
        if self.inner.types != TypeId::of::<(K, S)>() {
            return None;
        }
        let storage = Arc::clone(&self.inner.storage).downcast().ok()?;
        Some(SharedInformer::of(self.clone(), storage))
    }
}

impl<K: Object, S: Storage<K>> fmt::Debug for SharedInformer<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.generic.fmt_as("SharedInformer", f)
    }
}

impl<K: Object, S: Storage<K>> ReadsCaches for SharedInformer<K, S> {
    fn visit_caches(&self, visit: &mut VisitCache<'_>) {
        visit((&self.indexer).into(), None);
    }
}

impl<K: Object, S: Storage<K>> Deref for SharedInformer<K, S> {
    type Target = GenericInformer;

    fn deref(&self) -> &GenericInformer {
        &self.generic
    }
}

impl<K: Object, S: Storage<K>> From<SharedInformer<K, S>> for GenericInformer {
    fn from(informer: SharedInformer<K, S>) -> Self {
        informer.generic
    }
}
