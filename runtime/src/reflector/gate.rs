//! [`Gate`]: holds requests back while a server asks for that, and spreads the requests that follow a
//! failure over time.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::base::sync::Mutex;
use crate::status::ReflectorError;

/// Time over which requests after a failure are spread, for each further reflector.
const SPREAD: Duration = Duration::from_millis(10);
/// Maximum of that time.
const MAX_SPREAD: Duration = Duration::from_secs(5);
/// Maximum time for which a request waits for the `Retry-After` of other reflectors, so that a
/// resource that the server refuses again and again cannot stop the others.
const LONGEST: Duration = Duration::from_secs(30);

/// Gate that the requests of all reflectors of a factory pass. It is closed for an API group while a
/// `Retry-After` of that group runs: an aggregated API or a conversion webhook may have asked for it,
/// which concerns no other group. If two groups are told to wait, the server is overloaded, and the
/// gate is closed for all.
///
/// This is the side of one group. Clones and other sides share the state.
#[derive(Debug, Clone, Default)]
pub(crate) struct Gate {
    group: Arc<str>,
    shared: Arc<GateShared>,
}

#[derive(Debug, Default)]
struct GateShared {
    closed: Mutex<Closed>,
    /// Counts the reflectors: each has a clone.
    members: Arc<()>,
}

/// Ends of the latest `Retry-After`s. Pure.
#[derive(Debug, Default)]
struct Closed {
    /// End of the time for which two groups had to wait.
    for_all: Option<Instant>,
    groups: BTreeMap<Arc<str>, Instant>,
}

// === impl Gate ===

impl Gate {
    /// Returns the side of an API group.
    pub(crate) fn of_group(&self, group: &str) -> Self {
        Self {
            group: group.into(),
            shared: Arc::clone(&self.shared),
        }
    }

    /// Counts a reflector for as long as the result is held.
    pub(super) fn join(&self) -> Arc<()> {
        Arc::clone(&self.shared.members)
    }

    /// Closes the gate for the `Retry-After` of a failed request.
    pub(super) fn failed(&self, failure: &ReflectorError, now: Instant) {
        if let Some(status) = failure.status()
            && let (429 | 503, Some(delay)) = (status.code, status.retry_after)
        {
            self.shared.closed.lock().extend(&self.group, now, delay);
        }
    }

    /// Adds a random time to a delay, so that the reflectors do not send their requests at the same
    /// time. Zero for a single reflector.
    pub(super) fn spread(&self, delay: Duration) -> Duration {
        let others = Arc::strong_count(&self.shared.members).saturating_sub(2);
        let spread = SPREAD.saturating_mul(others.try_into().unwrap_or(u32::MAX));
        delay.saturating_add(spread.min(MAX_SPREAD).mul_f64(fastrand::f64()))
    }

    /// Waits until the gate is open, and then for a [`spread`](Self::spread) if it was closed.
    /// Returns `true` if it was.
    pub(super) async fn pass(&self) -> bool {
        let arrived = Instant::now();
        let opens = || {
            let closed = self.shared.closed.lock();
            closed.opens(&self.group, arrived, Instant::now())
        };
        let mut was_closed = false;
        while let Some(opens) = opens() {
            was_closed = true;
            sleep_until(opens + self.spread(Duration::ZERO)).await;
        }
        was_closed
    }
}

// === impl Closed ===

impl Closed {
    fn extend(&mut self, group: &Arc<str>, now: Instant, delay: Duration) {
        let until = now + delay.min(LONGEST);
        let others = self.groups.iter().filter(|(other, _)| *other != group);
        let longest_other = others.map(|(_, until)| *until).max();
        if let Some(other) = longest_other
            && now < other
        {
            self.for_all = self.for_all.max(Some(until.min(other)));
        }
        let own = self.groups.entry(Arc::clone(group)).or_insert(until);
        *own = until.max(*own);
    }

    /// Returns the time at which a request of this group that arrived at `arrived` may pass; `None`
    /// if that is now.
    fn opens(&self, group: &str, arrived: Instant, now: Instant) -> Option<Instant> {
        let for_group = self.groups.get(group).copied();
        let until = self.for_all.max(for_group)?.min(arrived + LONGEST);
        (now < until).then_some(until)
    }
}

#[cfg(test)]
mod tests;
