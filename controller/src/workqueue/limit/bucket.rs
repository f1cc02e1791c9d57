//! [`Bucket`]: a rate limit over all items together.

use std::time::Duration;

use tokio::time::Instant;

use super::RateLimiter;

/// Token bucket over all items: gains one token per interval, up to `burst` tokens.
///
/// Each call of [`when`](RateLimiter::when) takes a token. If no token is available, the call
/// reserves a future one, and the delay is the time until that token arrives. Tokens are not
/// returned, neither by [`forget`](RateLimiter::forget) nor when a [`MaxOf`](super::MaxOf) picks
/// the delay of another limiter. client-go's counterpart is `TypedBucketRateLimiter`.
#[derive(Debug, Clone)]
pub struct Bucket {
    interval: Duration,
    burst: u32,
    /// Time at which the bucket would be full without further calls. This is the bucket's entire
    /// state.
    full_at: Option<Instant>,
}

// === impl Bucket ===

impl Bucket {
    /// Creates a full bucket that gains one token per `interval` and holds at most `burst` tokens.
    ///
    /// An `interval` of zero disables the limit. With a `burst` of 0, every item is delayed.
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
        let before = self.full_at.map_or(now, |full_at| full_at.max(now));
        // On overflow of the clock, further tokens share the last representable time.
        let full_at = before.checked_add(self.interval).unwrap_or(before);
        self.full_at = Some(full_at);
        let missing = full_at.saturating_duration_since(now);
        missing.saturating_sub(self.interval.saturating_mul(self.burst))
    }

    fn forget(&mut self, _: &T) {}

    fn num_requeues(&self, _: &T) -> u32 {
        0
    }
}
