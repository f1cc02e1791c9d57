//! [`WorkQueue`]: the handle that producers and workers share.

use std::fmt;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use super::dedup::QueueOrder;
use super::item::QueueItem;
use super::limit::RateLimiter;
use super::machine::{Effects, Phase, State, Taken};
use super::metrics::WorkQueueMetrics;
use super::recorder::MetricsRecorder;
use crate::base::sync::{Mutex, Notify};

/// A queue of work, each item once: see the [module](super).
///
/// Clones are handles of one queue. client-go's counterparts are `TypedInterface`,
/// `TypedDelayingInterface` and `TypedRateLimitingInterface` in one.
///
/// # Ordering
///
/// First in, first out, unless [`WorkQueueBuilder::order`](super::WorkQueueBuilder::order) says otherwise. An item that becomes due counts
/// as added at the time at which it was due.
pub struct WorkQueue<T: QueueItem> {
    shared: Arc<Shared<T>>,
}

/// What the handles share.
struct Shared<T> {
    /// For logs and metrics only.
    name: Arc<str>,
    state: Mutex<State<T>>,
    /// Apart from `state`, because a limiter is user code.
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
    /// Workers wait here for an item.
    available: Notify,
    /// Those who shut down with drain wait here.
    drained: Notify,
    /// User code too: told without any lock.
    recorder: Option<Box<dyn MetricsRecorder>>,
}

/// How [`WorkQueue::add_with`] adds an item. controller-runtime's counterpart is `AddOpts`.
///
/// # Examples
///
/// ```
/// use std::time::Duration;
/// # use informer_runtime::workqueue::{AddOptions, LOW_PRIORITY};
///
/// let options = AddOptions {
///     after: Duration::from_secs(1),
///     priority: LOW_PRIORITY,
///     ..AddOptions::default()
/// };
/// assert!(!options.rate_limited);
/// ```
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct AddOptions {
    /// The delay; none by default.
    pub after: Duration,
    /// Whether the delay is the rate limiter's: if there is one in `after` too, the shorter one.
    pub rate_limited: bool,
    /// The higher, the sooner, if the queue's order is a [`PriorityOrder`](super::PriorityOrder);
    /// others ignore it. 0 by default, as for every other way to add.
    pub priority: i32,
}

/// An item in work. Dropping it says that the work is done, so a worker that panics or is
/// cancelled does not keep its item.
///
/// As long as this lives no other worker gets the item; an item that was added meanwhile is queued
/// again when it is dropped. A failed item is not retried by itself: use
/// [`WorkQueue::add_rate_limited`].
#[must_use = "dropping an item says that its work is done"]
pub struct Item<T: QueueItem> {
    queue: WorkQueue<T>,
    value: T,
    priority: i32,
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    pub(super) fn from_parts(
        name: Arc<str>,
        order: Box<dyn QueueOrder<T>>,
        limiter: Box<dyn RateLimiter<T>>,
        recorder: Option<Box<dyn MetricsRecorder>>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                name,
                state: Mutex::new(State::new(order, recorder.is_some())),
                limiter: Mutex::new(limiter),
                available: Notify::new(),
                drained: Notify::new(),
                recorder,
            }),
        }
    }

    /// The name that the queue was given.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.shared.name
    }

    /// Adds `item`. Does nothing if it is queued already, and marks it if it is in work: then it is
    /// queued again when that is done. Ignored after shutdown.
    pub fn add(&self, item: T) {
        let now = Instant::now();
        let effects = self.shared.state.lock().add(item, now);
        self.shared.carry_out(effects);
    }

    /// Adds `item` when `delay` is over; at once if it is zero. Never waits.
    ///
    /// Of two delays for one item the earlier end counts. A delayed item neither keeps the same
    /// item from being added before, nor is it dropped by that. Ignored after shutdown, and an item
    /// whose time has not come at shutdown is dropped.
    pub fn add_after(&self, item: T, delay: Duration) {
        self.requeue_after(item, delay, 0);
    }

    /// Adds `item` after the delay that the rate limiter says: the way to retry what failed.
    pub fn add_rate_limited(&self, item: T) {
        self.retry(item, 0);
    }

    /// Adds `item` with a priority, a delay or a rate limit, and leaves it in one place only: of
    /// this add and what is queued or delayed of the item already, the earlier time and the higher
    /// priority count.
    ///
    /// So, unlike with [`add`](Self::add), an item that is delayed and added now does not come
    /// again when its delay is over; and unlike with [`add_after`](Self::add_after), one that is
    /// queued already gets no second turn later. An item in work counts as queued if it is marked.
    /// Ignored after shutdown. controller-runtime's counterpart is `AddWithOpts`.
    pub fn add_with(&self, item: T, options: AddOptions) {
        let now = Instant::now();
        let AddOptions {
            mut after,
            rate_limited,
            priority,
        } = options;
        if rate_limited {
            let delay = self.shared.limiter.lock().when(&item, now);
            after = if after.is_zero() {
                delay
            } else {
                after.min(delay)
            };
        }
        let effects = {
            let mut state = self.shared.state.lock();
            let mut effects = state.add_with(item, after, priority, now);
            if rate_limited {
                state.count_retry(&mut effects);
            }
            effects
        };
        self.shared.carry_out(effects);
    }

    /// [`add_rate_limited`](Self::add_rate_limited) for an item that keeps its priority.
    pub(super) fn retry(&self, item: T, priority: i32) {
        let now = Instant::now();
        let delay = self.shared.limiter.lock().when(&item, now);
        let effects = {
            let mut state = self.shared.state.lock();
            let mut effects = state.add_after(item, delay, priority, now);
            state.count_retry(&mut effects);
            effects
        };
        self.shared.carry_out(effects);
    }

    /// [`add_after`](Self::add_after) for an item that keeps its priority.
    pub(super) fn requeue_after(&self, item: T, delay: Duration, priority: i32) {
        let now = Instant::now();
        let effects = self
            .shared
            .state
            .lock()
            .add_after(item, delay, priority, now);
        self.shared.carry_out(effects);
    }

    /// Lets the rate limiter start afresh with `item`, after a success or when giving up.
    ///
    /// This is not `done`: an item in work stays in work, and a delayed one stays delayed.
    pub fn forget(&self, item: &T) {
        self.shared.limiter.lock().forget(item);
    }

    /// How often `item` was added with a rate limit since it was last forgotten.
    #[must_use]
    pub fn num_requeues(&self, item: &T) -> u32 {
        self.shared.limiter.lock().num_requeues(item)
    }

    /// Waits for an item, and takes it into work until the [`Item`] is dropped.
    ///
    /// `None` means that the queue is shut down and no item will come any more: not even one that
    /// is in work now and was added meanwhile.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future loses no item, nor a wake that another worker needs.
    pub async fn get(&self) -> Option<Item<T>> {
        loop {
            let mut available = pin!(self.shared.available.notified());
            // Registered before the look at the state, so that of several `notify_one` in between
            // each finds a worker of its own.
            available.as_mut().enable();
            let (taken, effects) = self.shared.state.lock().take(Instant::now());
            self.shared.carry_out(effects);
            match taken {
                Taken::Item(item, priority) => {
                    let queue = self.clone();
                    return Some(Item {
                        queue,
                        value: item,
                        priority,
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

    /// How many items are queued: neither in work nor delayed.
    #[must_use]
    pub fn len(&self) -> usize {
        let now = Instant::now();
        let (len, effects) = self.shared.state.lock().len(now);
        self.shared.carry_out(effects);
        len
    }

    /// Whether no item is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns a function that gives this again, as long as somebody else holds it.
    #[cfg(feature = "prometheus")]
    pub(crate) fn weak(&self) -> impl Fn() -> Option<Self> + Send + Sync + use<T> {
        let shared = Arc::downgrade(&self.shared);
        move || {
            let shared = shared.upgrade()?;
            Some(Self { shared })
        }
    }

    /// What the queue has done, and does now.
    #[must_use]
    pub fn metrics(&self) -> WorkQueueMetrics {
        let now = Instant::now();
        let (metrics, effects) = self.shared.state.lock().metrics(now);
        self.shared.carry_out(effects);
        metrics
    }

    /// Takes no more items. What is queued still comes out, then every worker gets `None`; delayed
    /// items are dropped. Ends the wait of [`shut_down_with_drain`](Self::shut_down_with_drain).
    pub fn shut_down(&self) {
        self.enter(Phase::ShutDown);
    }

    /// Takes no more items, and waits until nothing is queued, marked or in work.
    ///
    /// Says whether it came to that; `false` means that [`shut_down`](Self::shut_down) ended the
    /// wait. Needs workers for what is queued, and waits for ever in a worker that holds an
    /// [`Item`] itself.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future ends the wait only: the queue stays shut down.
    pub async fn shut_down_with_drain(&self) -> bool {
        self.enter(Phase::Draining);
        loop {
            // Made before the look at the state: it hears of each `notify_waiters` from now on.
            let drained = self.shared.drained.notified();
            let (phase, is_drained) = {
                let state = self.shared.state.lock();
                (state.phase(), state.is_drained())
            };
            if is_drained || phase != Phase::Draining {
                return is_drained;
            }
            drained.await;
        }
    }

    /// Whether the queue takes no more items.
    #[must_use]
    pub fn is_shutting_down(&self) -> bool {
        self.shared.state.lock().phase() != Phase::Running
    }

    pub(super) fn count_failure(&self, panicked: bool) {
        let effects = self.shared.state.lock().count_failure(panicked);
        self.shared.carry_out(effects);
    }

    fn enter(&self, phase: Phase) {
        let now = Instant::now();
        // Bound, so that the delayed items are dropped after the lock.
        let (_delayed, effects) = self.shared.state.lock().shut_down(phase, now);
        self.shared.carry_out(effects);
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

// === impl Shared ===

impl<T> Shared<T> {
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
        if let Some(recorder) = &self.recorder {
            for observed in effects.observed {
                observed.tell(&**recorder, &self.name);
            }
        }
    }
}

// === impl Item ===

impl<T: QueueItem> Item<T> {
    /// Says that the work is done; the same as dropping the item.
    pub fn done(self) {}

    /// The highest priority with which the item was added since it was last in work.
    ///
    /// To keep it, add the item again with it. controller-runtime's counterpart is
    /// `GetWithPriority`.
    #[must_use]
    pub fn priority(&self) -> i32 {
        self.priority
    }
}

impl<T: QueueItem> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.value
    }
}

impl<T: QueueItem> Drop for Item<T> {
    fn drop(&mut self) {
        let shared = &self.queue.shared;
        let effects = shared.state.lock().done(&self.value, Instant::now());
        shared.carry_out(effects);
    }
}

impl<T: QueueItem> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.value).finish()
    }
}
