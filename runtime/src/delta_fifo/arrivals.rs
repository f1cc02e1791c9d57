//! When the deltas of a queue came. Pure: time is an argument.
//!
//! A time for each delta would cost a look at the clock for each event. Marks that are further
//! apart do, with which a delta never seems younger than it is.
//!
//! # Invariants
//!
//! 1. Numbers and times of `marks` grow; the first mark is of the delta that leaves next.

use std::collections::VecDeque;

use tokio::time::Instant;

/// So many deltas have a mark of their own, at most.
const SPACING: u64 = 64;

/// When deltas came, to within [`SPACING`] deltas or one batch, whichever is less.
#[derive(Debug, Default)]
pub(super) struct Arrivals {
    /// How many deltas have ever come.
    came: u64,
    /// How many have ever left.
    left: u64,
    marks: VecDeque<Mark>,
    /// A batch has left since the last mark.
    is_due: bool,
}

#[derive(Debug)]
struct Mark {
    /// The number of the first delta that it is of.
    number: u64,
    at: Instant,
}

// === impl Arrivals ===

impl Arrivals {
    /// This many deltas came. Asks for the time if they need a mark.
    pub(super) fn came(&mut self, count: usize, now: impl FnOnce() -> Instant) {
        if count == 0 {
            return;
        }
        let needs_mark = self.is_due
            || self
                .marks
                .back()
                .is_none_or(|mark| self.came - mark.number >= SPACING);
        if needs_mark {
            self.is_due = false;
            self.marks.push_back(Mark {
                number: self.came,
                at: now(),
            });
        }
        self.came += count as u64;
    }

    /// This many deltas left. Says when the first of them came, or earlier.
    ///
    /// With [`Order::PerKey`](super::Order::PerKey), where a delta can leave before its turn, it
    /// can be later, too.
    pub(super) fn left(&mut self, count: usize) -> Option<Instant> {
        let arrived = self.marks.front().map(|mark| mark.at);
        self.left += count as u64;
        self.is_due = true;
        while self
            .marks
            .get(1)
            .is_some_and(|next| next.number <= self.left)
        {
            self.marks.pop_front();
        }
        if self.left >= self.came {
            self.marks.clear();
        }
        arrived
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    /// O-01: the age of a batch is that of its oldest delta, and a mark serves many deltas.
    #[tokio::test(start_paused = true)]
    async fn o01_a_batch_is_as_old_as_its_oldest_delta() {
        let start = Instant::now();
        let at = |second: u64| start + Duration::from_secs(second);
        let mut arrivals = Arrivals::default();
        let mut looks = 0;
        for second in 0..100 {
            arrivals.came(1, || {
                looks += 1;
                at(second)
            });
        }
        assert_eq!(looks, 2, "one look at the clock for 64 deltas");
        assert_eq!(arrivals.left(40), Some(at(0)));
        arrivals.came(1, || at(200));
        assert_eq!(arrivals.left(40), Some(at(0)), "40 has no mark of its own");
        assert_eq!(arrivals.left(20), Some(at(64)));
        assert_eq!(arrivals.left(1), Some(at(200)));
        assert_eq!(arrivals.left(0), None);
        arrivals.came(1, || at(300));
        assert_eq!(arrivals.left(1), Some(at(300)));
    }
}
