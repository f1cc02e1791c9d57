//! Registry of a factory's informers and their runs. Its lock guards a map, and is never held
//! across an `.await`.

use std::any::Any;
use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use futures::future::BoxFuture;
use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::error::StartError;
use super::identity::Identity;
use crate::base::sync::{Mutex, TaskTracker};
use crate::object::Object;
use crate::shared_informer::{RunError, SharedInformer, SyncError};
use crate::status::{InformerMetrics, InformerState, ReflectorError};
use crate::storage::Storage;

/// Type-erased informer.
pub(super) trait AnyInformer: Any + Send + Sync {
    fn name(&self) -> &str;
    fn has_started(&self) -> bool;
    fn stop(&self);
    fn wait_for_sync(&self) -> BoxFuture<'_, Result<(), SyncError>>;
    fn last_failure(&self) -> Option<Arc<ReflectorError>>;
    fn metrics(&self) -> InformerMetrics;
    fn run(&self, cancel: CancellationToken) -> BoxFuture<'static, Result<(), RunError>>;
    fn as_any(&self) -> &dyn Any;
}

pub(super) type Registered = Arc<dyn AnyInformer>;

pub(super) struct Registry {
    informers: HashMap<Identity, Registered>,
    phase: Phase,
    runtime: Handle,
    /// Runs of all informers, and the factory's other tasks.
    tasks: TaskTracker,
    /// Ends the factory's other tasks.
    stop: CancellationToken,
    /// Errors of failed runs, at most one per informer.
    failed: Arc<Mutex<Vec<RunError>>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    Created,
    Started,
    ShutDown,
}

// === impl Registry ===

impl Registry {
    pub(super) fn new(runtime: Handle) -> Self {
        Self {
            informers: HashMap::new(),
            phase: Phase::Created,
            runtime,
            tasks: TaskTracker::new(),
            stop: CancellationToken::new(),
            failed: Arc::new(Mutex::new(Vec::new())),
        }
    }

    /// Returns the informer of this identity. Creates it if it does not exist, and starts it if the
    /// factory is started.
    pub(super) fn get_or_insert<K: Object, S: Storage<K>>(
        &mut self,
        identity: Identity,
        name: String,
        make: impl FnOnce(String) -> SharedInformer<K, S>,
    ) -> SharedInformer<K, S> {
        let known = self
            .informers
            .get(&identity)
            .and_then(|informer| informer.as_any().downcast_ref::<SharedInformer<K, S>>());
        if let Some(known) = known {
            return known.clone();
        }
        let informer = make(self.free_name(name));
        let registered: Registered = Arc::new(informer.clone());
        match self.phase {
            Phase::Created => {}
            Phase::Started => self.spawn(&registered),
            // The informer will never run, so its waiters are notified at once.
            Phase::ShutDown => informer.refuse("the factory was shut down"),
        }
        self.report_twin(&identity, informer.name());
        self.informers.insert(identity, registered);
        informer
    }

    /// Logs the existing informer that watches the same objects as a new informer and differs in
    /// the fewest settings: in most cases the two were meant to be one.
    fn report_twin(&self, identity: &Identity, name: &str) {
        let twins = self.informers.iter().map(|(known, other)| {
            let differences = identity.differences(known);
            (differences.len(), other.name(), differences)
        });
        let nearest = twins.filter(|(count, ..)| *count > 0).min();
        if let Some((_, other, differences)) = nearest {
            warn!(
                informer = name,
                other,
                differences = differences.join(", "),
                "two informers watch the same objects: the same settings would share one"
            );
        }
    }

    /// Returns the informer of this identity, if it exists.
    pub(super) fn get<K: Object, S: Storage<K>>(
        &self,
        identity: &Identity,
    ) -> Option<SharedInformer<K, S>> {
        let informer = self.informers.get(identity)?;
        informer.as_any().downcast_ref().cloned()
    }

    /// Removes an informer from the registry, and returns it if it was registered. The informer
    /// keeps running, but later requests for its identity get a new one.
    #[must_use]
    pub(super) fn remove<K: Object, S: Storage<K>>(
        &mut self,
        informer: &SharedInformer<K, S>,
    ) -> Option<Registered> {
        let matches = |other: &Registered| {
            let other = other.as_any().downcast_ref::<SharedInformer<K, S>>();
            other.is_some_and(|other| other.is_same(informer))
        };
        let mut found = self.informers.iter();
        let identity = found.find(|(_, other)| matches(other))?.0.clone();
        self.informers.remove(&identity)
    }

    pub(super) fn start(&mut self) -> Result<(), StartError> {
        if self.phase == Phase::ShutDown {
            return Err(StartError::ShutDown);
        }
        self.phase = Phase::Started;
        for informer in self.informers.values() {
            if !informer.has_started() {
                self.spawn(informer);
            }
        }
        Ok(())
    }

    /// Prevents further starts. Returns the informers, which the caller stops without the lock, and
    /// their tasks, which the caller awaits.
    pub(super) fn shut_down(&mut self) -> (Vec<Registered>, TaskTracker) {
        self.phase = Phase::ShutDown;
        self.stop.cancel();
        self.tasks.close();
        (self.all(), self.tasks.clone())
    }

    /// Returns a unique name based on `wanted`, because outcomes are reported by name.
    fn free_name(&self, wanted: String) -> String {
        let is_taken = |name: &str| self.informers.values().any(|known| known.name() == name);
        if !is_taken(&wanted) {
            return wanted;
        }
        let numbered = (2_u32..).map(|number| format!("{wanted} #{number}"));
        let mut free = numbered.filter(|name| !is_taken(name));
        free.next().unwrap_or(wanted)
    }

    pub(super) fn all(&self) -> Vec<Registered> {
        self.informers.values().cloned().collect()
    }

    fn spawn(&self, informer: &Registered) {
        let run = informer.run(CancellationToken::new());
        let failed = Arc::clone(&self.failed);
        let run = async move {
            if let Err(failure) = run.await {
                error!(%failure, "an informer of the factory ended");
                failed.lock().push(failure);
            }
        };
        self.tasks.spawn_on(run, &self.runtime);
    }

    /// Returns a token that is cancelled when the factory shuts down.
    pub(super) fn stop_token(&self) -> CancellationToken {
        self.stop.child_token()
    }

    /// Runs a task that ends with its token, and that a shutdown awaits.
    pub(super) fn spawn_task(&self, task: impl Future<Output = ()> + Send + 'static) {
        self.tasks.spawn_on(task, &self.runtime);
    }

    pub(super) fn run_errors(&self) -> Vec<RunError> {
        self.failed.lock().clone()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Registry")
            .field("informers", &self.informers.len())
            .field("phase", &self.phase)
            .finish_non_exhaustive()
    }
}

impl<K: Object, S: Storage<K>> AnyInformer for SharedInformer<K, S> {
    fn name(&self) -> &str {
        SharedInformer::name(self)
    }

    fn has_started(&self) -> bool {
        SharedInformer::has_started(self)
    }

    fn stop(&self) {
        SharedInformer::stop(self);
    }

    fn wait_for_sync(&self) -> BoxFuture<'_, Result<(), SyncError>> {
        Box::pin(SharedInformer::wait_for_sync(self))
    }

    fn last_failure(&self) -> Option<Arc<ReflectorError>> {
        match self.status().state {
            InformerState::Degraded { cause } | InformerState::Stale { cause } => Some(cause),
            InformerState::Pending
            | InformerState::Listing
            | InformerState::Synced
            | InformerState::Stopped { .. } => None,
        }
    }

    fn metrics(&self) -> InformerMetrics {
        SharedInformer::metrics(self)
    }

    fn run(&self, cancel: CancellationToken) -> BoxFuture<'static, Result<(), RunError>> {
        // The call itself starts the informer, not the first poll, so that concurrent callers see
        // it as started.
        Box::pin(SharedInformer::run(self, cancel))
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}
