//! [`WorkQueue::run_workers`]: the loop that every controller has.

use std::sync::Arc;

use tracing::Instrument as _;

use super::item::QueueItem;
use super::outcome::{Action, Failure, Outcome, ReconcileError};
use super::work_queue::WorkQueue;
use crate::base::panic::{HINT, Panicked, catch_async};
use crate::base::sync::JoinSet;

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    /// Runs `workers` tasks (at least one) that take items and `reconcile` them, until the queue is
    /// shut down and all of them are done.
    ///
    /// After a success the item is forgotten by the rate limiter, and added again if the [`Action`]
    /// says so. An error is logged as a warning with its chain of sources, counted, and the item is
    /// added again with a rate limit: without one (see [`new`](Self::new)) it comes back at once. A
    /// panic is such an error too, but what it said is left to the panic hook. An item that is added
    /// again keeps its priority.
    ///
    /// Each attempt has a span of its own, `reconcile{queue, item}`. Span and log show the item, by its [`Debug`](std::fmt::Debug), and the error: neither should hold
    /// the content of an object, which may be a Secret.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts the workers at their next `.await`; their items count as done,
    /// and those still queued stay. Call it again to go on. To end in good order, shut the queue
    /// down instead.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use informer_runtime::workqueue::{Action, WorkQueue};
    ///
    /// # async fn example() {
    /// let queue: WorkQueue<String> = WorkQueue::rate_limited("files");
    /// queue
    ///     .run_workers(2, |path: String| async move {
    ///         tokio::task::spawn_blocking(move || std::fs::read(path)).await??;
    ///         Ok::<_, Box<dyn std::error::Error + Send + Sync>>(Action::RequeueAfter(
    ///             Duration::from_secs(60),
    ///         ))
    ///     })
    ///     .await;
    /// # }
    /// ```
    pub async fn run_workers<F, Fut, A, E>(&self, workers: usize, reconcile: F)
    where
        F: Fn(T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Result<A, E>> + Send + 'static,
        A: Into<Action> + Send + 'static,
        E: ReconcileError,
    {
        let name = self.name().to_owned();
        self.run_tasks(workers, move |item| {
            let span = tracing::info_span!("reconcile", queue = name, ?item);
            let attempt = reconcile(item).instrument(span);
            async move {
                match attempt.await {
                    Ok(action) => Outcome::Succeeded(action.into()),
                    Err(error) => {
                        Outcome::Failed(Failure::Returned(error.into_error()), Action::Requeue)
                    }
                }
            }
        })
        .await;
    }

    /// Runs `workers` tasks that take items, and `attempt` the work on each.
    pub(super) async fn run_tasks<F, Fut>(&self, workers: usize, attempt: F)
    where
        F: Fn(T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let attempt = Arc::new(attempt);
        let mut tasks = JoinSet::new();
        for _ in 0..workers.max(1) {
            tasks.spawn(work(self.clone(), Arc::clone(&attempt)).in_current_span());
        }
        while let Some(ended) = tasks.join_next().await {
            // Panics of `attempt` are caught below. The error would quote this one.
            if ended.is_err() {
                let queue = self.name();
                tracing::error!(
                    queue,
                    "a worker ended: the item's `Debug`, `Hash` or `Clone`, the rate limiter or the \
                     order panicked; {HINT}"
                );
            }
        }
    }
}

/// One worker: ends when the queue does.
async fn work<T, F, Fut>(queue: WorkQueue<T>, attempt: Arc<F>)
where
    T: QueueItem,
    F: Fn(T) -> Fut,
    Fut: Future<Output = Outcome>,
{
    while let Some(item) = queue.get().await {
        let (attempt, key) = (&*attempt, (*item).clone());
        // The call is inside too: `attempt` may panic before it has made a future.
        let outcome = match catch_async(async move { attempt(key).await }).await {
            Ok(outcome) => outcome,
            Err(Panicked) => Outcome::Failed(Failure::Panicked, Action::Requeue),
        };
        // Settled before it is done, so that a retry is never missed by a drain.
        queue.settle((*item).clone(), item.priority(), outcome);
        item.done();
    }
}
