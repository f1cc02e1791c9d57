//! Counts notifications, and wakes the measurement at the last one only.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::clock;

/// Counter with a goal, and optionally the times of its increments.
#[derive(Debug)]
pub(crate) struct Tally {
    count: AtomicU64,
    goal: AtomicU64,
    reached: Notify,
    /// `true` while times are recorded. Reading the flag has no measurable cost.
    is_timed: AtomicBool,
    times: Mutex<Vec<u64>>,
}

// === impl Tally ===

impl Tally {
    pub(crate) fn new() -> Self {
        Self {
            count: AtomicU64::new(0),
            goal: AtomicU64::new(u64::MAX),
            reached: Notify::new(),
            is_timed: AtomicBool::new(false),
            times: Mutex::new(Vec::new()),
        }
    }

    pub(crate) fn increment(&self) {
        if self.is_timed.load(Ordering::Acquire) {
            let now = clock::monotonic_nanos();
            self.times.lock().push(now);
        }
        let count = self.count.fetch_add(1, Ordering::SeqCst) + 1;
        if count == self.goal.load(Ordering::SeqCst) {
            self.reached.notify_one();
        }
    }

    pub(crate) fn get(&self) -> u64 {
        self.count.load(Ordering::SeqCst)
    }

    /// Waits until the count is at least `goal`. Supports one waiter at a time.
    pub(crate) async fn reach(&self, goal: u64) {
        self.goal.store(goal, Ordering::SeqCst);
        while self.get() < goal {
            self.reached.notified().await;
        }
    }

    /// Starts recording the time of each increment.
    pub(crate) fn begin_times(&self, expected: usize) {
        self.times.lock().reserve(expected);
        self.is_timed.store(true, Ordering::Release);
    }

    /// Stops recording, and returns the recorded times, in nanoseconds of the machine's monotonic
    /// clock.
    pub(crate) fn end_times(&self) -> Vec<u64> {
        self.is_timed.store(false, Ordering::Release);
        std::mem::take(&mut *self.times.lock())
    }
}

#[cfg(test)]
mod tests;
