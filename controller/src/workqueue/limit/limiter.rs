//! [`RateLimiter`]: computes the delay of a failed item.

use std::time::Duration;

use tokio::time::Instant;

/// Computes the delay before an item is retried.
pub trait RateLimiter<T>: Send {
    /// Counts a failure of `item` at `now`, and returns the delay before its next attempt.
    fn when(&mut self, item: &T, now: Instant) -> Duration;

    /// Resets the state of `item`.
    fn forget(&mut self, item: &T);

    /// Returns the number of failures of `item` since it was last forgotten.
    fn num_requeues(&self, item: &T) -> u32;
}
