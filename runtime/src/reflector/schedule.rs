//! When the next request is sent after one that failed.
//!
//! Two schedules, because two kinds of failure mean different things. An *answer* that refuses
//! comes from a server that is up: asking it more often does not help, so the delays grow. A
//! *connection* that is lost or cannot be made says nothing about the server, and most outages are
//! short: the first retry is immediate, and the delays do not grow during the first minute. The
//! table of all failures is in `docs/recovery.md`.

use std::fmt;
use std::time::Duration;

use tokio::time::Instant;

use super::backoff::{Backoff, ExponentialBackoff};
use super::config::ReflectorSettings;
use crate::status::SourceError;

/// The first retry after a lost connection is sent within this time, spread at random.
const IMMEDIATELY: Duration = Duration::from_millis(100);
/// An outage that is younger than this is retried at a steady rate.
const STEADY: Duration = Duration::from_secs(60);
/// A connection that lived this long, or a request that failed this slowly, begins a new outage.
const HEALTHY: Duration = Duration::from_secs(10);
/// A longer `Retry-After` is cut to this.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(10 * 60);

/// The delays between the requests of one reflector.
pub(super) struct Schedule {
    refusals: Box<dyn Backoff>,
    connections: Connections,
    outage: Option<Outage>,
}

/// The delays between attempts to reach the server.
enum Connections {
    /// Immediate, then steady, then growing.
    Default(ExponentialBackoff),
    /// What the user set.
    Custom(Box<dyn Backoff>),
}

/// Connections that were lost one after another.
#[derive(Debug)]
struct Outage {
    began: Instant,
    /// The end of the delay that the last loss was answered with.
    retried: Instant,
}

// === impl Schedule ===

impl Schedule {
    pub(super) fn new(config: &ReflectorSettings) -> Self {
        let connections = match config.custom_backoff() {
            Some(custom) => Connections::Custom(custom),
            None => Connections::Default(ExponentialBackoff::default()),
        };
        let refusals = config
            .custom_backoff()
            .unwrap_or_else(|| Box::new(ExponentialBackoff::default()));
        Self {
            refusals,
            connections,
            outage: None,
        }
    }

    /// Returns the delay after `error`, by the schedule of its kind.
    pub(super) fn after(&mut self, error: &SourceError, now: Instant) -> Duration {
        if error.is_connection_lost() {
            return self.after_loss(now);
        }
        let asked = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        self.after_refusal().max(asked)
    }

    /// Returns the delay after a server that answered, but not as it should have.
    pub(super) fn after_refusal(&mut self) -> Duration {
        self.refusals.next_delay()
    }

    /// Notes progress of a watch: an event, or a bookmark. Both schedules begin anew.
    pub(super) fn progress(&mut self) {
        self.refusals.reset();
        self.outage = None;
    }

    /// Notes a watch that the server answered and that ended with its connection, not with an
    /// answer. The server does not refuse any more, so the delays of refusals begin anew.
    pub(super) fn answered(&mut self) {
        self.refusals.reset();
    }

    /// Notes how long a watch lived. A quiet resource has no events, so a long life is progress.
    pub(super) fn lived(&mut self, lived: Duration) {
        if lived >= HEALTHY {
            self.progress();
        }
    }

    fn after_loss(&mut self, now: Instant) -> Duration {
        // Measured from the end of the last delay: the delays of an outage must not end it.
        let ongoing = self
            .outage
            .take()
            .filter(|outage| now.saturating_duration_since(outage.retried) < HEALTHY);
        let began = ongoing.as_ref().map_or(now, |outage| outage.began);
        let delay = match ongoing {
            None => self.connections.first(),
            Some(_) => self.connections.next(now.saturating_duration_since(began)),
        };
        self.outage = Some(Outage {
            began,
            retried: now.checked_add(delay).unwrap_or(now),
        });
        delay
    }
}

impl fmt::Debug for Schedule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Schedule")
            .field("refusals", &self.refusals)
            .field("outage", &self.outage)
            .finish_non_exhaustive()
    }
}

// === impl Connections ===

impl Connections {
    /// Returns the delay after the first loss of an outage.
    fn first(&mut self) -> Duration {
        match self {
            Self::Default(growth) => {
                growth.reset();
                IMMEDIATELY.mul_f64(fastrand::f64())
            }
            Self::Custom(backoff) => {
                backoff.reset();
                backoff.next_delay()
            }
        }
    }

    /// Returns the delay after a further loss of an outage of this age.
    fn next(&mut self, age: Duration) -> Duration {
        match self {
            Self::Default(growth) => {
                if age < STEADY {
                    growth.reset();
                }
                growth.next_delay()
            }
            Self::Custom(backoff) => backoff.next_delay(),
        }
    }
}
