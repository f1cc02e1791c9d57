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

    pub(super) fn remove(&mut self, id: HandlerId) {
        self.timers.retain(|timer| timer.id != id);
    }

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
mod tests;
