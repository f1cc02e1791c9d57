//! [`WorkQueue`]: the handle that producers and workers share.

use std::fmt;
use std::ops::Deref;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use informer_runtime::engine::{HINT, LogLimit, catch};
use tokio::time::{Instant, sleep_until};

use super::dedup::{Claimed, QueueOrder};
use super::item::QueueItem;
use super::limit::{Limits, RateLimiter};
use super::machine::{Effects, QueuePhase, QueueState, Taken};
use super::metrics::WorkQueueMetrics;
use super::outcome::{Again, Failure, Outcome};
use super::reason::{Reasons, ReconcileReason};
use super::record::{RecordedCall, Recorder};
use crate::base::sync::{Mutex, Notify};

/// Number of failures that are logged within a minute. The debug page and the metrics have all.
const LINES: u32 = 60;

/// Queue of work items that deduplicates its items: see the [module](super).
///
/// All clones are handles to one queue. client-go's counterparts are `TypedInterface`,
/// `TypedDelayingInterface` and `TypedRateLimitingInterface` in one type.
///
/// # Ordering
///
/// First in, first out, unless [`WorkQueueBuilder::order`](super::WorkQueueBuilder::order) sets
/// another order. A delayed item counts as added at the time at which it was due.
pub struct WorkQueue<T: QueueItem> {
    shared: Arc<QueueShared<T>>,
}

/// State that all handles share.
struct QueueShared<T> {
    /// Used only in logs and metrics.
    name: Arc<str>,
    state: Mutex<QueueState<T>>,
    /// Not part of `state`, because a limiter is user code.
    limits: Mutex<Limits<T>>,
    /// Of the lines about failures.
    log_limit: Mutex<LogLimit>,
    /// Items of the running controller.
    known: Mutex<Option<Weak<KnownItems<T>>>>,
    /// Wakes workers that wait for an item.
    available: Notify,
    /// Wakes the callers of a shutdown with drain.
    drained: Notify,
}

/// Function that returns all items of a controller.
pub(crate) type KnownItems<T> = dyn Fn() -> Vec<T> + Send + Sync;

/// Options of [`WorkQueue::add_with`]. controller-runtime's counterpart is `AddOpts`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// Delay before the item is queued. Default: none.
    pub after: Duration,
    /// `true` to apply the rate limiter's delay. If `after` is set too, the shorter delay applies.
    pub rate_limited: bool,
    /// Priority of the item. Higher values come first if the queue's order is a
    /// [`PriorityOrder`](super::PriorityOrder); other orders ignore it. Default: 0, as in all other
    /// functions that add items.
    pub priority: i32,
}

/// Item that a worker processes. Dropping it marks the work as done, so a worker that panics or is
/// cancelled does not keep its item.
///
/// No other worker receives the item while this value exists. If the item is added meanwhile, it is
/// queued again when this value is dropped. A failed item is not retried automatically: use
/// [`WorkQueue::add_rate_limited`].
#[must_use = "dropping an item marks its work as done"]
pub struct Item<T: QueueItem> {
    queue: WorkQueue<T>,
    pub(super) claimed: Claimed<T>,
    /// Time at which a worker took the item.
    taken: Instant,
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    pub(super) fn from_parts(
        name: Arc<str>,
        order: Box<dyn QueueOrder<T>>,
        limiter: Box<dyn RateLimiter<T>>,
    ) -> Self {
        Self {
            shared: Arc::new(QueueShared {
                name,
                state: Mutex::new(QueueState::new(order)),
                limits: Mutex::new(Limits::new(limiter)),
                log_limit: Mutex::new(LogLimit::new(LINES)),
                known: Mutex::new(None),
                available: Notify::new(),
                drained: Notify::new(),
            }),
        }
    }

    /// Returns the queue's name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Adds `item`. If the item is queued already, does nothing. If the item is in work, marks it,
    /// so that it is queued again when that work is done. Ignored after shutdown.
    pub fn add(&self, item: T) {
        self.add_after(item, Duration::ZERO);
    }

    /// Adds `item` after `delay`, or at once if `delay` is zero. Never waits.
    ///
    /// If the item is delayed already, the earlier of the two times applies. A delayed item does
    /// not prevent an earlier add of the same item, and that add does not remove the delayed item.
    /// Ignored after shutdown; shutdown drops all delayed items.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.requeue_after(item, delay, 0, ReconcileReason::default());
    }

    /// Adds `item` after the rate limiter's delay. Used to retry a failed item.
    pub fn add_rate_limited(&self, item: T) {
        self.retry(item, 0, ReconcileReason::RETRY);
    }

    /// Adds `item` with a priority, a delay or a rate limit, and merges this add with an add of the
    /// same item that is queued or delayed already: the earlier time and the higher priority apply.
    ///
    /// The item is therefore never both queued and delayed. Unlike [`add`](Self::add), an add
    /// without delay replaces a delayed one. Unlike [`add_after`](Self::add_after), a delayed add
    /// of a queued item does not cause a second run. An item in work counts as queued if it is
    /// marked. Ignored after shutdown. controller-runtime's counterpart is `AddWithOpts`.
    pub fn add_with(&self, item: T, options: AddOptions) {
        self.add_because(item, options, ReconcileReason::default());
    }

    /// Sets the items of the controller that runs, for as long as it holds `known`.
    pub(crate) fn set_known(&self, known: &Arc<KnownItems<T>>) {
        *self.shared.known.lock() = Some(Arc::downgrade(known));
    }

    /// Returns all items of the controller that runs; none without one.
    pub(super) fn known(&self) -> Vec<T> {
        let known = self.shared.known.lock().as_ref().and_then(Weak::upgrade);
        known.map_or_else(Vec::new, |known| known())
    }

    /// Adds an item with this priority, for these reasons.
    pub(crate) fn add_prioritized(&self, item: T, priority: i32, reasons: impl Into<Reasons>) {
        let options = AddOptions {
            priority,
            ..AddOptions::default()
        };
        self.add_because(item, options, reasons);
    }

    /// Same as [`add_with`](Self::add_with), for these reasons.
    pub(super) fn add_because(&self, item: T, options: AddOptions, reasons: impl Into<Reasons>) {
        let AddOptions {
            mut after,
            rate_limited,
            priority,
        } = options;
        if rate_limited {
            let again = self.shared.limits.lock().retry(&item, Instant::now());
            if after.is_zero() || again.after < after {
                after = again.after;
            }
            self.count(QueueState::count_retry);
        }
        self.change(|state, now| {
            let effects = state.add_with(item, after, priority, reasons.into(), now);
            ((), effects)
        });
    }

    /// Same as [`add_rate_limited`](Self::add_rate_limited), but keeps the item's priority.
    pub(super) fn retry(&self, item: T, priority: i32, reason: ReconcileReason) -> Again {
        let again = self.shared.limits.lock().retry(&item, Instant::now());
        self.count(QueueState::count_retry);
        self.requeue_after(item, again.after, priority, reason);
        again
    }

    /// Logs a failure, unless there were many within a minute.
    pub(super) fn log_failure(&self, failure: &Failure, item: &T, again: Option<Again>) {
        let passed = self.shared.log_limit.lock().pass(Instant::now());
        if let Some(held_back) = passed {
            failure.log(self.name(), item, again, held_back);
        }
    }

    /// Adds an item whose work is incomplete.
    pub(super) fn poll(&self, item: T, priority: i32, reason: ReconcileReason) -> Again {
        let again = self.shared.limits.lock().poll(&item, Instant::now());
        self.requeue_after(item, again.after, priority, reason);
        again
    }

    /// Same as [`add_after`](Self::add_after), but keeps the item's priority.
    pub(super) fn requeue_after(
        &self,
        item: T,
        delay: Duration,
        priority: i32,
        reason: ReconcileReason,
    ) {
        self.change(|state, now| {
            let effects = state.add_after(item, delay, priority, reason.into(), now);
            ((), effects)
        });
    }

    /// Resets the rate limiter's state of `item`, after a success or after the last attempt.
    ///
    /// Does not mark the item as done: an item in work stays in work, and a delayed item stays
    /// delayed.
    pub fn forget(&self, item: &T) {
        self.shared.limits.lock().forget(item);
    }

    /// Returns the number of rate-limited adds of `item` since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.shared.limits.lock().failures.num_requeues(item)
    }

    /// Waits for an item, and takes it into work until the [`Item`] is dropped.
    ///
    /// Returns `None` if the queue is shut down and has no more items. An item that is marked while
    /// in work still counts as one.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses neither an item nor the wake-up of another worker.
    pub async fn get(&self) -> Option<Item<T>> {
        loop {
            let mut available = pin!(self.shared.available.notified());
            // Registered before the state is read, so that each `notify_one` in between wakes a
            // different worker.
            available.as_mut().enable();
            let now = Instant::now();
            let (taken, effects) = self.shared.state.lock().take(now);
            self.shared.carry_out(effects);
            match taken {
                Taken::Item(claimed) => {
                    return Some(Item {
                        queue: self.clone(),
                        claimed,
                        taken: now,
                    });
                }
                Taken::Ended => return None,
                Taken::Wait(None) => available.await,
                Taken::Wait(Some(due)) => {
                    tokio::select! {
                        () = available => {}
                        () = sleep_until(due) => {}
                    }
                }
            }
        }
    }

    /// Returns the number of queued items, without items that are in work or delayed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.change(QueueState::len)
    }

    /// Reports whether no item is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a function that gives a handle to this queue while another handle exists.
    #[cfg(feature = "prometheus")]
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<T> {
        let shared = Arc::downgrade(&self.shared);
        move || {
            Some(Self {
                shared: shared.upgrade()?,
            })
        }
    }

    /// Returns the queue's counters and gauges.
    #[must_use]
    pub fn metrics(&self) -> WorkQueueMetrics {
        self.change(QueueState::metrics)
    }

    /// Shuts the queue down: further adds are ignored, and delayed items are dropped. Workers still
    /// receive the queued items, then `None`. Ends the wait of
    /// [`shut_down_with_drain`](Self::shut_down_with_drain).
    pub fn shut_down(&self) {
        self.enter(QueuePhase::ShutDown);
    }

    /// Shuts the queue down, and waits until no item is queued, marked or in work.
    ///
    /// Returns `true` if the queue was drained, and `false` if [`shut_down`](Self::shut_down) ended
    /// the wait. Queued items need running workers. A worker that holds an [`Item`] must not await
    /// this function, because the function waits for that item.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends only the wait: the queue stays shut down.
    pub async fn shut_down_with_drain(&self) -> bool {
        self.enter(QueuePhase::Draining);
        loop {
            // Created before the state is read, so that no later `notify_waiters` is missed.
            let drained = self.shared.drained.notified();
            let (phase, is_drained) = {
                let state = self.shared.state.lock();
                (state.phase, state.is_drained())
            };
            if is_drained || phase != QueuePhase::Draining {
                return is_drained;
            }
            drained.await;
        }
    }

    /// Shuts the queue down, and drops the queued items. Items in work stay in work. Returns the
    /// number of dropped items, without the delayed ones.
    pub(crate) fn discard(&self) -> usize {
        self.enter(QueuePhase::ShutDown);
        self.retain(|_| false).len()
    }

    /// Forgets the items that wait, also delayed ones, and do not satisfy `keeps`. Returns them.
    pub(crate) fn retain(&self, keeps: impl Fn(&T) -> bool) -> Vec<T> {
        let removed = self.change(|state, now| state.retain(keeps, now));
        for item in &removed {
            self.forget(item);
        }
        removed
    }

    /// Returns the items in work.
    #[must_use]
    pub fn in_work(&self) -> Vec<T> {
        self.shared.state.lock().items.in_work()
    }

    /// Reports whether the queue ignores further adds.
    #[must_use]
    pub fn is_shutting_down(&self) -> bool {
        self.shared.state.lock().phase != QueuePhase::Running
    }

    /// Sets the recorder of the calls of workers, or removes it. With a recorder, the queue keeps
    /// all reasons of an item; without one, only the first.
    pub fn record(&self, recorder: Option<Arc<Recorder<T>>>) {
        let previous = std::mem::replace(&mut self.shared.state.lock().items.recorder, recorder);
        drop(previous);
    }

    /// Reports a call, or a failure in its place, to the recorder.
    pub(crate) fn report(&self, item: &T, run: &RecordedCall<'_>) {
        let recorder = self.shared.state.lock().items.recorder.clone();
        if let Some(recorder) = recorder {
            self.tell(&*recorder, item, run);
        }
    }

    fn tell(&self, recorder: &Recorder<T>, item: &T, run: &RecordedCall<'_>) {
        if catch(|| recorder(item, run)).is_err() {
            tracing::error!(queue = self.name(), "the recorder panicked; {HINT}");
        }
    }

    /// Returns at most `most` of the items that wait, in no order, each with its reasons and with
    /// the time since its first add.
    #[must_use]
    pub fn waiting(&self, most: usize) -> Vec<(T, Reasons, Duration)> {
        let state = self.shared.state.lock();
        state.items.waiting(most, Instant::now())
    }

    /// Changes counters, which wakes no task.
    pub(super) fn count(&self, count: impl FnOnce(&mut QueueState<T>)) {
        count(&mut self.shared.state.lock());
    }

    fn enter(&self, phase: QueuePhase) {
        // Drops the delayed items after the lock is released.
        self.change(|state, now| state.shut_down(phase, now));
    }

    /// Changes the state, and then carries out what follows.
    fn change<R>(&self, change: impl FnOnce(&mut QueueState<T>, Instant) -> (R, Effects)) -> R {
        let now = Instant::now();
        let (result, effects) = change(&mut self.shared.state.lock(), now);
        self.shared.carry_out(effects);
        result
    }
}

impl<T: QueueItem> Clone for WorkQueue<T> {
    fn clone(&self) -> Self {
        Self {
            shared: Arc::clone(&self.shared),
        }
    }
}

impl<T: QueueItem> fmt::Debug for WorkQueue<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueue")
            .field("name", &self.name())
            .field("state", &*self.shared.state.lock())
            .finish_non_exhaustive()
    }
}

// === impl QueueShared ===

impl<T> QueueShared<T> {
    fn carry_out(&self, effects: Effects) {
        if effects.all_workers {
            self.available.notify_waiters();
        } else {
            for _ in 0..effects.workers {
                self.available.notify_one();
            }
        }
        if effects.drained {
            self.drained.notify_waiters();
        }
    }
}

// === impl Item ===

impl<T: QueueItem> Item<T> {
    /// Marks the work as done. Same as dropping the item.
    pub fn done(self) {}

    /// Returns the highest priority with which the item was added since it was last in work.
    ///
    /// Pass this priority to the next add to keep it. controller-runtime's counterpart is
    /// `GetWithPriority`.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.claimed.priority
    }

    /// Reports a call to the recorder, if there was one when the item was taken.
    pub(super) fn report(&self, outcome: &Outcome, again: Option<Again>) {
        if let Some(recorder) = &self.claimed.recorder {
            let ended = Instant::now();
            let run = RecordedCall {
                reasons: &self.claimed.reasons,
                waited: self.claimed.latency,
                worked: ended.saturating_duration_since(self.taken),
                ended,
                outcome,
                again,
            };
            self.queue.tell(&**recorder, self, &run);
        }
    }

    /// Returns the reason of the first add of the item since it was last in work.
    #[must_use]
    pub fn reason(&self) -> &ReconcileReason {
        self.claimed.reasons.first()
    }
}

impl<T: QueueItem> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.claimed.item
    }
}

impl<T: QueueItem> Drop for Item<T> {
    fn drop(&mut self) {
        let shared = &self.queue.shared;
        // Contained, because this may run while a panic unwinds.
        let done = catch(|| shared.state.lock().done(&self.claimed.item, Instant::now()));
        if let Ok(effects) = done {
            shared.carry_out(effects);
        } else {
            let queue = self.queue.name();
            tracing::error!(queue, "the item's `Hash` or the order panicked; {HINT}");
        }
    }
}

impl<T: QueueItem> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.claimed.item).finish()
    }
}
