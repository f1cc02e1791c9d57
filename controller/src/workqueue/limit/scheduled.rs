//! [`Scheduled`]: a limiter that counts only the failures of its own schedule.

use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use foldhash::HashMap;
use tokio::time::Instant;

use super::RateLimiter;

/// Limiter that does not count failures before the item is due. Such an attempt was started by an
/// event, so the schedule of the item stays as it is: the delay is the time that remains.
pub(super) struct Scheduled<T, L> {
    limiter: L,
    /// Time at which the delay of each failed item ends.
    due: HashMap<T, Instant>,
}

// === impl Scheduled ===

impl<T, L> Scheduled<T, L> {
    pub(super) fn new(limiter: L) -> Self {
        Self {
            limiter,
            due: HashMap::default(),
        }
    }
}

impl<T: Clone + Eq + Hash + Send, L: RateLimiter<T>> RateLimiter<T> for Scheduled<T, L> {
    fn when(&mut self, item: &T, now: Instant) -> Duration {
        if let Some(due) = self.due.get(item)
            && now < *due
        {
            return *due - now;
        }
        let delay = self.limiter.when(item, now);
        if let Some(due) = now.checked_add(delay) {
            self.due.insert(item.clone(), due);
        }
        delay
    }

    fn forget(&mut self, item: &T) {
        self.limiter.forget(item);
        self.due.remove(item);
    }

    fn num_requeues(&self, item: &T) -> u32 {
        self.limiter.num_requeues(item)
    }
}

impl<T, L: fmt::Debug> fmt::Debug for Scheduled<T, L> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Scheduled").field(&self.limiter).finish()
    }
}
