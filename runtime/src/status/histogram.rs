//! [`Histogram`]: distribution of durations.

use std::time::Duration;

use crate::base::buckets::Buckets;

/// Upper bounds of the buckets: those of client-go's `informer_processing_latency_seconds`, and
/// three smaller bounds, because most batches take less than a millisecond.
pub(super) const BOUNDS: [Duration; 15] = [
    Duration::from_micros(100),
    Duration::from_micros(250),
    Duration::from_micros(500),
    Duration::from_millis(1),
    Duration::from_millis(5),
    Duration::from_millis(10),
    Duration::from_millis(25),
    Duration::from_millis(50),
    Duration::from_millis(100),
    Duration::from_millis(250),
    Duration::from_millis(500),
    Duration::from_secs(1),
    Duration::from_millis(2500),
    Duration::from_secs(5),
    Duration::from_secs(10),
];

/// Distribution of durations, in buckets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Histogram {
    pub(super) buckets: Buckets<{ BOUNDS.len() }>,
    pub(super) max: Duration,
}

// === impl Histogram ===

impl Histogram {
    /// Returns the number of durations.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.buckets.count()
    }

    /// Returns the sum of the durations.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.buckets.sum()
    }

    /// Returns the longest duration; zero if there is none.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.max
    }

    /// Returns, for each upper bound from 100 µs to 10 s, the number of durations that do not
    /// exceed the bound, like a Prometheus histogram. [`count`](Self::count) is the number for the
    /// bound `+Inf`.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        self.buckets.cumulative()
    }
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            buckets: Buckets::new(&BOUNDS),
            max: Duration::ZERO,
        }
    }
}
