//! [`RateLimiter`]: the delay of an item that failed.

use std::time::Duration;

use tokio::time::Instant;

/// Says how long an item has to wait before it is tried again.
pub trait RateLimiter<T>: Send {
    /// The delay of `item`, which failed once more, from `now` on.
    fn when(&mut self, item: &T, now: Instant) -> Duration;

    /// Forgets what `item` did.
    fn forget(&mut self, item: &T);

    /// How often `item` failed since it was forgotten.
    fn num_requeues(&self, item: &T) -> u32;
}

impl<T, L: RateLimiter<T> + ?Sized> RateLimiter<T> for Box<L> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        (**self).when(item, now)
    }

    fn forget(&mut self, item: &T) {
        (**self).forget(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        (**self).num_requeues(item)
    }
}
