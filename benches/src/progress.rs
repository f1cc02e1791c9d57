//! Counts notifications, and wakes the measurement at the last one only.

use std::sync::atomic::{AtomicU64, Ordering};

use tokio::sync::Notify;

/// A count with a goal.
#[derive(Debug)]
pub(crate) struct Tally {
    count: AtomicU64,
    goal: AtomicU64,
    reached: Notify,
}

// === impl Tally ===

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            count: AtomicU64::new(0),
            goal: AtomicU64::new(u64::MAX),
            reached: Notify::new(),
        }
    }

    pub(crate) fn increment(&self) {
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        if count == self.goal.load(Ordering::SeqCst) {
            self.reached.notify_one();
        }
    }

    pub(crate) fn get(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Waits until the count is at least `goal`. One waiter at a time.
    pub(crate) async fn reach(&self, goal: u64) {
        self.goal.store(goal, Ordering::SeqCst);
        while self.get() < goal {
            self.reached.notified().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[tokio::test]
    async fn a_goal_is_noticed_before_and_after_it_is_set() {
        let tally = Arc::new(Tally::new());
        tally.increment();
        tally.reach(1).await;
        let waiting = {
            let tally = Arc::clone(&tally);
            async move { tally.reach(3).await }
        };
        let counting = async {
            tokio::task::yield_now().await;
            tally.increment();
            tally.increment();
        };
        tokio::join!(waiting, counting);
        assert_eq!(tally.get(), 3);
    }
}
