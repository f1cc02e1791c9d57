//! [`Processor::run`]: spawns and joins the tasks of the handlers.

use std::future::Future;
use std::sync::Arc;

use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::processor::Shared;
use super::{AlreadyRunError, Handle, Processor};
use crate::base::panic::HINT;
use crate::base::sync::JoinSet;

impl<H: Handle> Processor<H> {
    /// Runs the handlers until `cancel`, then joins them.
    ///
    /// Running calls are finished, and waiting notifications are dropped. When the future
    /// completes, no handler runs, every waiter on a registration has been woken, and handlers can
    /// no longer be added.
    ///
    /// # Errors
    ///
    /// Fails if the processor has been run before.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts the handlers at their next `.await`, and stops the processor as
    /// `cancel` does.
    pub fn run(
        &self,
        cancel: CancellationToken,
    ) -> impl Future<Output = Result<(), AlreadyRunError>> + Send + 'static {
        run(self.shared().clone(), cancel)
    }
}

async fn run<H: Handle>(
    shared: Arc<Shared<H>>,
    cancel: CancellationToken,
) -> Result<(), AlreadyRunError> {
    shared.start()?;
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
    Ok(())
}

/// Logs a panic of a handler's `Drop`. Panics of calls are contained in the handler's task.
fn report(joined: &Result<(), JoinError>) {
    if joined.is_err() {
        tracing::error!("handler panicked while it was dropped; {HINT}");
    }
}

/// Stops the processor even if the run is dropped before it completes.
struct StopOnDrop<'s, H: Handle>(&'s Shared<H>);

impl<H: Handle> Drop for StopOnDrop<'_, H> {
    fn drop(&mut self) {
        self.0.stop();
    }
}
