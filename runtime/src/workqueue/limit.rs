//! [`RateLimiter`]: how long an item that failed has to wait.
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
pub use self::per_item::{ItemExponentialFailure, ItemFastSlow, Unlimited};

/// The limiter that controllers usually have: per item 5 ms, doubled with each failure up to
/// 1000 s, and 10 items a second over all with bursts of 100; the longer of the two.
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

/// Per item 1 ms, doubled with each failure up to 1000 s.
///
/// client-go's counterpart is `DefaultTypedItemBasedRateLimiter`.
#[must_use]
pub fn default_item_based<T>() -> ItemExponentialFailure<T> {
    ItemExponentialFailure::new(Duration::from_millis(1), Duration::from_secs(1000))
}
