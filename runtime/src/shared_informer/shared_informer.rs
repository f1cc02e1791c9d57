//! [`SharedInformer`]: the handle that all users of an informer share.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::error::SyncError;
use super::life::Life;
use crate::base::sync::Mutex;
use crate::delta_fifo::DeltaFifo;
use crate::indexer::{AddIndexError, Decoded, Index, IndexName, IndexValue, Indexer, Snapshot};
use crate::lister::{Lister, over_label, over_objects};
use crate::object::{Object, ResourceInfo, ResourceVersion};
use crate::processor::{
    AddHandlerError, Current, EventHandler, EventStream, HandlerOptions, HandlerRegistration,
    Processor,
};
use crate::reflector::{EntryMaker, ReflectorSettings, Reporter};
use crate::shared_informer::controller::{Mirror, SnapshotReplay};
use crate::source::ListerWatcher;
use crate::status::{
    InformerLabels, InformerMetrics, InformerState, InformerStatus, Metrics, StatusCell,
    StatusChanges, version_number,
};
use crate::storage::{Entry, PathStorage, Storage, Typed};
use crate::wire::FieldPath;

/// Cache of one resource that follows the API server, shared by listers and handlers.
///
/// All clones are handles to the same informer. The informer lists and watches once, however many
/// handlers, listers and clones exist. client-go's counterpart is `SharedIndexInformer`.
pub struct SharedInformer<K: Object, S: Storage<K> = Typed> {
    pub(crate) inner: Arc<Inner<K, S>>,
}

pub(crate) struct Inner<K: Object, S: Storage<K>> {
    pub(super) name: Arc<str>,
    pub(super) resource: Arc<ResourceInfo>,
    pub(super) namespace: Option<Arc<str>>,
    pub(crate) source: Arc<dyn ListerWatcher>,
    pub(super) maker: Arc<EntryMaker<K, S>>,
    pub(super) reflector: ReflectorSettings,
    pub(super) reporter: Arc<Reporter>,
    pub(crate) fifo: DeltaFifo<S::Handle>,
    pub(super) indexer: Indexer<S::Handle>,
    /// Taken by [`run`](SharedInformer::run).
    pub(super) mirror: Mutex<Option<Mirror<S::Handle>>>,
    pub(super) processor: Processor<S::Handle>,
    pub(crate) status: Arc<StatusCell>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) life: Mutex<Life>,
    pub(crate) stop: CancellationToken,
}

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Prevents the informer from ever running, and gives the reason to all waiters.
    pub(crate) fn refuse(&self, reason: impl Into<Arc<str>>) {
        self.end_before_start(Life::Refused(reason.into()));
    }

    /// Reports whether both handles belong to the same informer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(super) fn from_inner(inner: Inner<K, S>) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Returns the informer's name in logs and errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Returns the cached resource.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.inner.resource
    }

    /// Returns the only cached namespace, or `None` if the informer caches all namespaces or a
    /// cluster-scoped resource.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.inner.namespace.as_deref()
    }

    /// Returns a lister over the cache.
    #[must_use]
    pub fn lister(&self) -> Lister<K, S> {
        Lister::new(
            self.inner.indexer.clone(),
            Arc::clone(&self.inner.resource),
            self.inner.namespace.clone(),
        )
    }

    /// Returns a consistent snapshot of the cache. Later changes do not affect the snapshot. O(1).
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S::Handle> {
        self.inner.indexer.snapshot()
    }

    /// Returns the store behind the listers, with client-go's string-keyed indexers.
    ///
    /// Only the informer should write to this store: it overwrites the changes of other writers.
    #[must_use]
    pub fn indexer(&self) -> &Indexer<S::Handle> {
        &self.inner.indexer
    }

    /// Returns the storage, which decides in which form objects are held.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.inner.maker.storage
    }

    /// Returns the informer's current status. O(undecodable objects).
    #[must_use]
    pub fn status(&self) -> InformerStatus {
        let mut status = self.inner.status.get();
        status.undecodable = self.snapshot().undecodable_all().cloned().collect();
        status.encoding = self.inner.source.last_encoding();
        status
    }

    /// Returns an asynchronous sequence of statuses: the current one, then one per change.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::{InformerState, SharedInformer};
    /// # use k8s_openapi::api::core::v1::Pod;
    /// # async fn doc(pods: SharedInformer<Pod>) {
    /// let mut changes = pods.status_changes();
    /// while let Some(status) = changes.next().await {
    ///     if let InformerState::Degraded { cause } = status.state {
    ///         eprintln!("the pod cache is degraded: {cause}");
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn status_changes(&self) -> StatusChanges {
        let indexer = self.inner.indexer.clone();
        let source = Arc::clone(&self.inner.source);
        StatusChanges::new(Arc::clone(&self.inner.status), move |status| {
            status.undecodable = indexer.snapshot().undecodable_all().cloned().collect();
            status.encoding = source.last_encoding();
        })
    }

    /// Reports whether the first list was processed. Handlers may still lag behind the cache; see
    /// [`HandlerRegistration::has_synced`].
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.status.get().has_synced
    }

    /// Reports whether [`run`](Self::run) was called.
    #[must_use]
    pub fn has_started(&self) -> bool {
        *self.inner.life.lock() == Life::Started
    }

    /// Reports whether the informer has stopped: all of its tasks have ended, and it cannot be
    /// restarted.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self.inner.status.get().state, InformerState::Stopped { .. })
    }

    /// Returns the resourceVersion that reads of the cache reflect.
    #[must_use]
    pub fn last_sync_resource_version(&self) -> ResourceVersion {
        self.snapshot().resource_version().clone()
    }

    /// Returns a function that gives a handle to this informer while another handle exists.
    #[cfg(feature = "prometheus")]
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<K, S> {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade()?;
            Some(Self { inner })
        }
    }

    /// Returns the informer's counters and gauges. O(handlers); with [`Packed`](crate::Packed)
    /// storage also O(distinct labels and owners).
    #[must_use]
    pub fn metrics(&self) -> InformerMetrics {
        let snapshot = self.snapshot();
        let handlers = self.inner.processor.handlers();
        let counted = self.inner.metrics.get();
        let storage = self.storage().metrics();
        InformerMetrics {
            labels: InformerLabels::of::<K>(self.name(), self.resource().gvr(), self.namespace()),
            queued_deltas: self.inner.fifo.len(),
            queued_bytes: self.inner.fifo.bytes(),
            objects: snapshot.len(),
            undecodable: snapshot.undecodable_all().len(),
            is_synced: snapshot.is_synced(),
            store_resource_version: version_number(snapshot.resource_version()),
            handlers: handlers.iter().map(HandlerRegistration::metrics).collect(),
            decoded_objects: storage.decoded_objects.unwrap_or(counted.decoded_objects),
            packed: storage.packed,
            refused_compressions: self.inner.fifo.refused_compressions(),
            ..counted
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
        handler: impl EventHandler<S::Handle>,
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
        handler: impl EventHandler<S::Handle>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.inner
            .processor
            .add(handler, options, || Some(self.current()))
    }

    /// Returns notifications as a stream. Dropping the stream removes its registration.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn events(
        &self,
        options: HandlerOptions,
    ) -> Result<EventStream<S::Handle>, AddHandlerError> {
        self.inner
            .processor
            .stream(options, || Some(self.current()))
    }

    /// Returns the state that a new handler starts from.
    fn current(&self) -> Current<S::Handle> {
        let snapshot = self.inner.indexer.snapshot();
        Current {
            generation: snapshot.generation(),
            synced: snapshot.is_synced(),
            replay: Box::new(SnapshotReplay::new(snapshot)),
        }
    }

    // --- indices ---

    /// Adds an index that groups objects by the values that `values` returns, none or many per
    /// object.
    ///
    /// An index can be added at any time. Objects that are cached already are indexed before this
    /// function returns. O(n log n).
    ///
    /// # Errors
    ///
    /// Fails if an index of this name exists.
    pub fn add_index<V, I>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&K) -> I + Send + Sync + 'static,
    ) -> Result<Index<S::Handle, V>, AddIndexError>
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
    ) -> Result<Index<S::Handle, V>, AddIndexError> {
        over_objects::<K, V, S>(&self.inner.indexer, name.into(), None, values)
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
    pub fn add_path_index(&self, path: FieldPath) -> Result<Index<S::Handle, String>, AddIndexError>
    where
        S: PathStorage<K>,
    {
        let name = IndexName::from(path.as_str());
        let definition = Some(path.as_str().into());
        let label = path.as_label().map(str::to_owned);
        let values = move |entry: &Entry<S::Handle>, _: &mut Decoded| match &label {
            Some(label) => {
                let value = S::label(&entry.handle, label);
                Ok(value.map(str::to_owned).into_iter().collect())
            }
            None => S::values_at(entry, &path),
        };
        let indexer = &self.inner.indexer;
        indexer.add_defined_index(name, definition, values)
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
    pub fn add_label_index(&self, label: &str) -> Result<Index<S::Handle, String>, AddIndexError> {
        over_label::<K, S>(&self.inner.indexer, label)
    }

    /// Returns the index of this name, if its values have the type `V`.
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<S::Handle, V>> {
        self.inner.indexer.index(name)
    }

    // --- waiting ---

    /// Waits until the first list was processed, or until a failure occurs that retries are
    /// unlikely to cure.
    ///
    /// Transient failures do not end the wait; see
    /// [`SharedInformerFactory::wait_for_cache_sync`](crate::SharedInformerFactory::wait_for_cache_sync)
    /// for a wait with a time limit. After an error the informer keeps retrying, and this function
    /// can be called again.
    ///
    /// # Errors
    ///
    /// Fails if the API server forbids or does not serve the resource, rejects the client's
    /// credentials, rejects the request as invalid, or returns a malformed answer. Also fails if
    /// the informer was stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        if let Life::Refused(reason) = &*self.inner.life.lock() {
            return Err(SyncError::Refused(Arc::clone(reason)));
        }
        self.inner
            .status
            .subscribe()
            .wait_for(sync_result)
            .await
            .unwrap_or(Err(SyncError::Stopped))
    }

    /// Waits until the informer has stopped and all of its tasks have ended. Does not stop the
    /// informer.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_until_stopped(&self) {
        let is_stopped = |status: &InformerStatus| {
            matches!(status.state, InformerState::Stopped { .. }).then_some(())
        };
        // An error would mean that the informer is gone, but this handle keeps it alive.
        let _stopped = self.inner.status.subscribe().wait_for(is_stopped).await;
    }
}

/// Returns the result of a wait for sync, or `None` if the wait goes on.
fn sync_result(status: &InformerStatus) -> Option<Result<(), SyncError>> {
    if status.has_synced {
        return Some(Ok(()));
    }
    match &status.state {
        InformerState::Stopped { .. } => Some(Err(SyncError::Stopped)),
        InformerState::Degraded { cause } => SyncError::definite(cause).map(Err),
        InformerState::Pending
        | InformerState::Listing
        | InformerState::Synced
        | InformerState::Stale { .. } => None,
    }
}

impl<K: Object, S: Storage<K>> Clone for SharedInformer<K, S> {
    fn clone(&self) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
        }
    }
}

impl<K: Object, S: Storage<K>> fmt::Debug for SharedInformer<K, S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("name", &self.inner.name)
            .field("status", &self.inner.status.get())
            .finish_non_exhaustive()
    }
}
