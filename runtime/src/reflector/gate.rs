//! [`Gate`]: holds requests back while the server of a factory's client asks for that, and spreads
//! the requests that follow a failure over time.

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

/// Gate that the requests of all reflectors of a factory pass. It is closed while a `Retry-After`
/// runs.
#[derive(Debug, Default)]
pub(super) struct Gate {
    closed: Mutex<Closed>,
    /// Counts the reflectors: each has a clone.
    pub(super) members: Arc<()>,
}

/// End of the latest `Retry-After`. Pure.
#[derive(Debug, Default)]
struct Closed(Option<Instant>);

// === impl Gate ===

impl Gate {
    /// Closes the gate for the `Retry-After` of a failed request.
    pub(super) fn failed(&self, failure: &ReflectorError, now: Instant) {
        if let Some(status) = failure.status()
            && let (429 | 503, Some(delay)) = (status.code, status.retry_after)
        {
            self.closed.lock().extend(now, delay);
        }
    }

    /// Adds a random time to a delay, so that the reflectors do not send their requests at the same
    /// time. Zero for a single reflector.
    pub(super) fn spread(&self, delay: Duration) -> Duration {
        let others = Arc::strong_count(&self.members).saturating_sub(2);
        let spread = SPREAD.saturating_mul(others.try_into().unwrap_or(u32::MAX));
        delay.saturating_add(spread.min(MAX_SPREAD).mul_f64(fastrand::f64()))
    }

    /// Waits until the gate is open, and then for a [`spread`](Self::spread) if it was closed.
    /// Returns `true` if it was.
    pub(super) async fn pass(&self) -> bool {
        let arrived = Instant::now();
        let opens = || self.closed.lock().opens(arrived, Instant::now());
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
    fn extend(&mut self, now: Instant, delay: Duration) {
        let until = now + delay.min(LONGEST);
        self.0 = self.0.max(Some(until));
    }

    /// Returns the time at which a request that arrived at `arrived` may pass; `None` if that is
    /// now.
    fn opens(&self, arrived: Instant, now: Instant) -> Option<Instant> {
        let until = self.0?.min(arrived + LONGEST);
        (now < until).then_some(until)
    }
}

#[cfg(test)]
mod tests;
