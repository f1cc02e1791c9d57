//! Resync timers of the handlers. Pure: time is an argument.

use std::time::Duration;

use tokio::time::Instant;

use crate::event::HandlerId;

/// Minimum resync period. A resync costs a call per object, so a shorter period is treated as a
/// mistake, as in client-go.
const MIN_PERIOD: Duration = Duration::from_secs(1);

/// Resync timers of one processor's handlers.
///
/// The timers do not run before [`start`](Self::start).
#[derive(Debug, Default)]
pub(super) struct Schedule {
    running: bool,
    timers: Vec<Timer>,
}

#[derive(Debug)]
struct Timer {
    id: HandlerId,
    period: Duration,
    /// `None` before the start, and if the time is not representable.
    due: Option<Instant>,
}

// === impl Schedule ===

impl Schedule {
    /// Starts the timers of the handlers added so far.
    pub(super) fn start(&mut self, now: Instant) {
        self.running = true;
        for timer in &mut self.timers {
            timer.due = now.checked_add(timer.period);
        }
    }

    /// Adds a handler. A period of zero means never. Returns `true` if the handler has a timer.
    pub(super) fn add(&mut self, id: HandlerId, period: Duration, now: Instant) -> bool {
        if period.is_zero() {
            return false;
        }
        let period = period.max(MIN_PERIOD);
        let due = if self.running {
            now.checked_add(period)
        } else {
            None
        };
        self.timers.push(Timer { id, period, due });
        true
    }

    /// Removes a handler.
    pub(super) fn remove(&mut self, id: HandlerId) {
        self.timers.retain(|timer| timer.id != id);
    }

    /// Removes all handlers.
    pub(super) fn clear(&mut self) {
        self.timers.clear();
    }

    /// Returns `true` if no handler has a timer.
    pub(super) fn is_empty(&self) -> bool {
        self.timers.is_empty()
    }

    /// Returns the time at which the next handler is due.
    pub(super) fn next(&self) -> Option<Instant> {
        self.timers.iter().filter_map(|timer| timer.due).min()
    }

    /// Returns the handlers that are due. Their timers advance by whole periods past `now`.
    pub(super) fn take_due(&mut self, now: Instant) -> Vec<HandlerId> {
        let mut ids = Vec::new();
        for timer in &mut self.timers {
            if let Some(due) = timer.due.filter(|due| *due <= now) {
                timer.due = next_due(due, timer.period, now);
                ids.push(timer.id);
            }
        }
        ids
    }
}

/// Returns the first of `due + period`, `due + 2 * period`, .. that is after `now`.
fn next_due(due: Instant, period: Duration, now: Instant) -> Option<Instant> {
    let late = now.saturating_duration_since(due).as_nanos();
    let past = late - late % period.as_nanos().max(1);
    let past = u64::try_from(past).ok()?;
    due.checked_add(Duration::from_nanos(past))?
        .checked_add(period)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn id(number: u64) -> HandlerId {
        HandlerId::new(number)
    }

    /// Y-02, Y-04: periods of 2 and 3 s are due at 2, 3, 4, 6, 6, 8, 9 s ..; a period of zero never
    /// is.
    #[tokio::test(start_paused = true)]
    async fn y02_each_handler_is_due_at_exactly_its_own_times() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        assert!(!schedule.add(id(0), Duration::ZERO, start));
        assert!(schedule.add(id(2), 2 * SECOND, start));
        assert!(schedule.add(id(3), 3 * SECOND, start));
        assert_eq!(schedule.next(), None, "not started");
        schedule.start(start);

        let mut seen = Vec::new();
        while let Some(at) = schedule.next().filter(|at| *at <= start + 9 * SECOND) {
            for handler in schedule.take_due(at) {
                seen.push(((at - start).as_secs(), handler));
            }
        }
        let expected = [(2, 2), (3, 3), (4, 2), (6, 2), (6, 3), (8, 2), (9, 3)];
        assert_eq!(seen, expected.map(|(at, handler)| (at, id(handler))));
    }

    /// Y-03.
    #[tokio::test(start_paused = true)]
    async fn y03_a_period_below_a_second_is_a_second() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.start(start);
        schedule.add(id(1), Duration::from_nanos(1), start);
        assert_eq!(schedule.next(), Some(start + SECOND));
    }

    /// Y-04.
    #[tokio::test(start_paused = true)]
    async fn y04_missed_periods_are_skipped_and_the_rhythm_is_kept() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.start(start);
        schedule.add(id(1), 2 * SECOND, start);
        let late = start + Duration::from_millis(7500);
        assert_eq!(schedule.take_due(late), [id(1)]);
        assert_eq!(schedule.next(), Some(start + 8 * SECOND));
        assert_eq!(schedule.take_due(start + 8 * SECOND), [id(1)]);
        assert_eq!(schedule.next(), Some(start + 10 * SECOND));
    }

    #[tokio::test(start_paused = true)]
    async fn a_huge_period_is_never_due_and_does_not_overflow() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.start(start);
        schedule.add(id(1), Duration::MAX, start);
        assert_eq!(schedule.next(), None);
        assert_eq!(schedule.take_due(start + SECOND), []);
    }

    #[tokio::test(start_paused = true)]
    async fn a_removed_handler_is_never_due() {
        let start = Instant::now();
        let mut schedule = Schedule::default();
        schedule.start(start);
        schedule.add(id(1), SECOND, start);
        schedule.add(id(2), 2 * SECOND, start);
        schedule.remove(id(1));
        assert_eq!(schedule.take_due(start + 10 * SECOND), [id(2)]);
    }
}
