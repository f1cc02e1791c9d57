//! Concurrent counters: relaxed atomics, without locks or ordering between them.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::histogram::{BOUNDS, Histogram};
use crate::base::buckets::{Buckets, Counts};

/// Counter that several tasks increment.
#[derive(Debug, Default)]
pub(crate) struct Counter(AtomicU64);

/// [`Histogram`] that several tasks record into.
#[derive(Debug, Default)]
pub(crate) struct AtomicHistogram {
    counts: Counts<{ BOUNDS.len() }, Counter>,
    sum_nanos: Counter,
    max_nanos: AtomicU64,
}

// === impl Counter ===

impl Counter {
    pub(crate) fn add(&self, count: u64) {
        self.0.fetch_add(count, Ordering::Relaxed);
    }

    pub(crate) fn increment(&self) {
        self.add(1);
    }

    pub(crate) fn get(&self) -> u64 {
        self.0.load(Ordering::Relaxed)
    }
}

// === impl AtomicHistogram ===

impl AtomicHistogram {
    pub(crate) fn record(&self, duration: Duration) {
        self.counts.of(&BOUNDS, duration).increment();
        let nanos = u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX);
        self.sum_nanos.add(nanos);
        self.max_nanos.fetch_max(nanos, Ordering::Relaxed);
    }

    pub(crate) fn get(&self) -> Histogram {
        let sum = Duration::from_nanos(self.sum_nanos.get());
        Histogram {
            buckets: Buckets::of(&BOUNDS, self.counts.each(Counter::get), sum),
            max: Duration::from_nanos(self.max_nanos.load(Ordering::Relaxed)),
        }
    }
}
