//! [`AnyInformer`]: an informer without the type of its objects.

use std::fmt;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::config::InformerConfig;
use super::controller::{Mirror, SnapshotReplay};
use super::error::SyncError;
use super::life::Life;
use crate::base::sync::Mutex;
use crate::delta_fifo::DeltaFifo;
use crate::indexer::{State, Store};
use crate::object::{ResourceInfo, ResourceVersion, TypeForm};
use crate::processor::{
    AddHandlerError, Current, EventHandler, HandlerOptions, HandlerRegistration, Processor,
    Subscription,
};
use crate::reflector::{MakeEntry, Peers, ReflectorSettings, Reporter};
use crate::source::ListerWatcher;
use crate::status::{
    InformerLabels, InformerMetrics, InformerState, InformerStatus, Metrics, ReflectorError,
    StatusCell, StatusChanges, version_number,
};
use crate::storage::Entry;

/// All of an informer that does not depend on the type of its objects, and is therefore compiled
/// once. [`SharedInformer`](super::SharedInformer) adds the type.
pub(crate) struct AnyInformer {
    pub(super) name: Arc<str>,
    pub(super) resource: Arc<ResourceInfo>,
    pub(super) form: TypeForm,
    pub(super) namespace: Option<Arc<str>>,
    pub(crate) source: Arc<dyn ListerWatcher>,
    pub(super) maker: Arc<dyn MakeEntry>,
    pub(super) reflector: ReflectorSettings,
    pub(super) reporter: Arc<Reporter>,
    pub(crate) fifo: DeltaFifo,
    pub(super) store: Store,
    /// Taken by [`run`](Self::run).
    pub(super) mirror: Mutex<Option<Mirror>>,
    pub(super) processor: Processor,
    pub(crate) status: Arc<StatusCell>,
    pub(super) metrics: Arc<Metrics>,
    pub(super) life: Mutex<Life>,
    pub(crate) stop: CancellationToken,
}

/// Parts of an informer that do not depend on the type of its objects.
pub(crate) struct Parts {
    /// Default: the resource.
    pub(crate) name: Option<Arc<str>>,
    pub(crate) resource: ResourceInfo,
    pub(crate) source: Arc<dyn ListerWatcher>,
    pub(crate) config: InformerConfig,
    pub(crate) peers: Peers,
}

// === impl AnyInformer ===

impl AnyInformer {
    /// Joins the parts of an informer.
    pub(super) fn new(parts: Parts, form: TypeForm, maker: Arc<dyn MakeEntry>) -> Self {
        let Parts {
            resource, config, ..
        } = parts;
        let name = parts.name.unwrap_or_else(|| resource.to_string().into());
        let store = Store::new(resource.scope);
        let status = Arc::new(StatusCell::new());
        let metrics = Arc::new(Metrics::default());
        let reflector = ReflectorSettings {
            peers: parts.peers,
            ..config.reflector()
        };
        let capacity = config.capacity();
        let reporter = Reporter::new(
            Arc::clone(&name),
            config.error_handler,
            Arc::clone(&status),
            Arc::clone(&metrics),
        );
        let known = Arc::new(store.clone());
        let mirror = config.store.map(Mirror::new);
        let fifo = DeltaFifo::new(config.order.unwrap_or_default(), capacity, known);
        let namespace = config.namespace.filter(|namespace| !namespace.is_empty());
        Self {
            processor: Processor::new(&name, config.resync_period.unwrap_or_default()),
            fifo,
            mirror: Mutex::new(mirror),
            maker,
            name,
            resource: Arc::new(resource),
            form,
            namespace: namespace.map(Arc::from),
            source: parts.source,
            reflector,
            reporter: Arc::new(reporter),
            store,
            status,
            metrics,
            life: Mutex::new(Life::default()),
            stop: CancellationToken::new(),
        }
    }

    /// Prevents the informer from ever running, and gives the reason to all waiters.
    pub(crate) fn refuse(&self, reason: impl Into<Arc<str>>) {
        self.end_before_start(Life::Refused(reason.into()));
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn resource(&self) -> &ResourceInfo {
        &self.resource
    }

    pub(crate) fn namespace(&self) -> Option<&str> {
        self.namespace.as_deref()
    }

    pub(crate) fn state(&self) -> Arc<State> {
        self.store.state()
    }

    pub(crate) fn status(&self) -> InformerStatus {
        let mut status = self.status.get();
        complete(&mut status, &self.store, &*self.source);
        status
    }

    pub(crate) fn status_changes(&self) -> StatusChanges {
        let store = self.store.clone();
        let source = Arc::clone(&self.source);
        StatusChanges::new(Arc::clone(&self.status), move |status| {
            complete(status, &store, &*source);
        })
    }

    pub(crate) fn has_synced(&self) -> bool {
        self.status.get().has_synced
    }

    pub(crate) fn has_started(&self) -> bool {
        *self.life.lock() == Life::Started
    }

    pub(crate) fn is_stopped(&self) -> bool {
        matches!(self.status.get().state, InformerState::Stopped { .. })
    }

    pub(crate) fn last_sync_resource_version(&self) -> ResourceVersion {
        self.state().resource_version.clone()
    }

    /// Returns the failure of the latest attempt; `None` if it did not fail.
    pub(crate) fn last_failure(&self) -> Option<Arc<ReflectorError>> {
        match self.status.get().state {
            InformerState::Degraded { cause } | InformerState::Stale { cause } => Some(cause),
            InformerState::Pending
            | InformerState::Listing
            | InformerState::Synced
            | InformerState::Stopped { .. } => None,
        }
    }

    pub(crate) fn metrics(&self) -> InformerMetrics {
        let state = self.state();
        let handlers = self.processor.handlers();
        let counted = self.metrics.get();
        let storage = self.maker.storage_metrics();
        let resource = self.resource.gvr();
        InformerMetrics {
            labels: InformerLabels::new(self.form, &self.name, resource, self.namespace()),
            queued_deltas: self.fifo.len(),
            queued_bytes: self.fifo.bytes(),
            objects: state.keys().len(),
            undecodable: state.undecodable_keys().len(),
            is_synced: state.synced,
            store_resource_version: version_number(&state.resource_version),
            handlers: handlers.iter().map(HandlerRegistration::metrics).collect(),
            decoded_objects: storage.decoded_objects.unwrap_or(counted.decoded_objects),
            packed: storage.packed,
            refused_compressions: self.fifo.refused_compressions(),
            ..counted
        }
    }

    /// Adds a handler of entries.
    pub(crate) fn add(
        &self,
        handler: impl EventHandler<Entry>,
        options: HandlerOptions,
    ) -> Result<HandlerRegistration, AddHandlerError> {
        self.processor
            .add(handler, options, || Some(self.current()))
    }

    /// Returns notifications of entries, to be polled.
    pub(crate) fn subscribe(
        &self,
        options: HandlerOptions,
    ) -> Result<Subscription, AddHandlerError> {
        self.processor.subscribe(options, || Some(self.current()))
    }

    /// Returns the state that a new handler starts from.
    fn current(&self) -> Current {
        SnapshotReplay::current(self.state())
    }

    pub(crate) async fn wait_for_sync(&self) -> Result<(), SyncError> {
        if let Life::Refused(reason) = &*self.life.lock() {
            return Err(SyncError::Refused(Arc::clone(reason)));
        }
        self.status
            .subscribe()
            .wait_for(sync_result)
            .await
            .unwrap_or(Err(SyncError::Stopped))
    }

    pub(crate) async fn wait_until_stopped(&self) {
        let is_stopped = |status: &InformerStatus| {
            matches!(status.state, InformerState::Stopped { .. }).then_some(())
        };
        // An error would mean that the informer is gone, but this handle keeps it alive.
        let _stopped = self.status.subscribe().wait_for(is_stopped).await;
    }
}

impl fmt::Debug for AnyInformer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SharedInformer")
            .field("name", &self.name)
            .field("status", &self.status.get())
            .finish_non_exhaustive()
    }
}

/// Adds to a status what the status cell does not hold.
fn complete(status: &mut InformerStatus, store: &Store, source: &dyn ListerWatcher) {
    status.undecodable = store.state().undecodable_all().cloned().collect();
    status.encoding = source.last_encoding();
}

/// Returns the result of a wait for sync, or `None` if the wait goes on.
pub(crate) fn sync_result(status: &InformerStatus) -> Option<Result<(), SyncError>> {
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
