//! [`MetricsRecorder`]: receives the operations of a queue as they happen.

use std::sync::Arc;
use std::time::Duration;

use crate::base::panic::{HINT, catch};

/// Exporter of one queue's metrics, set by
/// [`WorkQueueBuilder::metrics_recorder`](super::WorkQueueBuilder::metrics_recorder). A
/// process-wide recorder does not exist.
///
/// Each method does nothing by default. The thread that uses the queue calls the methods outside
/// the queue's locks, so calls of several threads can overlap and arrive out of order. An
/// implementation should therefore count, not store absolute values. The number of waiting items is
/// the number of `added` calls minus the number of `claimed` calls. A panic is caught and logged.
///
/// Durations of work in progress
/// ([`WorkQueueMetrics::unfinished`](super::WorkQueueMetrics::unfinished),
/// [`WorkQueueMetrics::longest_running`](super::WorkQueueMetrics::longest_running)) are read on
/// demand from [`WorkQueue::metrics`](super::WorkQueue::metrics).
///
/// client-go's counterpart is `MetricsProvider`. controller-runtime's is the provider of its
/// `priorityqueue`, which also reports the depth per priority.
///
/// # Examples
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicI64, Ordering};
/// # use informer_runtime::workqueue::{MetricsRecorder, WorkQueue};
/// use std::time::Duration;
///
/// #[derive(Default)]
/// struct Depth(AtomicI64);
///
/// impl MetricsRecorder for Depth {
///     fn added(&self, _queue: &str, _priority: i32) {
///         self.0.fetch_add(1, Ordering::Relaxed);
///     }
///     fn claimed(&self, _queue: &str, _priority: i32, _latency: Duration) {
///         self.0.fetch_sub(1, Ordering::Relaxed);
///     }
/// }
///
/// let depth = Arc::new(Depth::default());
/// let queue = WorkQueue::builder("foos").metrics_recorder(depth.clone()).build();
/// queue.add("a");
/// queue.add("a");
/// assert_eq!(depth.0.load(Ordering::Relaxed), 1);
/// ```
pub trait MetricsRecorder: Send + Sync + 'static {
    /// Called when an item starts to wait for a worker (`workqueue_adds_total`; increments
    /// `workqueue_depth`).
    fn added(&self, queue: &str, priority: i32) {
        let _ = (queue, priority);
    }

    /// Called when a waiting item was added again with a higher priority.
    fn raised(&self, queue: &str, from: i32, to: i32) {
        let _ = (queue, from, to);
    }

    /// Called when a worker took an item. `latency` is the time since the item's first add
    /// (`workqueue_queue_duration_seconds`; decrements `workqueue_depth`).
    fn claimed(&self, queue: &str, priority: i32, latency: Duration) {
        let _ = (queue, priority, latency);
    }

    /// Called when the work on an item has ended, after `duration`
    /// (`workqueue_work_duration_seconds`).
    fn finished(&self, queue: &str, duration: Duration) {
        let _ = (queue, duration);
    }

    /// Called for each rate-limited add (`workqueue_retries_total`).
    fn retried(&self, queue: &str) {
        let _ = queue;
    }

    /// Called when a reconciliation of [`run_workers`](super::WorkQueue::run_workers) failed or
    /// panicked.
    fn failed(&self, queue: &str, panicked: bool) {
        let _ = (queue, panicked);
    }
}

/// Operation to report to a [`MetricsRecorder`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Observed {
    Added { priority: i32 },
    Raised { from: i32, to: i32 },
    Claimed { priority: i32, latency: Duration },
    Finished(Duration),
    Retried,
    Failed { panicked: bool },
}

impl<M: MetricsRecorder + ?Sized> MetricsRecorder for Arc<M> {
    fn added(&self, queue: &str, priority: i32) {
        (**self).added(queue, priority);
    }

    fn raised(&self, queue: &str, from: i32, to: i32) {
        (**self).raised(queue, from, to);
    }

    fn claimed(&self, queue: &str, priority: i32, latency: Duration) {
        (**self).claimed(queue, priority, latency);
    }

    fn finished(&self, queue: &str, duration: Duration) {
        (**self).finished(queue, duration);
    }

    fn retried(&self, queue: &str) {
        (**self).retried(queue);
    }

    fn failed(&self, queue: &str, panicked: bool) {
        (**self).failed(queue, panicked);
    }
}

// === impl Observed ===

impl Observed {
    /// Calls `recorder`. Catches panics, because this also runs in destructors.
    pub(super) fn tell(self, recorder: &dyn MetricsRecorder, queue: &str) {
        let outcome = catch(|| match self {
            Self::Added { priority } => recorder.added(queue, priority),
            Self::Raised { from, to } => recorder.raised(queue, from, to),
            Self::Claimed { priority, latency } => recorder.claimed(queue, priority, latency),
            Self::Finished(duration) => recorder.finished(queue, duration),
            Self::Retried => recorder.retried(queue),
            Self::Failed { panicked } => recorder.failed(queue, panicked),
        });
        if outcome.is_err() {
            tracing::warn!(queue, "the metrics recorder panicked; {HINT}");
        }
    }
}
