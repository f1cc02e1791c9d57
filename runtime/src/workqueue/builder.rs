//! [`WorkQueueBuilder`]: a queue with parts of one's own.

use std::fmt;
use std::sync::Arc;

use super::dedup::{Fifo, QueueOrder};
use super::limit::{RateLimiter, Unlimited};
use super::recorder::MetricsRecorder;
use super::work_queue::{QueueItem, WorkQueue};

/// Builds a [`WorkQueue`]: from [`WorkQueue::builder`].
#[must_use]
pub struct WorkQueueBuilder<T: QueueItem> {
    name: Arc<str>,
    order: Box<dyn QueueOrder<T>>,
    limiter: Box<dyn RateLimiter<T>>,
    recorder: Option<Box<dyn MetricsRecorder>>,
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
    /// priorities; see [`PriorityOrder`](super::PriorityOrder).
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
