//! [`WorkQueueMetrics`]: what a queue has done, and does now.

use std::time::Duration;

use crate::base::buckets::Buckets;

/// Upper bounds of the buckets: powers of ten from a microsecond to a thousand seconds.
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

/// What a queue has done, and does now: client-go's `workqueue_*` metrics as one value.
///
/// Taken on demand; nothing runs in the background. Times are measured on tokio's clock. After
/// shutdown an add is refused and not counted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct WorkQueueMetrics {
    /// Items that wait for a worker now, those included that were added while in work
    /// (`workqueue_depth`).
    pub depth: usize,
    /// Items that wait for their time now.
    pub delayed: usize,
    /// Adds, without those of items that waited already (`workqueue_adds_total`).
    pub adds: u64,
    /// Rate-limited adds (`workqueue_retries_total`).
    pub retries: u64,
    /// How long items waited for a worker, from the first add on
    /// (`workqueue_queue_duration_seconds`).
    pub latency: Durations,
    /// How long items were in work (`workqueue_work_duration_seconds`).
    pub work_duration: Durations,
    /// How long the items in work have been there, all together
    /// (`workqueue_unfinished_work_seconds`).
    pub unfinished: Duration,
    /// How long the oldest item in work has been there
    /// (`workqueue_longest_running_processor_seconds`).
    pub longest_running: Duration,
    /// Reconciliations of [`run_workers`](super::WorkQueue::run_workers) that failed.
    pub failures: u64,
    /// Those of them that panicked.
    pub panics: u64,
}

/// How many durations were seen, of which length: a histogram.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Durations(Buckets<{ BOUNDS.len() }>);

/// What is counted as it happens.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) adds: u64,
    pub(super) retries: u64,
    pub(super) failures: u64,
    pub(super) panics: u64,
    latency: Durations,
    work_duration: Durations,
}

// === impl Durations ===

impl Durations {
    /// How many there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.0.count()
    }

    /// All of them together.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.0.sum()
    }

    /// For each upper bound, from a microsecond to a thousand seconds by powers of ten, how many
    /// durations were at most that long, as a Prometheus histogram has them.
    /// [`count`](Self::count) is the number for the bound `+Inf`.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.0.cumulative()
    }
}

impl Default for Durations {
    fn default() -> Self {
        Self(Buckets::new(&BOUNDS))
    }
}

// === impl Counters ===

impl Counters {
    pub(super) fn claimed(&mut self, latency: Duration) {
        self.latency.0.record(latency);
    }

    pub(super) fn finished(&mut self, duration: Duration) {
        self.work_duration.0.record(duration);
    }

    pub(super) fn snapshot(
        &self,
        depth: usize,
        delayed: usize,
        running: impl Iterator<Item = Duration>,
    ) -> WorkQueueMetrics {
        let (unfinished, longest_running) = running
            .fold((Duration::ZERO, Duration::ZERO), |(sum, max), time| {
                (sum.saturating_add(time), max.max(time))
            });
        WorkQueueMetrics {
            depth,
            delayed,
            adds: self.adds,
            retries: self.retries,
            latency: self.latency.clone(),
            work_duration: self.work_duration.clone(),
            unfinished,
            longest_running,
            failures: self.failures,
            panics: self.panics,
        }
    }
}
