//! [`Processor::run`]: spawns and joins the tasks of the handlers.

use std::future::Future;
use std::sync::Arc;

use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::Processor;
use super::processor::ProcessorShared;
use crate::base::panic::HINT;
use crate::base::sync::JoinSet;

impl Processor {
    /// Runs the handlers until `cancel`, then joins them. A processor runs once: a second run ends
    /// at once.
    ///
    /// Running calls are finished, and waiting notifications are dropped. When the future
    /// completes, no handler runs, every waiter on a registration has been woken, and handlers can
    /// no longer be added.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts the handlers at their next `.await`, and stops the processor as
    /// `cancel` does.
    pub(crate) fn run(
        &self,
        cancel: CancellationToken,
    ) -> impl Future<Output = ()> + Send + 'static {
        run(self.shared().clone(), cancel)
    }
}

async fn run(shared: Arc<ProcessorShared>, cancel: CancellationToken) {
    if !shared.start() {
        return;
    }
    let mut tasks = JoinSet::new();
    let stop = StopOnDrop(&shared);
    loop {
        for (_, task) in shared.take_unspawned() {
            tasks.spawn(task);
        }
        tokio::select! {
            biased;
            () = cancel.cancelled() => break,
            () = shared.added() => {}
            Some(joined) = tasks.join_next() => report(&joined),
        }
    }
    drop(stop);
    while let Some(joined) = tasks.join_next().await {
        report(&joined);
    }
}

/// Logs a panic of a handler's `Drop`. Panics of calls are contained in the handler's task.
fn report(joined: &Result<(), JoinError>) {
    if joined.is_err() {
        tracing::error!("handler panicked while it was dropped; {HINT}");
    }
}

/// Stops the processor even if the run is dropped before it completes.
struct StopOnDrop<'s>(&'s ProcessorShared);

impl Drop for StopOnDrop<'_> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
