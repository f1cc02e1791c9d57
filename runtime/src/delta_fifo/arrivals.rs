//! Arrival times of the deltas of a queue. Pure: time is an argument.
//!
//! Recording a time for each delta would read the clock for each event. Marks at intervals suffice:
//! a delta never seems to have arrived later than it did.
//!
//! # Invariants
//!
//! 1. Numbers and times of `marks` increase. The first mark applies to the delta that leaves next.

use std::collections::VecDeque;

use tokio::time::Instant;

/// Maximum number of deltas that share a mark.
const SPACING: u64 = 64;

/// Arrival times of deltas, with the precision of [`SPACING`] deltas or one batch, whichever is
/// less.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// Number of deltas that were ever pushed.
    pushed: u64,
    /// Number of deltas that were ever popped.
    popped: u64,
    marks: VecDeque<Mark>,
    /// `true` if a batch was popped since the last mark.
    is_due: bool,
}

#[derive(Debug)]
struct Mark {
    /// Number of the first delta that the mark applies to.
    number: u64,
    at: Instant,
}

// === impl Arrivals ===

impl Arrivals {
    /// Records pushed deltas. Calls `now` only if they need a mark.
    pub(super) fn pushed(&mut self, count: usize, now: impl FnOnce() -> Instant) {
        if count == 0 {
            return;
        }
        let needs_mark = self.is_due
            || self
                .marks
                .back()
                .is_none_or(|mark| self.pushed - mark.number >= SPACING);
        if needs_mark {
            self.is_due = false;
            self.marks.push_back(Mark {
                number: self.pushed,
                at: now(),
            });
        }
        self.pushed += count as u64;
    }

    /// Records popped deltas. Returns the arrival time of the first of them, or an earlier time.
    ///
    /// With [`Order::PerKey`](super::Order::PerKey) the time can also be later, because deltas can
    /// overtake others.
    pub(super) fn popped(&mut self, count: usize) -> Option<Instant> {
        let arrived = self.marks.front().map(|mark| mark.at);
        self.popped += count as u64;
        self.is_due = true;
        while self
            .marks
            .get(1)
            .is_some_and(|next| next.number <= self.popped)
        {
            self.marks.pop_front();
        }
        if self.popped >= self.pushed {
            self.marks.clear();
        }
        arrived
    }
}

#[cfg(test)]
mod tests;
