//! [`WorkQueueBuilder`]: builds a queue with a custom order or rate limiter.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use super::dedup::{Fifo, QueueOrder};
use super::item::QueueItem;
use super::limit::{ItemExponentialFailure, RateLimiter, per_item};
use super::priority::PriorityOrder;
use super::work_queue::WorkQueue;

/// Builder of a [`WorkQueue`], returned by [`WorkQueue::builder`].
#[must_use]
pub struct WorkQueueBuilder<T: QueueItem> {
    name: Arc<str>,
    order: Box<dyn QueueOrder<T>>,
    limiter: Box<dyn RateLimiter<T>>,
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    /// Creates a queue without a rate limiter: [`add_rate_limited`](Self::add_rate_limited) adds at
    /// once.
    ///
    /// `name` appears in logs.
    pub fn new(name: impl Into<Arc<str>>) -> Self {
        Self::builder(name).build()
    }

    /// Creates a queue with the [default rate limiter](per_item).
    ///
    /// client-go's counterpart is `NewTypedRateLimitingQueue`, with another limiter by default.
    pub fn rate_limited(name: impl Into<Arc<str>>) -> Self {
        Self::builder(name).rate_limiter(per_item()).build()
    }

    /// Creates a queue as [`rate_limited`](Self::rate_limited) does, but ordered by priority: see
    /// [`PriorityOrder`].
    ///
    /// Suitable for controllers with many objects: [`enqueue_into`](crate::workqueue::enqueue_into) and
    /// [`enqueue_owner`](crate::workqueue::enqueue_owner) give changes a higher priority than initial lists
    /// and resyncs. controller-runtime's counterpart is `priorityqueue.New`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_controller::workqueue::{AddOptions, LOW_PRIORITY, WorkQueue};
    ///
    /// # #[tokio::main(flavor = "current_thread")]
    /// # async fn main() {
    /// let queue: WorkQueue<&str> = WorkQueue::priority("foos");
    /// queue.add_with("unchanged", AddOptions { priority: LOW_PRIORITY, ..AddOptions::default() });
    /// queue.add("changed");
    /// assert_eq!(queue.get().await.as_deref(), Some(&"changed"));
    /// # }
    /// ```
    pub fn priority(name: impl Into<Arc<str>>) -> Self {
        Self::builder(name)
            .rate_limiter(per_item())
            .order(PriorityOrder::new())
            .build()
    }

    /// Starts building a queue with a custom order or rate limiter.
    pub fn builder(name: impl Into<Arc<str>>) -> WorkQueueBuilder<T> {
        WorkQueueBuilder {
            name: name.into(),
            order: Box::new(Fifo::default()),
            limiter: Box::new(ItemExponentialFailure::new(Duration::ZERO, Duration::ZERO)),
        }
    }
}

// === impl WorkQueueBuilder ===

impl<T: QueueItem> WorkQueueBuilder<T> {
    /// Sets the rate limiter of [`WorkQueue::add_rate_limited`]. Default: no delay.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// Sets the order in which workers receive items. Default: [`Fifo`], which ignores priorities;
    /// see also [`PriorityOrder`].
    pub fn order(mut self, order: impl QueueOrder<T> + 'static) -> Self {
        self.order = Box::new(order);
        self
    }

    /// Builds the queue.
    #[must_use]
    pub fn build(self) -> WorkQueue<T> {
        WorkQueue::from_parts(self.name, self.order, self.limiter)
    }
}

impl<T: QueueItem> fmt::Debug for WorkQueueBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
