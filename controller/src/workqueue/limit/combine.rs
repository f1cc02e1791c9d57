//! Rate limiters that combine other rate limiters.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;

/// Limiter with the longest delay of several limiters; zero without any limiter.
///
/// Every call queries all limiters. client-go's counterpart is `TypedMaxOfRateLimiter`.
pub struct MaxOf<T>(Vec<Box<dyn RateLimiter<T>>>);

/// Limiter that caps the delay of another limiter.
///
/// client-go's counterpart is `TypedWithMaxWaitRateLimiter`.
#[derive(Debug, Clone)]
pub struct WithMaxWait<L> {
    inner: L,
    max: Duration,
}

// === impl MaxOf ===

impl<T> Default for MaxOf<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> MaxOf<T> {
    /// Adds a limiter.
    #[must_use]
    pub fn and(mut self, limiter: impl RateLimiter<T> + 'static) -> Self {
        self.0.push(Box::new(limiter));
        self
    }
}

impl<T> RateLimiter<T> for MaxOf<T> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        let delays = self.0.iter_mut().map(|limiter| limiter.when(item, now));
        delays.max().unwrap_or_default()
    }

    fn forget(&mut self, item: &T) {
        for limiter in &mut self.0 {
            limiter.forget(item);
        }
    }

    fn num_requeues(&self, item: &T) -> u32 {
        let counts = self.0.iter().map(|limiter| limiter.num_requeues(item));
        counts.max().unwrap_or_default()
    }
}

impl<T> fmt::Debug for MaxOf<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MaxOf")
            .field("limiters", &self.0.len())
            .finish()
    }
}

// === impl WithMaxWait ===

impl<L> WithMaxWait<L> {
    /// Creates a limiter with the delays of `inner`, capped at `max`.
    #[must_use]
    pub fn new(inner: L, max: Duration) -> Self {
        Self { inner, max }
    }
}

impl<T, L: RateLimiter<T>> RateLimiter<T> for WithMaxWait<L> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        self.inner.when(item, now).min(self.max)
    }

    fn forget(&mut self, item: &T) {
        self.inner.forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.inner.num_requeues(item)
    }
}
