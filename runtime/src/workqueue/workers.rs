//! [`WorkQueue::run_workers`]: the worker loop of a controller.

use std::sync::Arc;

use tracing::Instrument as _;

use super::item::QueueItem;
use super::outcome::{Action, Failure, Outcome, ReconcileError};
use super::work_queue::WorkQueue;
use crate::base::panic::{HINT, Panicked, catch_async};
use crate::base::sync::JoinSet;

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    /// Runs `workers` tasks, at least one, that take items and call `reconcile` for each, until the
    /// queue is shut down and all of its items are done.
    ///
    /// After a success, the rate limiter forgets the item, and the item is added again if the
    /// [`Action`] requires it. An error is logged as a warning with its chain of sources, and
    /// counted, and the item is added again with a rate limit. Without a rate limiter (see
    /// [`new`](Self::new)), the item returns at once. A panic counts as an error, but only the
    /// panic hook sees its message. An item that is added again keeps its priority.
    ///
    /// Each attempt runs in its own span, `reconcile{queue, item}`. The span and the log contain
    /// the item's [`Debug`](std::fmt::Debug) form and the error. Neither should contain the content
    /// of an object, which may be a Secret.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future aborts the workers at their next `.await`. Their items count as done,
    /// and queued items stay queued. A later call continues with them. For a graceful end, shut the
    /// queue down instead.
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

    /// Runs `workers` tasks that take items and call `attempt` for each.
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
            // Panics of `attempt` are caught in `work`. The `JoinError` is not logged, because it
            // would quote the panic's message.
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

/// Worker task. Ends when the queue ends.
async fn work<T, F, Fut>(queue: WorkQueue<T>, attempt: Arc<F>)
where
    T: QueueItem,
    F: Fn(T) -> Fut,
    Fut: Future<Output = Outcome>,
{
    while let Some(item) = queue.get().await {
        let (attempt, key) = (&*attempt, (*item).clone());
        // The call is inside the future, because `attempt` may panic before it returns one.
        let outcome = match catch_async(async move { attempt(key).await }).await {
            Ok(outcome) => outcome,
            Err(Panicked) => Outcome::Failed(Failure::Panicked, Action::Requeue),
        };
        // Settled before the item is done, so that a drain never misses a retry.
        queue.settle((*item).clone(), item.priority(), outcome);
        item.done();
    }
}
