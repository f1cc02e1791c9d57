//! Run of a controller: from its first handler to its last call.

use std::sync::Arc;
use std::time::Duration;

use informer_runtime::processor::AddHandlerError;
use informer_runtime::{GenericInformer, HandlerRegistration, ObjectKey};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::end::{End, Ends};
use super::error::ControllerError;
use super::gates::Gates;
use super::handle::ControllerState;
use super::handlers::Handlers;
use crate::base::sync::JoinSet;
use crate::base::wait;
use crate::workqueue::{KeyQueue, Outcome, ReconcileReason, Stop, WorkQueue};

/// Function that adds handlers which fill a queue.
pub(super) type AddHandlers =
    dyn FnOnce(&KeyQueue) -> Vec<Result<HandlerRegistration, AddHandlerError>> + Send;

/// Settings of one run.
pub(super) struct Run {
    pub(super) name: Arc<str>,
    pub(super) queue: WorkQueue<ObjectKey>,
    pub(super) state: watch::Sender<ControllerState>,
    pub(super) workers: usize,
    pub(super) ends: Ends,
    pub(super) grace_period: Duration,
    pub(super) drains: bool,
    pub(super) caches: Caches,
}

/// Caches whose first lists a run awaits, because `reconcile` may read them.
pub(super) struct Caches {
    /// The controller's own informer.
    pub(super) informer: GenericInformer,
    /// Informers of the session, which may be of other factories.
    pub(super) added: Vec<GenericInformer>,
    /// Names of informers that are not awaited.
    pub(super) exempt: Vec<Arc<str>>,
}

// === impl Caches ===

impl Caches {
    /// Returns the caches that have not been listed, of those that were requested by now.
    fn unlisted(&self) -> Vec<GenericInformer> {
        let mut caches = self.informer.siblings();
        caches.extend_from_slice(&self.added);
        caches.retain(|cache| {
            let name = cache.name();
            let is_exempt = self.exempt.iter().any(|exempt| **exempt == *name);
            !is_exempt && !cache.has_synced() && !cache.is_stopped()
        });
        caches
    }
}

// === impl Run ===

impl Run {
    pub(super) async fn complete<F, Fut>(
        self,
        gates: Gates,
        add_handlers: Vec<Box<AddHandlers>>,
        attempt: F,
    ) -> Result<(), ControllerError>
    where
        F: Fn(ObjectKey, ReconcileReason, i32) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let handlers = self.add_handlers(add_handlers)?;
        let early = tokio::select! {
            biased;
            end = self.ends.any() => Some(end),
            synced = self.wait_for_sync(&handlers) => { synced?; None }
        };
        let ended = match early {
            Some(end) => {
                self.shut_down(end);
                Some(end)
            }
            None => self.reconcile(&gates, attempt).await,
        };
        handlers.remove().await;
        match ended {
            Some(End::LeaseLost) => Err(ControllerError::LeaseLost {
                controller: self.name,
            }),
            Some(End::Requested) | None => Ok(()),
        }
    }

    fn add_handlers(
        &self,
        add_handlers: Vec<Box<AddHandlers>>,
    ) -> Result<Handlers, ControllerError> {
        let queue = KeyQueue::from(&self.queue);
        let mut handlers = Handlers::default();
        for added in add_handlers.into_iter().flat_map(|add_to| add_to(&queue)) {
            let handler = added.map_err(|source| ControllerError::AddHandler {
                controller: Arc::clone(&self.name),
                source,
            })?;
            handlers.0.push(handler);
        }
        Ok(handlers)
    }

    async fn wait_for_sync(&self, handlers: &Handlers) -> Result<(), ControllerError> {
        let caches = self.caches.unlisted();
        let log = |caches, more| {
            info!(controller = %self.name, caches, more, "waiting for the caches to sync");
        };
        let synced = wait::for_caches(&caches, log, async {
            handlers.wait_for_sync().await?;
            for cache in &caches {
                cache.wait_until_listed().await;
            }
            Ok(())
        });
        synced.await.map_err(|source| ControllerError::NotSynced {
            controller: Arc::clone(&self.name),
            source,
        })
    }

    /// Reconciles until an end, or until the queue is shut down and empty.
    async fn reconcile<F, Fut>(&self, gates: &Gates, attempt: F) -> Option<End>
    where
        F: Fn(ObjectKey, ReconcileReason, i32) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let all = self.ends.clone();
        let drains = self.drains;
        let stop = Stop::new(move || {
            let ends = all.clone();
            async move {
                if drains {
                    ends.lost().await;
                } else {
                    ends.any().await;
                }
            }
        });
        let abort = stop.abort.clone();
        let mut workers = self.queue.spawn_workers(self.workers, stop, attempt);
        // End when they are dropped, with the keys that they hold.
        let mut gate_tasks = JoinSet::new();
        gates.spawn(&mut gate_tasks);
        self.state.send_replace(ControllerState::Running);
        info!(controller = %self.name, workers = self.workers.max(1), "reconciling");
        let mut end = tokio::select! {
            biased;
            end = self.ends.any() => end,
            () = joined(&mut workers) => return None,
        };
        self.shut_down(end);
        if end == End::Requested {
            tokio::select! {
                biased;
                () = joined(&mut workers) => {}
                () = self.ends.lost() => end = End::LeaseLost,
                () = sleep(self.grace_period) => {}
            }
        }
        self.drop_calls(&abort, end);
        joined(&mut workers).await;
        Some(end)
    }

    /// Accepts no further keys.
    fn shut_down(&self, end: End) {
        self.state.send_replace(ControllerState::ShuttingDown);
        let mut dropped = 0;
        if end == End::Requested && self.drains {
            self.queue.shut_down();
        } else {
            dropped = self.queue.discard();
        }
        let waiting = self.queue.len();
        match end {
            End::Requested => info!(controller = %self.name, waiting, dropped, "shutting down"),
            End::LeaseLost => {
                warn!(controller = %self.name, dropped, "shutting down: the lease is lost");
            }
        }
    }

    /// Drops the calls that still run, and the keys that still wait.
    fn drop_calls(&self, abort: &CancellationToken, end: End) {
        let waiting = self.queue.discard();
        let running = self.queue.in_work();
        abort.cancel();
        if running.is_empty() && waiting == 0 {
            return;
        }
        let reason = match end {
            End::Requested => "the grace period is over",
            End::LeaseLost => "the lease is lost",
        };
        let (keys, more) = wait::named(&running);
        warn!(
            controller = %self.name,
            calls = running.len(), waiting, keys, more,
            "running calls of `reconcile` dropped: {reason}"
        );
    }
}

/// Waits until all workers have ended. They contain the panics of user code.
async fn joined(workers: &mut JoinSet<()>) {
    while workers.join_next().await.is_some() {}
}
