//! [`RateLimiter`]: computes the delay of a failed item.
//!
//! Pure: time is an argument. client-go's counterparts are in `default_rate_limiters.go`.

mod bucket;
mod combine;
mod limiter;
mod per_item;
mod scheduled;

use std::time::Duration;

use tokio::time::Instant;

use self::scheduled::Scheduled;
use super::item::QueueItem;
use super::outcome::Again;

pub use self::bucket::Bucket;
pub use self::combine::{MaxOf, WithMaxWait};
pub use self::limiter::RateLimiter;
pub use self::per_item::{ItemExponentialFailure, ItemFastSlow};

/// Returns the default limiter: a delay of 100 ms per item, doubled with each failure up to 60 s.
///
/// An attempt that an event started before the end of the delay leaves the schedule of the item as
/// it is, and no item waits longer than 60 s.
///
/// client-go's default, [`default_controller`], differs in three ways. It begins at 5 ms, so a cause
/// that all items share is tried thousands of times in the first second. It limits all items
/// together to 10 per second, so after a failure of one second, 1500 items take minutes. And it
/// counts attempts of events, so an item that others change during an outage waits 16 minutes for
/// its next retry.
#[must_use]
pub fn per_item<T: QueueItem>() -> impl RateLimiter<T> + 'static {
    Scheduled::new(ItemExponentialFailure::new(
        Duration::from_millis(100),
        Duration::from_secs(60),
    ))
}

/// Returns client-go's default limiter of controllers, which is the longer delay of two limiters.
/// The first has 5 ms per item, doubled with each failure up to 1000 s. The second allows 10 items
/// per second in total, with bursts of 100.
///
/// client-go's counterpart is `DefaultTypedControllerRateLimiter`. [`per_item`] is the default here.
#[must_use]
pub fn default_controller<T: QueueItem>() -> MaxOf<T> {
    MaxOf::default()
        .and(ItemExponentialFailure::new(
            Duration::from_millis(5),
            Duration::from_secs(1000),
        ))
        .and(Bucket::new(Duration::from_millis(100), 100))
}

/// Delays of the items of one queue.
pub(super) struct Limits<T> {
    /// After failures.
    pub(super) failures: Box<dyn RateLimiter<T>>,
    /// Of work that is incomplete.
    polls: Scheduled<T, ItemExponentialFailure<T>>,
}

// === impl Limits ===

impl<T: QueueItem> Limits<T> {
    pub(super) fn new(failures: Box<dyn RateLimiter<T>>) -> Self {
        Self {
            failures,
            polls: Scheduled::new(ItemExponentialFailure::new(
                Duration::from_millis(500),
                Duration::from_secs(10),
            )),
        }
    }

    /// Returns when an item comes back that has failed.
    pub(super) fn retry(&mut self, item: &T, now: Instant) -> Again {
        self.polls.forget(item);
        Again {
            after: self.failures.when(item, now),
            attempt: self.failures.num_requeues(item),
        }
    }

    /// Returns when an item comes back whose work is incomplete.
    pub(super) fn poll(&mut self, item: &T, now: Instant) -> Again {
        self.failures.forget(item);
        Again {
            after: self.polls.when(item, now),
            attempt: self.polls.num_requeues(item),
        }
    }

    pub(super) fn forget(&mut self, item: &T) {
        self.failures.forget(item);
        self.polls.forget(item);
    }
}
