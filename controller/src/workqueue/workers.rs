//! [`WorkQueue::run_workers`]: the worker loop of a controller.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::sleep;
use tracing::Instrument as _;

use super::controller::Shutdown;
use super::item::QueueItem;
use super::outcome::{Action, Failure, Outcome, ReconcileError};
use super::work_queue::WorkQueue;
use crate::base::sync::JoinSet;
use crate::engine::{HINT, Panicked, catch, catch_async};

/// Pause after a panic of the queue's user code: its order, its rate limiter, or an item's traits.
const PANIC_DELAY: Duration = Duration::from_secs(1);

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
    /// # use informer_controller::workqueue::{Action, WorkQueue};
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
        self.run_tasks(workers, None, move |item| {
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

    /// Runs `workers` tasks that take items and call `attempt` for each, until the queue ends or
    /// `shutdown` completes.
    pub(super) async fn run_tasks<F, Fut>(
        &self,
        workers: usize,
        shutdown: Option<Shutdown>,
        attempt: F,
    ) where
        F: Fn(T) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let attempt = Arc::new(attempt);
        let mut tasks = JoinSet::new();
        for _ in 0..workers.max(1) {
            let worker = Worker {
                queue: self.clone(),
                attempt: Arc::clone(&attempt),
                shutdown: shutdown.clone(),
            };
            tasks.spawn(worker.run().in_current_span());
        }
        // Workers contain the panics of all user code but the trigger of the shutdown, which
        // panics in its waiting caller, too.
        while tasks.join_next().await.is_some() {}
    }
}

/// State of one worker task.
struct Worker<T: QueueItem, F> {
    queue: WorkQueue<T>,
    attempt: Arc<F>,
    shutdown: Option<Shutdown>,
}

// === impl Worker ===

impl<T, F, Fut> Worker<T, F>
where
    T: QueueItem,
    F: Fn(T) -> Fut,
    Fut: Future<Output = Outcome>,
{
    /// Processes items until the queue ends or the shutdown is triggered.
    async fn run(self) {
        loop {
            match catch_async(self.process_items()).await {
                Ok(()) => return,
                Err(Panicked) => {
                    self.report("the item's `Hash` or `Clone`, or the order, panicked");
                }
            }
            // A queue that cannot hand out its items would keep its workers for ever.
            if self.queue.is_shutting_down() {
                return;
            }
            tokio::select! {
                biased;
                () = self.shutdown() => return,
                () = sleep(PANIC_DELAY) => {}
            }
        }
    }

    async fn process_items(&self) {
        loop {
            let item = tokio::select! {
                biased;
                () = self.shutdown() => return,
                item = self.queue.get() => item,
            };
            let Some(item) = item else {
                return;
            };
            let (attempt, key) = (&*self.attempt, (*item).clone());
            // The call is inside the future, because `attempt` may panic before it returns one.
            let outcome = match catch_async(async move { attempt(key).await }).await {
                Ok(outcome) => outcome,
                Err(Panicked) => Outcome::Failed(Failure::Panicked, Action::Requeue),
            };
            // Settled before the item is done, so that a drain never misses a retry.
            let (value, priority) = ((*item).clone(), item.priority());
            let comes_back = outcome.action() != Action::Done;
            if catch(|| self.queue.settle(value, priority, outcome)).is_err() {
                self.report("the rate limiter or the item's `Debug` panicked");
                if comes_back {
                    let value = (*item).clone();
                    self.queue.requeue_after(value, PANIC_DELAY, priority);
                }
            }
            item.done();
        }
    }

    async fn shutdown(&self) {
        match &self.shutdown {
            Some(shutdown) => shutdown.clone().await,
            None => std::future::pending().await,
        }
    }

    fn report(&self, what: &'static str) {
        let queue = self.queue.name();
        tracing::error!(queue, "{what}, retrying in {PANIC_DELAY:?}; {HINT}");
    }
}
