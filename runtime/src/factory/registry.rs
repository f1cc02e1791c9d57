//! Registry of a factory's informers and their runs. Its lock guards a map, and is never held
//! across an `.await`.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use tokio::runtime::Handle;
use tokio_util::sync::CancellationToken;
use tracing::{error, warn};

use super::error::StartError;
use super::identity::Identity;
use crate::base::sync::{Mutex, TaskTracker};
use crate::object::Object;
use crate::shared_informer::{ConfigError, GenericInformer, RunError, SharedInformer};
use crate::storage::Storage;

pub(super) struct Registry {
    informers: HashMap<Identity, GenericInformer>,
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

    /// Registers a new informer, and starts it if the factory is started. If its settings were
    /// rejected, the informer cannot run, and reports the reason. Returns the informers that it
    /// replaces with the reason, which the caller stops without the lock.
    #[must_use]
    pub(super) fn insert(
        &mut self,
        identity: Identity,
        informer: GenericInformer,
        checked: Result<(), ConfigError>,
    ) -> Vec<(GenericInformer, String)> {
        let outdated = self
            .informers
            .extract_if(|known, _| known.outdated_by(&identity).is_some());
        let outdated: Vec<_> = outdated
            .filter_map(|(known, informer)| Some((informer, known.outdated_by(&identity)?)))
            .collect();
        if let Err(error) = checked {
            informer.refuse(error.to_string());
        }
        match self.phase {
            Phase::Created => {}
            Phase::Started => self.spawn(&informer),
            // The informer will never run, so its waiters are notified at once.
            Phase::ShutDown => informer.refuse("the factory was shut down"),
        }
        self.report_twin(&identity, informer.name());
        self.informers.insert(identity, informer);
        outdated
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

    /// Returns the informer of this identity, if it exists. One that was stopped, or is being stopped,
    /// does not exist any more while the factory can start another.
    pub(super) fn get<K: Object, S: Storage<K>>(
        &mut self,
        identity: &Identity,
    ) -> Option<SharedInformer<K, S>> {
        let known = self.informers.get(identity)?;
        if known.is_stopping() && self.phase != Phase::ShutDown {
            self.informers.remove(identity);
            return None;
        }
        known.typed()
    }

    /// Removes an informer from the registry, and returns it if it was registered. The informer
    /// keeps running, but later requests for its identity get a new one.
    #[must_use]
    pub(super) fn remove(&mut self, informer: &GenericInformer) -> Option<GenericInformer> {
        let mut found = self.informers.iter();
        let identity = found.find(|(_, other)| other.is_same(informer))?.0.clone();
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

    /// Reports whether the factory was started, and was not shut down.
    pub(super) fn has_started(&self) -> bool {
        self.phase == Phase::Started
    }

    /// Prevents further starts. Returns the informers, which the caller stops without the lock, and
    /// their tasks, which the caller awaits.
    pub(super) fn shut_down(&mut self) -> (Vec<GenericInformer>, TaskTracker) {
        self.phase = Phase::ShutDown;
        self.stop.cancel();
        self.tasks.close();
        (self.all(), self.tasks.clone())
    }

    /// Returns a unique name based on `wanted`, because outcomes are reported by name.
    pub(super) fn free_name(&self, wanted: String) -> String {
        let is_taken = |name: &str| self.informers.values().any(|known| known.name() == name);
        if !is_taken(&wanted) {
            return wanted;
        }
        let numbered = (2_u32..).map(|number| format!("{wanted} #{number}"));
        let mut free = numbered.filter(|name| !is_taken(name));
        free.next().unwrap_or(wanted)
    }

    pub(super) fn all(&self) -> Vec<GenericInformer> {
        self.informers.values().cloned().collect()
    }

    /// Returns the informers that users have requested: not those behind a `ReferencedCache`, which
    /// gives informers up that others replace, nor those that were stopped on request.
    pub(super) fn requested(&self) -> Vec<GenericInformer> {
        let informers = self.informers.iter();
        let requested = informers
            .filter(|(identity, informer)| !identity.is_private() && !self.is_given_up(informer));
        requested.map(|(_, informer)| informer.clone()).collect()
    }

    /// Reports whether an informer was stopped on request after its sync, and not by a shutdown.
    pub(super) fn is_given_up(&self, informer: &GenericInformer) -> bool {
        self.phase != Phase::ShutDown && informer.was_given_up()
    }

    fn spawn(&self, informer: &GenericInformer) {
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
