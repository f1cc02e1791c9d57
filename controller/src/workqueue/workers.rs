//! [`WorkQueue::run_workers`]: the worker loop of a controller.

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use informer_runtime::engine::{HINT, Panicked, catch, catch_async};
use tokio::time::sleep;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::item::QueueItem;
use super::outcome::{Action, Again, Failure, Outcome, ReconcileError};
use super::priority::LOW_PRIORITY;
use super::reason::ReconcileReason;
use super::work_queue::{Item, WorkQueue};
use crate::base::sync::JoinSet;

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
    /// Each attempt runs in its own span, `reconcile{queue, item, object.reason}`. The span and the log
    /// contain the item's [`Debug`](std::fmt::Debug) form and the error. Neither should contain the content
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
        let attempt = move |item, reason, _| {
            let span =
                tracing::info_span!("reconcile", queue = name, ?item, object.reason = %reason);
            // User's future, which may be large: from here on only a pointer moves.
            let call = Box::pin(reconcile(item));
            async move {
                match call.instrument(span).await {
                    Ok(action) => Outcome::Succeeded(action.into()),
                    Err(error) => {
                        Outcome::Failed(Failure::Returned(error.into_error()), Action::Requeue)
                    }
                }
            }
        };
        let mut tasks = self.spawn_workers(workers, Stop::never(), attempt);
        // Workers contain the panics of user code.
        while tasks.join_next().await.is_some() {}
    }

    /// Counts and logs an outcome, and adds the item again if the outcome requires it. Returns when it
    /// comes back.
    pub(crate) fn settle(&self, item: &T, priority: i32, outcome: &Outcome) -> Option<Again> {
        match outcome {
            Outcome::PutBack => {
                self.count(|state| state.counters.put_back += 1);
                None
            }
            Outcome::Succeeded(action) => {
                let next = match action {
                    // A refresh stands behind changes.
                    Action::RequeueAfter(after) if !after.is_zero() => LOW_PRIORITY,
                    Action::RequeueAfter(_) | Action::Done | Action::Poll | Action::Requeue => {
                        priority
                    }
                };
                self.follow(item, *action, next, ReconcileReason::REQUEUE)
            }
            Outcome::Failed(failure, action) => {
                self.count(|state| {
                    state.counters.failures += 1;
                    state.counters.panics += u64::from(matches!(failure, Failure::Panicked));
                });
                let again = self.follow(item, *action, priority, ReconcileReason::RETRY);
                self.log_failure(failure, item, again);
                again
            }
        }
    }

    /// Adds an item again as an action requires.
    fn follow(
        &self,
        item: &T,
        action: Action,
        priority: i32,
        reason: ReconcileReason,
    ) -> Option<Again> {
        let again = match action {
            Action::Done => {
                self.forget(item);
                return None;
            }
            Action::Poll | Action::RequeueAfter(Duration::ZERO) => {
                self.poll(item.clone(), priority, reason)
            }
            Action::RequeueAfter(after) => {
                self.forget(item);
                self.requeue_after(item.clone(), after, priority, reason);
                Again { after, attempt: 0 }
            }
            Action::Requeue => self.retry(item.clone(), priority, reason),
        };
        Some(again)
    }

    /// Spawns `workers` tasks, at least one, that take items and call `attempt` for each, until the
    /// queue ends or they are stopped.
    pub(crate) fn spawn_workers<F, Fut>(
        &self,
        workers: usize,
        stop: Stop,
        attempt: F,
    ) -> JoinSet<()>
    where
        F: Fn(T, ReconcileReason, i32) -> Fut + Send + Sync + 'static,
        Fut: Future<Output = Outcome> + Send + 'static,
    {
        let called = Arc::new(attempt);
        let stopped = Arc::new(stop);
        let mut tasks = JoinSet::new();
        for _ in 0..workers.max(1) {
            let worker = Worker {
                queue: self.clone(),
                attempt: Arc::clone(&called),
                stop: Arc::clone(&stopped),
            };
            tasks.spawn(worker.run().in_current_span());
        }
        tasks
    }
}

/// State of one worker task.
struct Worker<T: QueueItem, F> {
    queue: WorkQueue<T>,
    attempt: Arc<F>,
    stop: Arc<Stop>,
}

/// Signals that stop workers.
pub(crate) struct Stop {
    /// Creates a future that completes when no further item may be taken. Each worker polls its own
    /// before it takes an item.
    before_items: Box<dyn Fn() -> BoxFuture<'static, ()> + Send + Sync>,
    /// Drops the running attempts.
    pub(crate) abort: CancellationToken,
}

// === impl Stop ===

impl Stop {
    pub(crate) fn new<Fut>(before_items: impl Fn() -> Fut + Send + Sync + 'static) -> Self
    where
        Fut: Future<Output = ()> + Send + 'static,
    {
        Self {
            before_items: Box::new(move || before_items().boxed()),
            abort: CancellationToken::new(),
        }
    }

    fn never() -> Self {
        Self::new(pending)
    }
}

// === impl Worker ===

impl<T, F, Fut> Worker<T, F>
where
    T: QueueItem,
    F: Fn(T, ReconcileReason, i32) -> Fut,
    Fut: Future<Output = Outcome>,
{
    /// Processes items until the queue ends or the worker is stopped.
    async fn run(self) {
        let stop = Arc::clone(&self.stop);
        tokio::select! {
            biased;
            () = stop.abort.cancelled() => {}
            () = self.process_all() => {}
        }
    }

    async fn process_all(&self) {
        let mut stop = (self.stop.before_items)();
        loop {
            match catch_async(self.process_items(&mut stop)).await {
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
                () = &mut stop => return,
                () = sleep(PANIC_DELAY) => {}
            }
        }
    }

    async fn process_items(&self, stop: &mut BoxFuture<'static, ()>) {
        loop {
            let next = tokio::select! {
                biased;
                () = &mut *stop => return,
                next = self.queue.get() => next,
            };
            let Some(item) = next else {
                return;
            };
            let priority = item.priority();
            let key = (*item).clone();
            let reason = item.reason().clone();
            // The call is inside the future, because `attempt` may panic before it returns one.
            let call = async move { (self.attempt)(key, reason, priority).await };
            let outcome = match catch_async(item.claimed.reasons.during(call)).await {
                Ok(outcome) => outcome,
                Err(Panicked) => Outcome::Failed(Failure::Panicked, Action::Requeue),
            };
            // Settled before the item is done, so that a drain never misses a retry.
            let again = match catch(|| self.queue.settle(&item, priority, &outcome)) {
                Ok(again) => again,
                Err(Panicked) => self.settle_after_panic(&item, &outcome),
            };
            item.report(&outcome, again);
            item.done();
        }
    }

    /// Adds an item again whose limiter panicked.
    fn settle_after_panic(&self, item: &Item<T>, outcome: &Outcome) -> Option<Again> {
        self.report("the rate limiter or the item's `Debug` panicked");
        if outcome.action() == Action::Done {
            return None;
        }
        let again = Again {
            after: PANIC_DELAY,
            attempt: 0,
        };
        let priority = item.priority();
        self.queue.requeue_after(
            (**item).clone(),
            again.after,
            priority,
            ReconcileReason::RETRY,
        );
        Some(again)
    }

    fn report(&self, what: &'static str) {
        let queue = self.queue.name();
        tracing::error!(queue, "{what}, retrying in {PANIC_DELAY:?}; {HINT}");
    }
}
