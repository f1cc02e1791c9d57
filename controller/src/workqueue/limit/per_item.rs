//! Rate limiters with separate state for each item.

use std::hash::Hash;
use std::time::Duration;

use foldhash::HashMap;
use tokio::time::Instant;

use super::RateLimiter;

/// Limiter whose delay doubles with each failure of an item, up to a maximum.
///
/// client-go's counterpart is `TypedItemExponentialFailureRateLimiter`.
#[derive(Debug, Clone)]
pub struct ItemExponentialFailure<T> {
    base: Duration,
    max: Duration,
    failures: Failures<T>,
}

/// Limiter with a short delay for the first failures of an item, and a long delay for all later
/// ones.
///
/// client-go's counterpart is `TypedItemFastSlowRateLimiter`.
#[derive(Debug, Clone)]
pub struct ItemFastSlow<T> {
    fast: Duration,
    slow: Duration,
    max_fast_attempts: u32,
    failures: Failures<T>,
}

/// Number of failures of each item.
#[derive(Debug, Clone)]
struct Failures<T>(HashMap<T, u32>);

// === impl Failures ===

impl<T> Default for Failures<T> {
    fn default() -> Self {
        Self(HashMap::default())
    }
}

impl<T: Clone + Eq + Hash> Failures<T> {
    /// Counts a failure, and returns the number of earlier failures.
    fn count(&mut self, item: &T) -> u32 {
        let Some(failures) = self.0.get_mut(item) else {
            self.0.insert(item.clone(), 1);
            return 0;
        };
        let previous = *failures;
        *failures = previous.saturating_add(1);
        previous
    }

    fn forget(&mut self, item: &T) {
        self.0.remove(item);
    }

    fn get(&self, item: &T) -> u32 {
        self.0.get(item).copied().unwrap_or_default()
    }
}

// === impl ItemExponentialFailure ===

impl<T> ItemExponentialFailure<T> {
    /// Creates a limiter with delay `base` after the first failure, doubled after each further
    /// failure, up to `max`.
    #[must_use]
    pub fn new(base: Duration, max: Duration) -> Self {
        Self {
            base,
            max,
            failures: Failures::default(),
        }
    }
}

impl<T: Clone + Eq + Hash + Send> RateLimiter<T> for ItemExponentialFailure<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        let exponent = self.failures.count(item);
        let base = self.base.as_nanos();
        if base == 0 {
            return Duration::ZERO;
        }
        if exponent >= base.leading_zeros() {
            return self.max;
        }
        let delay = u64::try_from(base << exponent).map_or(self.max, Duration::from_nanos);
        delay.min(self.max)
    }

    fn forget(&mut self, item: &T) {
        self.failures.forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.get(item)
    }
}

// === impl ItemFastSlow ===

impl<T> ItemFastSlow<T> {
    /// Creates a limiter with delay `fast` after each of the first `max_fast_attempts` failures,
    /// and `slow` after later ones.
    #[must_use]
    pub fn new(fast: Duration, slow: Duration, max_fast_attempts: u32) -> Self {
        Self {
            fast,
            slow,
            max_fast_attempts,
            failures: Failures::default(),
        }
    }
}

impl<T: Clone + Eq + Hash + Send> RateLimiter<T> for ItemFastSlow<T> {
    fn when(&mut self, item: &T, _: Instant) -> Duration {
        if self.failures.count(item) < self.max_fast_attempts {
            self.fast
        } else {
            self.slow
        }
    }

    fn forget(&mut self, item: &T) {
        self.failures.forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.failures.get(item)
    }
}
