//! The informer's tasks, and the order in which they end.

use std::sync::Arc;

use tokio::task::JoinError;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;
use tracing::error;

use super::error::RunError;
use super::generic_informer::GenericInformer;
use super::life::Life;
use crate::base::panic::HINT;
use crate::base::sync::JoinSet;
use crate::reflector::Reflector;
use crate::shared_informer::controller::{Controller, FirstLists};
use crate::status::StopCause;

/// Run of an informer. Dropping the run stops the informer in any state.
struct Run(GenericInformer);

// === impl GenericInformer ===

impl GenericInformer {
    /// Runs the informer until `cancel` is cancelled or [`stop`](Self::stop) is called.
    ///
    /// When this future completes, all tasks of the informer have ended: first the reflectors and
    /// the controller, then each handler after its current call. Pending events are dropped. The
    /// cache stays readable.
    ///
    /// The future owns the run from this call on, even before it is first polled.
    ///
    /// # Errors
    ///
    /// Fails if the informer runs or has run, if its factory does not let it run, or if one of its
    /// tasks panicked.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future, even before its first poll, stops the informer and aborts its tasks. A
    /// running call of a handler ends at its next `.await`.
    pub fn run(
        &self,
        cancel: CancellationToken,
    ) -> impl Future<Output = Result<(), RunError>> + Send + use<> {
        let before = self.inner.life.lock().start();
        let informer = || Arc::clone(&self.inner.name);
        let run = match before {
            Life::Created => Ok(Some(Run(self.clone()))),
            Life::Stopped => {
                // The caller that stopped the informer may not have notified all waiters yet.
                self.finish(StopCause::Requested);
                Ok(None)
            }
            Life::Started => Err(RunError::AlreadyStarted(informer())),
            Life::Refused(reason) => Err(RunError::Refused {
                informer: informer(),
                reason,
            }),
        };
        async move {
            match run? {
                Some(run) => run.complete(cancel).await,
                None => Ok(()),
            }
        }
    }

    /// Ends the informer's run; [`run`](Self::run) returns when the tasks have ended.
    ///
    /// If the informer does not run yet, it stops at once, and a later `run` returns immediately.
    pub fn stop(&self) {
        self.inner.stop.cancel();
        self.end_before_start(Life::Stopped);
    }

    pub(super) fn end_before_start(&self, end: Life) {
        let cause = match &end {
            Life::Refused(reason) => StopCause::Refused(Arc::clone(reason)),
            Life::Created | Life::Started | Life::Stopped => StopCause::Requested,
        };
        let ended = self.inner.life.lock().end_before_start(end);
        if ended {
            self.finish(cause);
        }
    }

    /// Notifies all waiters and handlers that the informer has ended. Idempotent.
    fn finish(&self, cause: StopCause) {
        self.inner.fifo.close();
        self.inner.processor.stop();
        let outdated = self.inner.outdated.get().cloned();
        self.inner
            .status
            .stopped(outdated.map_or(cause, StopCause::Refused));
    }

    fn reflectors(&self) -> impl Iterator<Item = Reflector> {
        self.inner.sources.iter().map(|(source, reporter)| {
            Reflector::new(
                &self.inner.reflector,
                Arc::clone(source),
                Arc::clone(&self.inner.maker),
                self.inner.fifo.clone(),
                self.inner.store.clone(),
                Arc::clone(reporter),
                self.inner.processor.clone(),
            )
        })
    }

    fn controller(&self) -> Controller {
        let namespaces = self.inner.status.get().namespaces.into_iter();
        let namespaces = namespaces.map(|known| known.namespace);
        Controller {
            first_lists: FirstLists::new(namespaces.collect()),
            name: Arc::clone(&self.inner.name),
            fifo: self.inner.fifo.clone(),
            store: self.inner.store.clone(),
            mirror: self.inner.mirror.lock().take(),
            processor: self.inner.processor.clone(),
            coverage: Arc::clone(&self.inner.coverage),
            status: Arc::clone(&self.inner.status),
            metrics: Arc::clone(&self.inner.metrics),
            began: Instant::now(),
        }
    }
}

// === impl Run ===

impl Run {
    async fn complete(self, cancel: CancellationToken) -> Result<(), RunError> {
        let informer = &self.0;
        let inner = &informer.inner;
        inner.status.started();
        let end = cancel.child_token();

        let mut handlers = JoinSet::new();
        let handlers_end = CancellationToken::new();
        handlers.spawn(inner.processor.run(handlers_end.clone()));

        let mut tasks = JoinSet::new();
        for reflector in informer.reflectors() {
            tasks.spawn(reflector.run(end.clone()));
        }
        tasks.spawn(informer.controller().run(end.clone()));

        let mut failed = false;
        tokio::select! {
            () = end.cancelled() => {}
            () = inner.stop.cancelled() => {}
            // No task returns unless cancelled, so an early end means a panic.
            Some(ended) = tasks.join_next() => failed |= has_panicked(&inner.name, &ended),
        }
        end.cancel();
        inner.fifo.close();
        while let Some(ended) = tasks.join_next().await {
            failed |= has_panicked(&inner.name, &ended);
        }
        handlers_end.cancel();
        tokio::select! {
            biased;
            Some(ended) = handlers.join_next() => failed |= has_panicked(&inner.name, &ended),
            // Running calls are dropped at their next `.await`, with `handlers`.
            () = inner.abandon.cancelled() => {}
        }
        if failed {
            inner.status.stopped(StopCause::Panicked);
            return Err(RunError::Panicked(Arc::clone(&inner.name)));
        }
        Ok(())
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.0.finish(StopCause::Requested);
    }
}

fn has_panicked<T>(informer: &str, ended: &Result<T, JoinError>) -> bool {
    if ended.is_err() {
        error!(informer, "a task of the informer panicked; {HINT}");
    }
    ended.is_err()
}
