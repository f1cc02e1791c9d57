//! [`RecordedCall`]: what a queue reports to a recorder after each call of a worker.

use std::time::Duration;

use tokio::time::Instant;

use super::outcome::{Again, Outcome};
use super::reason::Reasons;

/// Function that a queue calls after each call of a worker, with the item. It runs in the worker's
/// task, under no lock of the queue, and has to be fast.
pub type Recorder<T> = dyn Fn(&T, &RecordedCall<'_>) + Send + Sync;

/// Call for an item, from its first add to its end.
#[derive(Debug)]
pub struct RecordedCall<'r> {
    /// Reasons for which the item was queued.
    pub reasons: &'r Reasons,
    /// Time from the first add until a worker took the item.
    pub waited: Duration,
    /// Time in work.
    pub worked: Duration,
    /// End of the work.
    pub ended: Instant,
    /// Outcome of the call.
    pub outcome: &'r Outcome,
    /// Time at which the item comes back, if the outcome requires it.
    pub again: Option<Again>,
}
