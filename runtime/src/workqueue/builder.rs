//! [`WorkQueueBuilder`]: a queue with parts of one's own.

use std::fmt;
use std::sync::Arc;

use super::dedup::{Fifo, QueueOrder};
use super::item::QueueItem;
use super::limit::{RateLimiter, Unlimited, default_controller};
use super::priority::PriorityOrder;
use super::recorder::MetricsRecorder;
use super::work_queue::WorkQueue;

/// Builds a [`WorkQueue`]: from [`WorkQueue::builder`].
#[must_use]
pub struct WorkQueueBuilder<T: QueueItem> {
    name: Arc<str>,
    order: Box<dyn QueueOrder<T>>,
    limiter: Box<dyn RateLimiter<T>>,
    recorder: Option<Box<dyn MetricsRecorder>>,
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

    /// [`rate_limited`](Self::rate_limited), and what has the higher priority comes first: see
    /// [`PriorityOrder`].
    ///
    /// The queue for a controller with many objects: [`enqueue_into`](crate::enqueue_into) and
    /// [`enqueue_owner`](crate::enqueue_owner) give changes a higher priority than what a start or a
    /// resync brings. controller-runtime's counterpart is `priorityqueue.New`.
    ///
    /// # Examples
    ///
    /// ```
    /// # use informer_runtime::workqueue::{AddOptions, LOW_PRIORITY, WorkQueue};
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
            .rate_limiter(default_controller())
            .order(PriorityOrder::new())
            .build()
    }

    /// A queue with a limiter or an order of one's own.
    pub fn builder(name: impl Into<Arc<str>>) -> WorkQueueBuilder<T> {
        WorkQueueBuilder::new(name.into())
    }
}

// === impl WorkQueueBuilder ===

impl<T: QueueItem> WorkQueueBuilder<T> {
    pub(super) fn new(name: Arc<str>) -> Self {
        Self {
            name,
            order: Box::new(Fifo::default()),
            limiter: Box::new(Unlimited::default()),
            recorder: None,
        }
    }

    /// What delays [`WorkQueue::add_rate_limited`]; [`Unlimited`] by default.
    pub fn rate_limiter(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.limiter = Box::new(limiter);
        self
    }

    /// In which order items are handed out; [`Fifo`] by default, which ignores
    /// priorities; see [`PriorityOrder`].
    pub fn order(mut self, order: impl QueueOrder<T> + 'static) -> Self {
        self.order = Box::new(order);
        self
    }

    /// Who hears what the queue does, as it happens; nobody by default.
    /// [`WorkQueue::metrics`] counts anyway.
    pub fn metrics_recorder(mut self, recorder: impl MetricsRecorder) -> Self {
        self.recorder = Some(Box::new(recorder));
        self
    }

    /// The queue.
    #[must_use]
    pub fn build(self) -> WorkQueue<T> {
        WorkQueue::from_parts(self.name, self.order, self.limiter, self.recorder)
    }
}

impl<T: QueueItem> fmt::Debug for WorkQueueBuilder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("WorkQueueBuilder")
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}
