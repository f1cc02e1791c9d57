//! An informer's tasks, and the order in which they end.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;
use tracing::error;

use super::error::RunError;
use super::handle::{Inner, SharedInformer};
use crate::controller::Controller;
use crate::reflector::Reflector;
use crate::storage::{Admit, Storage};
use crate::{Object, status::StatusCell};

// === impl SharedInformer ===

impl<K: Object, S: Storage<K>> SharedInformer<K, S> {
    /// Runs the informer until `cancel` is, or [`stop`](Self::stop) is called.
    ///
    /// When this returns, no task of the informer is left: first the reflector and the controller
    /// end, then each handler after the call that it is in; what was pending for it is dropped.
    /// The cache stays readable.
    ///
    /// # Errors
    ///
    /// The informer runs already, or has run.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts all tasks, and the informer is stopped.
    pub async fn run(&self, cancel: CancellationToken) -> Result<(), RunError> {
        let inner = &self.inner;
        if inner.started.swap(true, Ordering::AcqRel) {
            return Err(RunError::AlreadyStarted(Arc::clone(&inner.name)));
        }
        let stopped = Stopped::new(inner);
        inner.status.started();
        let end = cancel.child_token();
        let _ends_with_this = end.clone().drop_guard();

        let mut handlers = JoinSet::new();
        let handlers_end = CancellationToken::new();
        let processing = inner.processor.run(handlers_end.clone());
        handlers.spawn(processing);

        let mut tasks = JoinSet::new();
        tasks.spawn(self.reflector().run(end.clone()));
        tasks.spawn(self.controller().run(end.clone()));

        tokio::select! {
            () = end.cancelled() => {}
            () = inner.stop.cancelled() => {}
            // Neither ends by itself: one that does has panicked.
            ended = tasks.join_next() => log_panic(&inner.name, ended.map(|ended| ended.map(drop))),
        }
        end.cancel();
        inner.fifo.close();
        while let Some(ended) = tasks.join_next().await {
            log_panic(&inner.name, Some(ended));
        }
        handlers_end.cancel();
        while let Some(ended) = handlers.join_next().await {
            log_panic(&inner.name, Some(ended.map(drop)));
        }
        drop(stopped);
        Ok(())
    }

    /// Ends the informer's run; [`run`](Self::run) returns when its tasks have ended. An informer
    /// that does not run yet will end at once when it does.
    pub fn stop(&self) {
        self.inner.stop.cancel();
    }

    fn reflector(&self) -> Reflector<S::Handle> {
        let inner = &self.inner;
        let admit: Arc<dyn Admit<S::Handle>> = inner.admission.clone();
        Reflector::new(
            inner.reflector.clone(),
            Arc::clone(&inner.source),
            admit,
            inner.fifo.clone(),
            inner.indexer.clone(),
            Arc::clone(&inner.reporter),
        )
    }

    fn controller(&self) -> Controller<S::Handle> {
        let inner = &self.inner;
        Controller {
            fifo: inner.fifo.clone(),
            indexer: inner.indexer.clone(),
            processor: inner.processor.clone(),
            status: Arc::clone(&inner.status),
            metrics: Arc::clone(&inner.metrics),
        }
    }
}

/// Says that the informer has stopped, also when its run is dropped in the middle.
struct Stopped {
    status: Arc<StatusCell>,
}

impl Stopped {
    fn new<K: Object, S: Storage<K>>(inner: &Inner<K, S>) -> Self {
        Self {
            status: Arc::clone(&inner.status),
        }
    }
}

impl Drop for Stopped {
    fn drop(&mut self) {
        self.status.stopped();
    }
}

fn log_panic(informer: &str, ended: Option<Result<(), tokio::task::JoinError>>) {
    if let Some(Err(failure)) = ended {
        error!(informer, %failure, "a task of the informer failed");
    }
}
