//! [`WorkQueue::run_workers`]: the loop that every controller has.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use tracing::Instrument as _;

use super::item::QueueItem;
use super::work_queue::WorkQueue;
use crate::base::panic::{HINT, Panicked, catch_async};
use crate::base::sync::JoinSet;

/// What shall happen to an item after its work succeeded.
///
/// Made from `()` too, which means [`Done`](Self::Done). controller-runtime's counterpart is
/// `reconcile.Result`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Action {
    /// Nothing: the item is forgotten by the rate limiter.
    #[default]
    Done,
    /// It is forgotten by the rate limiter, and added again after this delay.
    RequeueAfter(Duration),
    /// It is added again with a rate limit, as after an error, and not forgotten: there was no
    /// error, but the work is not complete either.
    Requeue,
}

impl From<()> for Action {
    fn from((): ()) -> Self {
        Self::Done
    }
}

/// Why an item is to be tried again.
enum Failure {
    Returned(Box<dyn Error + Send + Sync>),
    Panicked,
}

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
    /// The log shows the item, by its [`Debug`](std::fmt::Debug), and the error: neither should hold
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
        E: Into<Box<dyn Error + Send + Sync>> + Send + 'static,
    {
        let reconcile = Arc::new(reconcile);
        let mut tasks = JoinSet::new();
        for _ in 0..workers.max(1) {
            tasks.spawn(work(self.clone(), Arc::clone(&reconcile)).in_current_span());
        }
        while let Some(ended) = tasks.join_next().await {
            // Panics of `reconcile` are caught below. The error would quote this one.
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

    fn settle(&self, item: T, priority: i32, result: Result<Action, Failure>) {
        match result {
            Ok(Action::Done) => self.forget(&item),
            Ok(Action::RequeueAfter(delay)) => {
                self.forget(&item);
                self.requeue_after(item, delay, priority);
            }
            Ok(Action::Requeue) => self.retry(item, priority),
            Err(failure) => {
                self.count_failure(matches!(failure, Failure::Panicked));
                failure.log(self.name(), &item);
                self.retry(item, priority);
            }
        }
    }
}

/// One worker: ends when the queue does.
async fn work<T, F, Fut, A, E>(queue: WorkQueue<T>, reconcile: Arc<F>)
where
    T: QueueItem,
    F: Fn(T) -> Fut,
    Fut: Future<Output = Result<A, E>>,
    A: Into<Action>,
    E: Into<Box<dyn Error + Send + Sync>>,
{
    while let Some(item) = queue.get().await {
        let (reconcile, key) = (&*reconcile, (*item).clone());
        // The call is inside too: `reconcile` may panic before it has made a future.
        let attempt = async move { reconcile(key).await };
        let result = match catch_async(attempt).await {
            Ok(Ok(action)) => Ok(action.into()),
            Ok(Err(error)) => Err(Failure::Returned(error.into())),
            Err(Panicked) => Err(Failure::Panicked),
        };
        // Settled before it is done, so that a retry is never missed by a drain.
        queue.settle((*item).clone(), item.priority(), result);
        item.done();
    }
}

// === impl Failure ===

impl Failure {
    fn log(&self, queue: &str, item: &impl std::fmt::Debug) {
        match self {
            Self::Returned(error) => {
                let error = chain(&**error);
                tracing::warn!(queue, ?item, error, "reconcile failed, retrying");
            }
            Self::Panicked => {
                tracing::warn!(queue, ?item, "reconcile panicked, retrying; {HINT}");
            }
        }
    }
}

/// An error and its sources, separated by colons.
fn chain(error: &(dyn Error + 'static)) -> String {
    crate::base::chain::Chain(error).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, thiserror::Error)]
    #[error("outer")]
    struct Outer(#[source] std::num::ParseIntError);

    #[test]
    fn an_error_is_logged_with_its_sources() {
        let error = Outer("x".parse::<u8>().unwrap_err());
        assert_eq!(chain(&error), "outer: invalid digit found in string");
    }
}
