//! [`Bucket`]: a limit over all items together.

use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;

/// A token bucket over all items: one token every interval, and `burst` of them at most.
///
/// Each [`when`](RateLimiter::when) takes a token, if need be one that is not there yet, and the
/// delay is the time until it is. [`forget`](RateLimiter::forget) gives none back, nor does a
/// [`MaxOf`](super::MaxOf) that picks another delay. client-go's counterpart is
/// `TypedBucketRateLimiter`.
#[derive(Debug, Clone)]
pub struct Bucket {
    interval: Duration,
    burst: u32,
    /// When the bucket is full again if no token is taken: all of its state.
    full_at: Option<Instant>,
}

// === impl Bucket ===

impl Bucket {
    /// A full bucket, which gets one token every `interval` and holds at most `burst`.
    ///
    /// An `interval` of zero means no limit, a `burst` of 0 that nothing passes at once.
    #[must_use]
    pub fn new(interval: Duration, burst: u32) -> Self {
        Self {
            interval,
            burst,
            full_at: None,
        }
    }
}

impl<T> RateLimiter<T> for Bucket {
    fn when(&mut self, _: &T, now: Instant) -> Duration {
        let full_at = self.full_at.map_or(now, |full_at| full_at.max(now));
        // Beyond what the clock can count, tokens are no longer told apart.
        let full_at = full_at.checked_add(self.interval).unwrap_or(full_at);
        self.full_at = Some(full_at);
        let missing = full_at.saturating_duration_since(now);
        missing.saturating_sub(self.interval.saturating_mul(self.burst))
    }

    fn forget(&mut self, _: &T) {}

    fn num_requeues(&self, _: &T) -> u32 {
        0
    }
}
