//! [`Histogram`]: how many durations there were, of which length.

use std::time::Duration;

/// Upper bounds of the buckets: client-go's for `informer_processing_latency_seconds`, and three
/// below them, because most batches take less than a millisecond.
const BOUNDS: [Duration; 15] = [
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

/// One more than there are bounds, for what is longer than the last.
pub(super) const BUCKETS: usize = BOUNDS.len() + 1;

/// How many durations were seen, of which length.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Histogram {
    pub(super) counts: [u64; BUCKETS],
    pub(super) sum: Duration,
    pub(super) max: Duration,
}

/// Where a duration is counted.
pub(super) fn bucket_of(duration: Duration) -> usize {
    BOUNDS.partition_point(|bound| *bound < duration)
}

// === impl Histogram ===

impl Histogram {
    /// How many there were.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All of them together.
    #[must_use]
    pub fn sum(&self) -> Duration {
        self.sum
    }

    /// The longest; zero if there was none.
    #[must_use]
    pub fn max(&self) -> Duration {
        self.max
    }

    /// For each upper bound, from 100 µs to 10 s, how many durations were at most that long, as a
    /// Prometheus histogram has them. [`count`](Self::count) is the number for the bound `+Inf`.
    pub fn buckets(&self) -> impl Iterator<Item = (Duration, u64)> + '_ {
        let mut total = 0;
        BOUNDS.into_iter().zip(self.counts).map(move |(le, count)| {
            total += count;
            (le, total)
        })
    }
}
