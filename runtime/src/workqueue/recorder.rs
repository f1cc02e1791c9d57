//! [`MetricsRecorder`]: hears what a queue does, as it happens.

use std::sync::Arc;
use std::time::Duration;

use crate::base::panic::{HINT, catch};

/// Exports the metrics of one queue: given to it by
/// [`WorkQueueBuilder::metrics_recorder`](super::WorkQueueBuilder::metrics_recorder).
///
/// There is no process-wide one. Each method does nothing by default, and is called by whoever
/// uses the queue, outside its locks, so that calls of several threads may overlap and overtake
/// each other: count, and do not set. How many items wait is `added` less `claimed`. What takes a
/// time that is not over yet ([`WorkQueueMetrics::unfinished`](super::WorkQueueMetrics::unfinished),
/// [`WorkQueueMetrics::longest_running`](super::WorkQueueMetrics::longest_running)) is read from
/// [`WorkQueue::metrics`](super::WorkQueue::metrics) when it is wanted. A panic is caught and
/// logged.
///
/// client-go's counterpart is `MetricsProvider`, controller-runtime's the one of its
/// `priorityqueue`, whose depth is told by priority too.
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
    /// An item waits for a worker that did not before (`workqueue_adds_total`; one more in
    /// `workqueue_depth`).
    fn added(&self, queue: &str, priority: i32) {
        let _ = (queue, priority);
    }

    /// An item that waits was added again with a higher priority.
    fn raised(&self, queue: &str, from: i32, to: i32) {
        let _ = (queue, from, to);
    }

    /// A worker took an item, which had waited for `latency` from its first add on
    /// (`workqueue_queue_duration_seconds`; one less in `workqueue_depth`).
    fn claimed(&self, queue: &str, priority: i32, latency: Duration) {
        let _ = (queue, priority, latency);
    }

    /// An item was in work for `duration` (`workqueue_work_duration_seconds`).
    fn finished(&self, queue: &str, duration: Duration) {
        let _ = (queue, duration);
    }

    /// An item was added with a rate limit (`workqueue_retries_total`).
    fn retried(&self, queue: &str) {
        let _ = queue;
    }

    /// A reconciliation of [`run_workers`](super::WorkQueue::run_workers) failed or panicked.
    fn failed(&self, queue: &str, panicked: bool) {
        let _ = (queue, panicked);
    }
}

/// What a [`MetricsRecorder`] is to be told.
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
    /// Tells `recorder`. Runs in destructors too, where a panic must not go on.
    pub(super) fn tell(self, recorder: &dyn MetricsRecorder, queue: &str) {
        let told = catch(|| match self {
            Self::Added { priority } => recorder.added(queue, priority),
            Self::Raised { from, to } => recorder.raised(queue, from, to),
            Self::Claimed { priority, latency } => recorder.claimed(queue, priority, latency),
            Self::Finished(duration) => recorder.finished(queue, duration),
            Self::Retried => recorder.retried(queue),
            Self::Failed { panicked } => recorder.failed(queue, panicked),
        });
        if told.is_err() {
            tracing::warn!(queue, "the metrics recorder panicked; {HINT}");
        }
    }
}
