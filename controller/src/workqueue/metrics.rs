//! [`WorkQueueMetrics`]: the counters and gauges of a queue.

use std::collections::BTreeMap;
use std::time::Duration;

use informer_runtime::engine::Buckets;

use super::reason::ReconcileReason;

/// Upper bounds of the histogram's buckets: powers of ten from 1 µs to 1000 s.
const BOUNDS: [Duration; 10] = [
    Duration::from_micros(1),
    Duration::from_micros(10),
    Duration::from_micros(100),
    Duration::from_millis(1),
    Duration::from_millis(10),
    Duration::from_millis(100),
    Duration::from_secs(1),
    Duration::from_secs(10),
    Duration::from_secs(100),
    Duration::from_secs(1000),
];

/// Counters and gauges of a queue: client-go's `workqueue_*` metrics as one value.
///
/// Computed on demand, without a background task. Durations are measured with tokio's clock. Adds
/// after shutdown are ignored, and not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkQueueMetrics {
    /// Number of items that wait for a worker, including items that were added while in work
    /// (`workqueue_depth`).
    pub depth: usize,
    /// Number of delayed items.
    pub delayed: usize,
    /// Number of adds, without adds of items that were waiting already (`workqueue_adds_total`).
    pub adds: u64,
    /// Number of rate-limited adds (`workqueue_retries_total`).
    pub retries: u64,
    /// Time that items waited for a worker, from the first add on
    /// (`workqueue_queue_duration_seconds`).
    pub latency: Durations,
    /// Time that items were in work (`workqueue_work_duration_seconds`).
    pub work_duration: Durations,
    /// Total time that the items now in work have been in work
    /// (`workqueue_unfinished_work_seconds`).
    pub unfinished: Duration,
    /// Time that the oldest item in work has been in work
    /// (`workqueue_longest_running_processor_seconds`).
    pub longest_running: Duration,
    /// Number of failed reconciliations of [`run_workers`](super::WorkQueue::run_workers).
    pub failures: u64,
    /// Number of those failures that were panics.
    pub panics: u64,
    /// Number of times that an item was put back, because a cache did not show its own writes yet (see
    /// [`Session`](crate::Session)), or not its slice (see [`Shards`](crate::shards::Shards)).
    pub put_back: u64,
    /// Number of items that workers have taken, by the [label](ReconcileReason::label) of the
    /// reason.
    pub reasons: BTreeMap<&'static str, u64>,
}

/// Histogram of durations.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations(Buckets<{ BOUNDS.len() }>);

// === impl Durations ===

impl Durations {
    pub(crate) fn record(&mut self, duration: Duration) {
        self.0.record(duration);
    }

    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.count()
    }

    /// Returns the sum of all durations.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.0.sum()
    }

    /// Returns each upper bound (powers of ten from 1 µs to 1000 s) with the number of durations up
    /// to that bound, cumulatively, as in a Prometheus histogram. [`count`](Self::count) is the
    /// number for the bound `+Inf`.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.0.cumulative()
    }
}

impl Default for Durations {
    fn default() -> Self {
        Self(Buckets::new(&BOUNDS))
    }
}

// === impl WorkQueueMetrics ===

impl WorkQueueMetrics {
    /// Counts an item that a worker has taken.
    pub(super) fn claimed(&mut self, latency: Duration, reason: &ReconcileReason) {
        self.latency.record(latency);
        *self.reasons.entry(reason.label()).or_default() += 1;
    }

    /// Returns the counters with the gauges of this moment.
    pub(super) fn with_gauges(
        &self,
        depth: usize,
        delayed: usize,
        running: impl Iterator<Item = Duration>,
    ) -> Self {
        let mut metrics = Self {
            depth,
            delayed,
            ..self.clone()
        };
        for time in running {
            metrics.unfinished = metrics.unfinished.saturating_add(time);
            metrics.longest_running = metrics.longest_running.max(time);
        }
        metrics
    }
}
