//! The handle by which everybody shares an informer.

use std::error::Error;
use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::error::SyncError;
use super::life::Life;
use crate::base::sync::Mutex;
use crate::delta_fifo::DeltaFifo;
use crate::indexer::{AddIndexError, Decoded, Index, IndexName, IndexValue, Indexer, Snapshot};
use crate::lister::{Lister, over_objects};
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

/// A cache of one resource that follows the API server, shared by listers and handlers.
///
/// Clones are the same informer. However many handlers, listers and clones there are, it lists
/// and watches once. client-go's counterpart is `SharedIndexInformer`.
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
    /// Taken by the run.
    pub(super) mirror: Mutex<Option<Mirror<S::Handle>>>,
    pub(super) processor: Processor<S::Handle>,
    pub(crate) status: Arc<StatusCell>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) life: Mutex<Life>,
    pub(crate) stop: CancellationToken,
}

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Makes sure that nobody runs the informer, and tells whoever waits for it why.
    pub(crate) fn refuse(&self, reason: impl Into<Arc<str>>) {
        self.end_before_start(Life::Refused(reason.into()));
    }

    /// Whether both are the same informer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    pub(super) fn from_inner(inner: Inner<K, S>) -> Self {
        Self {
            inner: Arc::new(inner),
        }
    }

    /// The name in logs and errors.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// What is cached.
    #[must_use]
    pub fn resource(&self) -> &ResourceInfo {
        &self.inner.resource
    }

    /// The one namespace that is cached; `None` for all, and for cluster-scoped resources.
    #[must_use]
    pub fn namespace(&self) -> Option<&str> {
        self.inner.namespace.as_deref()
    }

    /// A lister over the cache.
    #[must_use]
    pub fn lister(&self) -> Lister<K, S> {
        Lister::new(
            self.inner.indexer.clone(),
            Arc::clone(&self.inner.resource),
            self.inner.namespace.clone(),
        )
    }

    /// The cache at this moment: O(1), consistent, unmoved by later changes.
    #[must_use]
    pub fn snapshot(&self) -> Snapshot<S::Handle> {
        self.inner.indexer.snapshot()
    }

    /// The store behind the listers, with client-go's string-keyed indexers.
    ///
    /// It is the informer's to write to; whoever else does is overwritten.
    #[must_use]
    pub fn indexer(&self) -> &Indexer<S::Handle> {
        &self.inner.indexer
    }

    /// How objects are held.
    #[must_use]
    pub fn storage(&self) -> &S {
        &self.inner.maker.storage
    }

    /// How the informer is doing. O(undecodable objects).
    #[must_use]
    pub fn status(&self) -> InformerStatus {
        let mut status = self.inner.status.get();
        status.undecodable = self.snapshot().undecodable_all().cloned().collect();
        status.encoding = self.inner.source.last_encoding();
        status
    }

    /// The status now and each time that it changes, to be awaited.
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
    ///         eprintln!("pods are not followed: {cause}");
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

    /// Whether the first list was processed. Says nothing about handlers; see
    /// [`HandlerRegistration::has_synced`].
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.status.get().has_synced
    }

    /// Whether [`run`](Self::run) was called.
    #[must_use]
    pub fn has_started(&self) -> bool {
        *self.inner.life.lock() == Life::Started
    }

    /// Whether the informer was stopped: no task of it is left, and it cannot be started again.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        matches!(self.inner.status.get().state, InformerState::Stopped { .. })
    }

    /// The version that reads reflect.
    #[must_use]
    pub fn last_sync_resource_version(&self) -> ResourceVersion {
        self.snapshot().resource_version().clone()
    }

    /// Returns a function that gives this again, as long as somebody else holds it.
    #[cfg(feature = "prometheus")]
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<K, S> {
        let inner = Arc::downgrade(&self.inner);
        move || {
            let inner = inner.upgrade()?;
            Some(Self { inner })
        }
    }

    /// What it has done so far, and does now. O(handlers); with [`Packed`](crate::Packed) storage
    /// also O(distinct labels and owners).
    #[must_use]
    pub fn metrics(&self) -> InformerMetrics {
        let snapshot = self.snapshot();
        let handlers = self.inner.processor.handlers();
        let counted = self.inner.metrics.get();
        let storage = self.storage().metrics();
        InformerMetrics {
            labels: InformerLabels::of::<K>(self.name(), self.resource().gvr(), self.namespace()),
            queued_deltas: self.inner.fifo.len(),
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

    /// Adds a handler with default options. Can be done at any time before the stop.
    ///
    /// A handler that comes late first gets every cached object as an add.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn add_event_handler(
        &self,
        handler: impl EventHandler<S::Handle>,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.add_event_handler_with(handler, HandlerOptions::default())
    }

    /// Adds a handler with a name, a resync period or a mailbox of its own.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn add_event_handler_with(
        &self,
        handler: impl EventHandler<S::Handle>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.inner
            .processor
            .add(handler, options, || Some(self.current()))
    }

    /// Notifications as a stream. Dropping it ends it.
    ///
    /// # Errors
    ///
    /// The informer was stopped.
    pub fn events(
        &self,
        options: HandlerOptions,
    ) -> Result<EventStream<S::Handle>, AddHandlerError> {
        self.inner
            .processor
            .stream(options, || Some(self.current()))
    }

    /// What a new handler starts from.
    fn current(&self) -> Current<S::Handle> {
        let snapshot = self.inner.indexer.snapshot();
        Current {
            generation: snapshot.generation(),
            synced: snapshot.is_synced(),
            replay: Box::new(SnapshotReplay::new(snapshot)),
        }
    }

    // --- indices ---

    /// Adds an index: objects by the values that `values` gives for them, none or many.
    ///
    /// Can be done at any time; what is cached is indexed before this returns. O(n log n).
    ///
    /// # Errors
    ///
    /// There is an index of this name.
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

    /// Adds an index whose function can fail. A failure costs its object its place in this index.
    ///
    /// # Errors
    ///
    /// There is an index of this name.
    pub fn try_add_index<V: IndexValue>(
        &self,
        name: impl Into<IndexName>,
        values: impl Fn(&K) -> Result<Vec<V>, Box<dyn Error + Send + Sync>> + Send + Sync + 'static,
    ) -> Result<Index<S::Handle, V>, AddIndexError> {
        over_objects::<K, V, S>(&self.inner.indexer, name.into(), None, values)
    }

    /// Adds an index over the scalars at a path, as text; it is named after the path. Where the
    /// path leads through arrays, an object is found by the values of all elements.
    ///
    /// [`Packed`](crate::Packed) reads them from the bytes. `null` and what is not there are no
    /// values; an object at the end of the path costs its object its place in this index.
    ///
    /// # Errors
    ///
    /// There is an index of this name.
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
        let values = move |entry: &Entry<S::Handle>, _: &mut Decoded| S::values_at(entry, &path);
        let indexer = &self.inner.indexer;
        indexer.add_defined_index(name, definition, values)
    }

    /// The index of this name, if its values have this type.
    #[must_use]
    pub fn index<V: IndexValue>(&self, name: &str) -> Option<Index<S::Handle, V>> {
        self.inner.indexer.index(name)
    }

    // --- waiting ---

    /// Waits until the first list was processed, or until it is clear that waiting does not help.
    ///
    /// Failures that come and go are waited out; see
    /// [`SharedInformerFactory::wait_for_cache_sync`](crate::SharedInformerFactory::wait_for_cache_sync)
    /// for a limit. After an error the informer goes on trying, and this can be called again.
    ///
    /// # Errors
    ///
    /// The server forbids or does not serve the resource, does not know the client, refuses the
    /// request as invalid, or answers with something else; or the informer was stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        if let Life::Refused(reason) = &*self.inner.life.lock() {
            return Err(SyncError::Refused(Arc::clone(reason)));
        }
        self.inner
            .status
            .subscribe()
            .wait_for(judge)
            .await
            .unwrap_or(Err(SyncError::Stopped))
    }

    /// Waits until the informer was stopped and no task of it is left. Asks nobody to stop it.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_until_stopped(&self) {
        let is_stopped = |status: &InformerStatus| {
            matches!(status.state, InformerState::Stopped { .. }).then_some(())
        };
        // Nothing to wait for if the informer is gone, which this handle rules out.
        let _stopped = self.inner.status.subscribe().wait_for(is_stopped).await;
    }
}

/// Whether a wait for sync is over.
fn judge(status: &InformerStatus) -> Option<Result<(), SyncError>> {
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
