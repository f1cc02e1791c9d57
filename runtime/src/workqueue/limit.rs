//! [`RateLimiter`]: how long an item that failed has to wait.
//!
//! Pure: time is an argument. client-go's counterparts are in `default_rate_limiters.go`.

mod bucket;
mod combine;
mod per_item;

use std::time::Duration;

use tokio::time::Instant;

pub use self::bucket::Bucket;
pub use self::combine::{MaxOf, WithMaxWait};
pub use self::per_item::{ItemExponentialFailure, ItemFastSlow, Unlimited};

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

/// The limiter that controllers usually have: per item 5 ms, doubled with each failure up to
/// 1000 s, and 10 items a second over all with bursts of 100; the longer of the two.
///
/// client-go's counterpart is `DefaultTypedControllerRateLimiter`.
#[must_use]
pub fn default_controller<T: super::QueueItem>() -> MaxOf<T> {
    MaxOf::default()
        .and(ItemExponentialFailure::new(
            Duration::from_millis(5),
            Duration::from_secs(1000),
        ))
        .and(Bucket::new(Duration::from_millis(100), 100))
}

/// Per item 1 ms, doubled with each failure up to 1000 s.
///
/// client-go's counterpart is `DefaultTypedItemBasedRateLimiter`.
#[must_use]
pub fn default_item_based<T>() -> ItemExponentialFailure<T> {
    ItemExponentialFailure::new(Duration::from_millis(1), Duration::from_secs(1000))
}
