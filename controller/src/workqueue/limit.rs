//! [`RateLimiter`]: computes the delay of a failed item.
//!
//! Pure: time is an argument. client-go's counterparts are in `default_rate_limiters.go`.

mod bucket;
mod combine;
mod limiter;
mod per_item;

use std::time::Duration;

use super::item::QueueItem;

pub use self::bucket::Bucket;
pub use self::combine::{MaxOf, WithMaxWait};
pub use self::limiter::RateLimiter;
pub use self::per_item::{ItemExponentialFailure, ItemFastSlow};

/// Returns the usual limiter of controllers, which is the longer delay of two limiters. The first
/// has 5 ms per item, doubled with each failure up to 1000 s. The second allows 10 items per second
/// in total, with bursts of 100.
///
/// client-go's counterpart is `DefaultTypedControllerRateLimiter`.
#[must_use]
pub fn default_controller<T: QueueItem>() -> MaxOf<T> {
    MaxOf::default()
        .and(ItemExponentialFailure::new(
            Duration::from_millis(5),
            Duration::from_secs(1000),
        ))
        .and(Bucket::new(Duration::from_millis(100), 100))
}

/// Returns a limiter with a delay of 1 ms per item, doubled with each failure up to 1000 s.
///
/// client-go's counterpart is `DefaultTypedItemBasedRateLimiter`.
#[must_use]
pub fn default_item_based<T>() -> ItemExponentialFailure<T> {
    ItemExponentialFailure::new(Duration::from_millis(1), Duration::from_secs(1000))
}
