//! [`GenericInformer`]: an informer without the type of its objects.

use std::any::{Any, TypeId};
use std::fmt;
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};

use tokio_util::sync::CancellationToken;

use super::config::InformerConfig;
use super::controller::{Mirror, SnapshotReplay};
use super::error::SyncError;
use super::life::Life;
use crate::base::sync::Mutex;
use crate::coverage::Coverage;
use crate::delta_fifo::DeltaFifo;
use crate::event::Event;
use crate::indexer::{State, Store};
use crate::lister::EarlyReads;
use crate::object::{
    GroupVersionResource, Object, ObjectKey, ResourceInfo, ResourceVersion, TypeForm,
};
use crate::processor::{
    AddHandlerError, Current, EventHandler, HandlerOptions, HandlerRegistration, Processor,
    Subscription,
};
use crate::reflector::{EntryMaker, Peers, ReflectorSettings, Reporter};
use crate::source::ListerWatcher;
use crate::status::{
    InformerLabels, InformerMetrics, InformerState, InformerStatus, Metrics, NamespaceStatus,
    ReflectorError, Refusal, StatusCell, StatusChanges, StopCause, version_number,
};
use crate::storage::{Entry, Storage};

/// Type-erased informer, for code that handles resources by name, such as a health page or a
/// garbage collector.
///
/// Has everything that does not depend on the type of the objects: a
/// [`SharedInformer`](super::SharedInformer) dereferences to it. Generated `for_resource` functions
/// return it. client-go's counterpart is `informers.GenericInformer`.
///
/// All clones are handles to the same informer.
///
/// # Examples
///
/// ```
/// # use informer_runtime::{GenericInformer, SharedInformerFactory};
/// # use k8s_openapi::api::apps::v1::Deployment;
/// # use k8s_openapi::api::core::v1::{Node, Pod};
/// fn report(factory: &SharedInformerFactory) {
///     let informers: [GenericInformer; 3] = [
///         factory.informer::<Pod>().into(),
///         factory.informer::<Node>().into(),
///         factory.informer::<Deployment>().into(),
///     ];
///     for informer in informers {
///         println!("{}: {}, {} objects", informer.resource(), informer.status().state, informer.len());
///     }
/// }
/// ```
#[derive(Clone)]
pub struct GenericInformer {
    pub(crate) inner: Arc<Inner>,
}

/// All of an informer that does not depend on the type of its objects, and is therefore compiled
/// once.
pub(crate) struct Inner {
    pub(super) name: Arc<str>,
    pub(super) resource: Arc<ResourceInfo>,
    pub(super) form: TypeForm,
    pub(crate) coverage: Arc<Coverage>,
    /// The storage, of type `S` for a `SharedInformer<K, S>`.
    pub(super) storage: Arc<dyn Any + Send + Sync>,
    /// Type `(K, S)` of a `SharedInformer<K, S>`.
    pub(super) types: TypeId,
    /// A source for each reflector, which reports its failures.
    pub(crate) sources: Vec<(Arc<dyn ListerWatcher>, Arc<Reporter>)>,
    pub(crate) maker: Arc<EntryMaker>,
    pub(super) reflector: ReflectorSettings,
    pub(crate) fifo: DeltaFifo,
    pub(crate) store: Store,
    /// Taken by the run.
    pub(super) mirror: Mutex<Option<Mirror>>,
    pub(super) processor: Processor,
    pub(crate) status: Arc<StatusCell>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) life: Mutex<Life>,
    pub(crate) stop: CancellationToken,
    /// Shared by all listers.
    pub(super) early: Arc<EarlyReads>,
    /// Returns the informers that users have requested of the same factory; unset without a factory.
    pub(super) siblings: OnceLock<Box<dyn Fn() -> Vec<GenericInformer> + Send + Sync>>,
    /// Reason for which the factory stopped the informer.
    pub(super) outdated: OnceLock<Arc<str>>,
    /// Drops the calls of handlers that run after the stop.
    pub(crate) abandon: CancellationToken,
}

/// Source, and the namespace that it covers; `None` for all that is cached.
pub(crate) type Source = (Option<Arc<str>>, Arc<dyn ListerWatcher>);

/// Parts of an informer that do not depend on the type of its objects.
pub(crate) struct Parts {
    /// Default: the resource.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) resource: ResourceInfo,
    /// Source of all that is cached, or one for each of several namespaces, in order.
    pub(crate) sources: Vec<Source>,
    pub(crate) config: InformerConfig,
    pub(crate) peers: Peers,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) coverage: Arc<Coverage>,
}

/// Estimated memory of an entry in the store: key, header, and its places in the maps.
const ENTRY_BYTES: usize = 352;
/// Estimated memory of a delta in the queue, and of a notification in a mailbox.
const WAITING_BYTES: usize = 96;

// === impl GenericInformer ===

impl GenericInformer {
    /// Joins the parts of an informer.
    pub(super) fn new<K: Object, S: Storage<K>>(
        storage: Arc<S>,
        parts: Parts,
        maker: EntryMaker,
    ) -> Self {
        let types = TypeId::of::<(K, S)>();
        let scopes = parts.sources.iter().map(|(namespace, _)| namespace.clone());
        let watched: Vec<Arc<str>> = scopes.flatten().collect();
        let retain = parts.config.retain_deleted;
        let store = Store::new::<S::Object>(parts.resource.scope, retain, &watched);
        Self::of(parts, TypeForm::of::<K>(), types, storage, maker, store)
    }

    fn of(
        parts: Parts,
        form: TypeForm,
        types: TypeId,
        storage: Arc<dyn Any + Send + Sync>,
        maker: EntryMaker,
        store: Store,
    ) -> Self {
        let Parts {
            resource, config, ..
        } = parts;
        let name = parts.name.unwrap_or_else(|| resource.to_string().into());
        let scopes = parts.sources.iter().map(|(namespace, _)| namespace.clone());
        // An informer whose owner pushes the deltas has one scope, and no source.
        let pushed = parts.sources.is_empty().then_some(None);
        let status = Arc::new(StatusCell::of(scopes.chain(pushed)));
        let reflector = ReflectorSettings {
            peers: Peers {
                gate: parts.peers.gate.of_group(&resource.api_resource.group),
                ..parts.peers
            },
            ..config.reflector()
        };
        let capacity = config.capacity();
        let reporting = |(position, (namespace, source))| {
            let reporter = Reporter::new(
                Arc::clone(&name),
                config.error_handler.clone(),
                Arc::clone(&status),
                Arc::clone(&parts.metrics),
            );
            (source, Arc::new(reporter.of_namespace(position, namespace)))
        };
        let numbered = parts.sources.into_iter().enumerate();
        let sources = numbered.map(reporting).collect();
        let known = Arc::new(store.clone());
        let mirror = config.store.map(Mirror::new);
        let fifo = DeltaFifo::new(config.order.unwrap_or_default(), capacity, known);
        let inner = Inner {
            processor: Processor::new(&name, config.resync_period.unwrap_or_default()),
            fifo,
            mirror: Mutex::new(mirror),
            storage,
            types,
            maker: Arc::new(maker.for_store(&store)),
            early: Arc::new(EarlyReads::new(Arc::clone(&name))),
            name,
            resource: Arc::new(resource),
            form,
            coverage: parts.coverage,
            sources,
            reflector,
            store,
            status,
            metrics: parts.metrics,
            life: Mutex::new(Life::default()),
            stop: CancellationToken::new(),
            siblings: OnceLock::new(),
            outdated: OnceLock::new(),
            abandon: CancellationToken::new(),
        };
        Self {
            inner: Arc::new(inner),
        }
    }

    /// Reports whether both handles belong to the same informer.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.inner, &other.inner)
    }

    /// Prevents the informer from ever running, and gives the reason to all waiters.
    pub(crate) fn refuse(&self, reason: impl Into<Arc<str>>) {
        self.end_before_start(Life::Refused(reason.into()));
    }

    /// Sets the function that returns the informers of the same factory.
    pub(crate) fn set_siblings(&self, siblings: impl Fn() -> Vec<Self> + Send + Sync + 'static) {
        _ = self.inner.siblings.set(Box::new(siblings));
    }

    /// Returns the informers that users have requested of the same factory, with this one; only this one
    /// if it has no factory, or if the factory was dropped.
    #[doc(hidden)]
    #[must_use]
    pub fn siblings(&self) -> Vec<Self> {
        let Some(of_factory) = self.inner.siblings.get() else {
            return vec![self.clone()];
        };
        let siblings = of_factory();
        if siblings.is_empty() {
            return vec![self.clone()];
        }
        siblings
    }

    /// Waits until the first list was processed, however often it fails, or until the informer has
    /// stopped.
    #[doc(hidden)]
    pub async fn wait_until_listed(&self) {
        let is_listed = |status: &InformerStatus| {
            let is_stopped = matches!(status.state, InformerState::Stopped { .. });
            (status.has_synced || is_stopped).then_some(())
        };
        self.inner.status.wait_for(is_listed).await;
    }

    /// Stops the informer, and gives the reason to all waiters.
    pub(crate) fn stop_because(&self, reason: impl Into<Arc<str>>) {
        _ = self.inner.outdated.set(reason.into());
        self.stop();
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

    /// Returns the cached namespaces, in order; empty if the informer caches all namespaces or a
    /// cluster-scoped resource.
    #[must_use]
    pub fn namespaces(&self) -> &[Arc<str>] {
        &self.inner.coverage.namespaces
    }

    /// Returns the memory that no eviction frees, in bytes. The size of decoded objects, of the store
    /// and its indices, of the queue and of mailboxes is estimated.
    #[doc(hidden)]
    #[must_use]
    pub fn held_bytes(&self) -> usize {
        let state = self.state();
        let fifo = &self.inner.fifo;
        let retained = state.retained();
        let storage = self.inner.maker.storage_metrics();
        let handlers = self.inner.processor.handlers();
        let mailboxes = || handlers.iter().map(HandlerRegistration::stats);
        let waiting = fifo.len() + mailboxes().map(|stats| stats.pending).sum::<usize>();
        let objects = if let Some(packed) = storage.packed {
            // Counts what waits, too.
            packed.total().saturating_sub(storage.reported_bytes)
        } else {
            let waiting: usize = mailboxes().map(|stats| stats.pending_bytes).sum();
            let listed = self.inner.maker.listed.load(Ordering::Relaxed);
            let bytes = state.bytes() + retained.bytes + listed + fifo.bytes() + waiting;
            (self.inner.maker.decoded_bytes)(state.len() + retained.objects, bytes)
        };
        let entries = (state.len() + retained.objects) * ENTRY_BYTES + state.index_bytes();
        objects + entries + waiting * WAITING_BYTES
    }

    /// Returns the registrations of all handlers.
    pub(crate) fn handlers(&self) -> Vec<HandlerRegistration> {
        self.inner.processor.handlers()
    }

    /// Returns `true` if the storage has evicted bodies.
    pub(crate) fn evicts(&self) -> bool {
        let packed = self.inner.maker.storage_metrics().packed;
        packed.is_some_and(|packed| packed.evicted > 0)
    }

    /// Prints name and status, under the name of the type that contains the informer.
    pub(super) fn fmt_as(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("name", &self.inner.name)
            .field("status", &self.inner.status.get())
            .finish_non_exhaustive()
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.inner.store.state()
    }

    /// Returns the informer's current status. O(undecodable objects).
    #[must_use]
    pub fn status(&self) -> InformerStatus {
        let mut status = self.inner.status.get();
        complete(&mut status, &self.inner.store, &self.inner.sources);
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
    ///     if !matches!(status.state, InformerState::Synced) {
    ///         eprintln!("the pod cache: {}", status.state); // with the cause and the remedy
    ///     }
    /// }
    /// # }
    /// ```
    #[must_use]
    pub fn status_changes(&self) -> StatusChanges {
        let store = self.inner.store.clone();
        let sources = self.inner.sources.clone();
        StatusChanges::new(Arc::clone(&self.inner.status), move |status| {
            complete(status, &store, &sources);
        })
    }

    /// Reports whether the first list was processed. Handlers may still lag behind the cache; see
    /// [`HandlerRegistration::has_synced`].
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.inner.status.get().has_synced
    }

    /// Reports whether a wait for the sync would return `Ok` at once.
    pub(crate) fn is_ready(&self) -> bool {
        matches!(sync_result(&self.inner.status.get()), Some(Ok(())))
    }

    /// Reports whether the informer was stopped, or is being stopped, and was not refused by its factory.
    pub(crate) fn is_stopping(&self) -> bool {
        let is_refused = matches!(&*self.inner.life.lock(), Life::Refused(_));
        !is_refused && (self.inner.stop.is_cancelled() || self.is_stopped())
    }

    /// Reports whether the informer was stopped on request after its sync.
    pub(crate) fn was_given_up(&self) -> bool {
        let status = self.inner.status.get();
        let on_request = matches!(
            status.state,
            InformerState::Stopped {
                cause: StopCause::Requested
            }
        );
        status.has_synced && on_request
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
        self.state().resource_version.clone()
    }

    /// Returns the failure of the latest attempt for a namespace, or for any; `None` if it did not
    /// fail.
    #[doc(hidden)]
    #[must_use]
    pub fn last_failure(&self, namespace: Option<&str>) -> Option<Arc<ReflectorError>> {
        let known = self.inner.status.get().namespaces.into_iter();
        let mut concerned = known.filter(|known| known.concerns(namespace));
        concerned.find_map(|known| known.failure)
    }

    /// Returns the informer's counters and gauges. O(handlers); with [`Packed`](crate::Packed)
    /// storage also O(distinct labels and owners).
    #[must_use]
    pub fn metrics(&self) -> InformerMetrics {
        let state = self.state();
        let handlers = self.inner.processor.handlers();
        let counted = self.inner.metrics.get();
        let storage = self.inner.maker.storage_metrics();
        let GroupVersionResource {
            group,
            version,
            resource,
        } = self.inner.resource.gvr();
        InformerMetrics {
            labels: InformerLabels {
                name: self.name().to_owned(),
                group,
                version,
                resource,
                namespace: self.namespaces().join(","),
                form: self.inner.form.as_str(),
            },
            queued_deltas: self.inner.fifo.len(),
            queued_bytes: self.inner.fifo.bytes(),
            objects: state.keys().len(),
            retained_objects: state.retained().objects,
            undecodable: state.undecodable_keys().len(),
            state: self.inner.status.get().state.as_str().to_owned(),
            is_synced: state.synced,
            store_resource_version: version_number(&state.resource_version),
            handlers: handlers.iter().map(HandlerRegistration::metrics).collect(),
            decoded_objects: storage.decoded_objects.unwrap_or(counted.decoded_objects),
            packed: storage.packed,
            ..counted
        }
    }

    /// Adds a handler of entries.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    #[doc(hidden)]
    pub fn add(
        &self,
        handler: impl EventHandler<Entry>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.inner
            .processor
            .add(handler, options, || Some(self.current()))
    }

    /// Returns notifications of entries, to be polled.
    pub(crate) fn subscribe(
        &self,
        options: HandlerOptions,
    ) -> Result<Subscription, AddHandlerError> {
        self.inner
            .processor
            .subscribe(options, || Some(self.current()))
    }

    /// Returns the state that a new handler starts from.
    pub(super) fn current(&self) -> Current {
        SnapshotReplay::current(self.state())
    }

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
    /// credentials, rejects the request as invalid, or returns a malformed answer. Fails as well if
    /// the server permits the list but not the watch: [`has_synced`](Self::has_synced) is `true`
    /// then, and the cache lists again and again. Also fails if the informer was stopped.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_for_sync(&self) -> Result<(), SyncError> {
        self.wait_for_result(sync_result).await
    }

    /// Waits as [`wait_for_sync`](Self::wait_for_sync) does, and also while the API server does not
    /// serve the resource to this client: for a `CustomResourceDefinition` that is installed later,
    /// or a right that is granted later. The informer asks for a missing kind about every 2 s, and
    /// within a minute for a forbidden one.
    ///
    /// # Errors
    ///
    /// Fails as `wait_for_sync` does, except with [`SyncError::NotServed`] and
    /// [`SyncError::Forbidden`].
    ///
    /// # Cancel safety
    ///
    /// Dropping the future has no effect.
    pub async fn wait_until_served(&self) -> Result<(), SyncError> {
        let is_served = |result: &Result<(), SyncError>| {
            !matches!(
                result,
                Err(SyncError::NotServed(_) | SyncError::Forbidden(_))
            )
        };
        self.wait_for_result(|status| sync_result(status).filter(is_served))
            .await
    }

    /// Waits for the first list of a namespace, or of all of them. Fails as
    /// [`wait_for_sync`](Self::wait_for_sync) does.
    pub(crate) async fn wait_for_namespace(&self, name: Option<&str>) -> Result<(), SyncError> {
        let of_namespace = |status: &InformerStatus| {
            let known = status.namespaces.iter();
            let mut waiting = known.filter(|known| known.concerns(name) && !known.has_synced);
            if waiting.clone().next().is_none() {
                return Some(Ok(()));
            }
            if matches!(status.state, InformerState::Stopped { .. }) {
                return Some(Err(SyncError::Stopped));
            }
            waiting.find_map(|known| SyncError::definite(known.failure.as_ref()?).map(Err))
        };
        self.wait_for_result(of_namespace).await
    }

    async fn wait_for_result(
        &self,
        select: impl FnMut(&InformerStatus) -> Option<Result<(), SyncError>>,
    ) -> Result<(), SyncError> {
        if let Life::Refused(reason) = &*self.inner.life.lock() {
            return Err(SyncError::Refused(Arc::clone(reason)));
        }
        self.inner.status.wait_for(select).await
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
        self.inner.status.wait_for(is_stopped).await;
    }

    /// Returns the number of cached objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.state().keys().len()
    }

    /// Reports whether no object is cached.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the keys of the cached objects, in order. O(n).
    #[must_use]
    pub fn keys(&self) -> Vec<ObjectKey> {
        self.state().keys().cloned().collect()
    }

    /// Calls `handler` with the key of each object that is added, changed or deleted, starting with
    /// the objects that are cached already. Intended for adding keys to a `WorkQueue`.
    ///
    /// # Errors
    ///
    /// Fails if the informer was stopped.
    pub fn on_change(
        &self,
        handler: impl Fn(&ObjectKey) + Send + Sync + 'static,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        let handler = move |event: Event<Entry>| handler(event.key());
        self.add(handler, HandlerOptions::default())
    }
}

impl fmt::Debug for GenericInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.fmt_as("GenericInformer", f)
    }
}

/// Adds to a status what the status cell does not hold.
fn complete(
    status: &mut InformerStatus,
    store: &Store,
    sources: &[(Arc<dyn ListerWatcher>, Arc<Reporter>)],
) {
    status.undecodable = store.state().undecodable_all().cloned().collect();
    status.encoding = sources
        .iter()
        .find_map(|(source, _)| source.last_encoding());
}

/// Returns the result of a wait for sync, or `None` if the wait goes on.
fn sync_result(status: &InformerStatus) -> Option<Result<(), SyncError>> {
    if matches!(status.state, InformerState::Stopped { .. }) {
        return Some(Err(SyncError::Stopped));
    }
    if status.has_synced {
        let listed = status.namespaces.iter().filter(|known| known.has_synced);
        return watch_result(listed);
    }
    let (listed, waiting): (Vec<_>, Vec<_>) =
        status.namespaces.iter().partition(|known| known.has_synced);
    let definite: Option<Vec<SyncError>> = waiting
        .into_iter()
        .map(|known| SyncError::definite(known.failure.as_ref()?))
        .collect();
    // Forbidden namespaces do not keep the informer from its sync if another one is listed.
    let ends_wait =
        |error: &SyncError| listed.is_empty() || !matches!(error, SyncError::Forbidden(_));
    definite?.into_iter().find(ends_wait).map(Err)
}

/// Returns the result of a wait for sync of listed namespaces. A list alone is not enough if the
/// server refuses the watch: such a cache is as old as its last list.
fn watch_result<'a>(
    listed: impl Iterator<Item = &'a NamespaceStatus>,
) -> Option<Result<(), SyncError>> {
    for known in listed.filter(|known| !known.has_watched) {
        let Some(failure) = &known.failure else {
            continue;
        };
        if let Some(error) = SyncError::definite(failure) {
            return Some(Err(error));
        }
        // The watch that follows the list will most likely be refused as well.
        if Refusal::remedied(failure).is_some() {
            return None;
        }
    }
    Some(Ok(()))
}

#[cfg(test)]
mod tests;
