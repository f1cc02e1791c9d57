//! [`WorkQueue`]: the handle that producers and workers share.

use std::fmt;
use std::hash::Hash;
use std::ops::Deref;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::time::{Instant, sleep_until};

use super::builder::Builder;
use super::dedup::QueueOrder;
use super::limit::{RateLimiter, default_controller};
use super::machine::{Phase, State, Taken, Wake};
use super::metrics::Metrics;

/// What can be queued: an [`ObjectKey`](crate::ObjectKey), or any other small value that is cheap
/// to clone. Implemented for all types that qualify.
pub trait QueueItem: Clone + Eq + Hash + fmt::Debug + Send + 'static {}

impl<T: Clone + Eq + Hash + fmt::Debug + Send + 'static> QueueItem for T {}

/// A queue of work, each item once: see the [module](super).
///
/// Clones are handles of one queue. client-go's counterparts are `TypedInterface`,
/// `TypedDelayingInterface` and `TypedRateLimitingInterface` in one.
///
/// # Ordering
///
/// First in, first out, unless [`Builder::order`] says otherwise. An item that becomes due counts
/// as added at the time at which it was due.
pub struct WorkQueue<T: QueueItem> {
    shared: Arc<Shared<T>>,
}

/// What the handles share.
struct Shared<T> {
    /// For logs only.
    name: Arc<str>,
    state: Mutex<State<T>>,
    /// Apart from `state`, because a limiter is user code.
    limiter: Mutex<Box<dyn RateLimiter<T>>>,
    /// Workers wait here for an item.
    available: Notify,
    /// Those who shut down with drain wait here.
    drained: Notify,
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
    item: T,
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    /// A queue without a rate limiter: [`add_rate_limited`](Self::add_rate_limited) adds at once.
    ///
    /// `name` appears in logs.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self::builder(name).build()
    }

    /// A queue with the [default limiter of controllers](default_controller).
    ///
    /// client-go's counterpart is `NewTypedRateLimitingQueue` with
    /// `DefaultTypedControllerRateLimiter`.
    pub fn rate_limited(name: impl Into<Arc<str>>) -> Self {
        Self::builder(name)
            .rate_limiter(default_controller())
            .build()
    }

    /// A queue with a limiter or an order of one's own.
    pub fn builder(name: impl Into<Arc<str>>) -> Builder<T> {
        Builder::new(name.into())
    }

    pub(super) fn from_parts(
        name: Arc<str>,
        order: Box<dyn QueueOrder<T>>,
        limiter: Box<dyn RateLimiter<T>>,
    ) -> Self {
        Self {
            shared: Arc::new(Shared {
                name,
                state: Mutex::new(State::new(order)),
                limiter: Mutex::new(limiter),
                available: Notify::new(),
                drained: Notify::new(),
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
        let wake = self.shared.state.lock().add(item, now);
        self.shared.wake(wake);
    }

    /// Adds `item` when `delay` is over; at once if it is zero. Never waits.
    ///
    /// Of two delays for one item the earlier end counts. A delayed item neither keeps the same
    /// item from being added before, nor is it dropped by that. Ignored after shutdown, and an item
    /// whose time has not come at shutdown is dropped.
    pub fn add_after(&self, item: T, delay: Duration) {
        let now = Instant::now();
        let wake = self.shared.state.lock().add_after(item, delay, now);
        self.shared.wake(wake);
    }

    /// Adds `item` after the delay that the rate limiter says: the way to retry what failed.
    pub fn add_rate_limited(&self, item: T) {
        let now = Instant::now();
        let delay = self.shared.limiter.lock().when(&item, now);
        let wake = {
            let mut state = self.shared.state.lock();
            state.count_retry();
            state.add_after(item, delay, now)
        };
        self.shared.wake(wake);
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
            let (taken, wake) = self.shared.state.lock().take(Instant::now());
            self.shared.wake(wake);
            match taken {
                Taken::Item(item) => {
                    let queue = self.clone();
                    return Some(Item { queue, item });
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
        let (len, wake) = self.shared.state.lock().len(now);
        self.shared.wake(wake);
        len
    }

    /// Whether no item is queued.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the queue has done, and does now.
    #[must_use]
    pub fn metrics(&self) -> Metrics {
        let now = Instant::now();
        let (metrics, wake) = self.shared.state.lock().metrics(now);
        self.shared.wake(wake);
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
        self.shared.state.lock().count_failure(panicked);
    }

    fn enter(&self, phase: Phase) {
        let now = Instant::now();
        // Bound, so that the delayed items are dropped after the lock.
        let (_delayed, wake) = self.shared.state.lock().shut_down(phase, now);
        self.shared.wake(wake);
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
    fn wake(&self, wake: Wake) {
        if wake.all_workers {
            self.available.notify_waiters();
        } else {
            for _ in 0..wake.workers {
                self.available.notify_one();
            }
        }
        if wake.drained {
            self.drained.notify_waiters();
        }
    }
}

// === impl Item ===

impl<T: QueueItem> Item<T> {
    /// Says that the work is done; the same as dropping the item.
    pub fn done(self) {}
}

impl<T: QueueItem> Deref for Item<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.item
    }
}

impl<T: QueueItem> Drop for Item<T> {
    fn drop(&mut self) {
        let shared = &self.queue.shared;
        let wake = shared.state.lock().done(&self.item, Instant::now());
        shared.wake(wake);
    }
}

impl<T: QueueItem> fmt::Debug for Item<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Item").field(&self.item).finish()
    }
}
