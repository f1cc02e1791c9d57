//! Delays before the next request after a failure.
//!
//! There are two schedules for two kinds of failure. An error *response* comes from a server that
//! is up: more frequent requests do not help, so the delays grow. A *connection* that is lost or
//! cannot be opened says nothing about the server, and most outages are short: the first retry is
//! immediate, the delays do not grow during the first minute, and later only to 10 s.
//! `docs/recovery.md` lists all failures.

use std::time::Duration;

use derive_where::derive_where;
use tokio::time::Instant;

use super::backoff::{Backoff, ExponentialBackoff};
use super::config::ReflectorSettings;
use crate::status::SourceError;

/// Upper bound of the random delay before the first retry after a lost connection.
const IMMEDIATELY: Duration = Duration::from_millis(100);
/// Minimum of the following delays. All have a random part of up to the same length.
const FIRST: Duration = Duration::from_millis(800);
/// Maximum to which they grow. A client that comes back after hours should not wait for long, and an
/// attempt to connect costs little.
const LONGEST: Duration = Duration::from_secs(5);
/// Age of an outage below which retries have a steady rate.
const STEADY: Duration = Duration::from_secs(60);
/// Duration of a connection, or of a failing request, after which a failure starts a new outage.
pub(super) const HEALTHY: Duration = Duration::from_secs(10);
/// Mean delay between requests for a kind that the server does not serve: its
/// `CustomResourceDefinition` may be installed at any time.
const NOT_SERVED: Duration = Duration::from_secs(2);
/// Maximum of a server's `Retry-After`.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(10 * 60);

/// Delays between the requests of one reflector.
#[derive_where(Debug)]
pub(super) struct Schedule {
    refusals: Box<dyn Backoff>,
    #[derive_where(skip)]
    connections: Connections,
    outage: Option<Outage>,
}

/// Delays between attempts to reach the server.
enum Connections {
    /// Immediate, then steady, then growing to [`LONGEST`].
    Default(ExponentialBackoff),
    /// User's backoff.
    Custom(Box<dyn Backoff>),
}

/// Series of lost connections.
#[derive(Debug)]
struct Outage {
    began: Instant,
    /// End of the delay after the last loss.
    retried: Instant,
}

// === impl Schedule ===

impl Schedule {
    pub(super) fn new(config: &ReflectorSettings) -> Self {
        let connections = match config.custom_backoff() {
            Some(custom) => Connections::Custom(custom),
            None => Connections::Default(ExponentialBackoff::new(FIRST, LONGEST)),
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
        if error.is_not_found() && matches!(self.connections, Connections::Default(_)) {
            return NOT_SERVED.mul_f64(0.8 + 0.4 * fastrand::f64());
        }
        let retry_after = error.retry_after().unwrap_or_default().min(MAX_RETRY_AFTER);
        self.after_refusal().max(retry_after)
    }

    /// Returns the delay after an unsatisfactory response of the server.
    pub(super) fn after_refusal(&mut self) -> Duration {
        self.refusals.next_delay()
    }

    /// Records progress of a watch: an event or a bookmark. Resets both schedules.
    pub(super) fn progress(&mut self) {
        self.refusals.reset();
        self.outage = None;
    }

    /// Records a watch that was answered and then lost its connection. The server does not return
    /// errors any more, so the schedule of error responses is reset.
    pub(super) fn answered(&mut self) {
        self.refusals.reset();
    }

    /// Records the duration of a watch. A long watch is progress, because a quiet resource has no
    /// events.
    pub(super) fn lived(&mut self, lived: Duration) {
        if lived >= HEALTHY {
            self.progress();
        }
    }

    fn after_loss(&mut self, now: Instant) -> Duration {
        // Measured from the end of the last delay. Otherwise a long delay would end its own outage.
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

    /// Returns the delay after a further loss in an outage of this age.
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
