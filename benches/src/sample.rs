//! Result of one measurement.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// Result of one measurement of one peer, in a separate process.
///
/// The Go program in `client-go/` writes the same members. A phase that the world does not have is
/// missing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From the start until the cache is complete and the handler has received it.
    pub(crate) sync: Phase,
    /// Resident bytes that the sync added.
    pub(crate) resident: Option<u64>,
    /// Bytes in use that were allocated since the start: objects, buffers and tasks.
    pub(crate) heap: Option<u64>,
    /// Peak of resident bytes during the sync, above the bytes before it.
    pub(crate) sync_peak: Option<u64>,
    /// From the request to the end of the relist after a 410, without changes.
    pub(crate) relist: Option<Phase>,
    /// From the command to send events to the last notification.
    pub(crate) events: Option<Phase>,
    /// Resident bytes that sync, relist and events added.
    pub(crate) resident_after_events: Option<u64>,
    /// From the sending of an event to the call of the handler, at a fixed rate.
    pub(crate) latency: Option<Quantiles>,
    /// Reads of the cache without events.
    pub(crate) reads: Option<Reads>,
    /// Tasks or goroutines after the sync.
    pub(crate) tasks: Option<u64>,
    /// Connections to the server after the sync.
    pub(crate) connections: Option<u64>,
    /// Period without events.
    pub(crate) idle: Option<Phase>,
    /// Number of times that a thread woke up in that period, by a timer.
    pub(crate) idle_wake_ups: Option<u64>,
}

/// Cost of a phase.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// Wall time in seconds.
    pub(crate) elapsed: f64,
    /// Processor seconds, user and system, of the measured process.
    pub(crate) processor: f64,
    /// Processor seconds of the replay server.
    pub(crate) server: f64,
}

/// Durations in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// Results of the readers of the cache.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reads {
    /// Seconds to find one object by namespace and name, by one thread.
    pub(crate) get: Option<f64>,
    /// Seconds to find one object and to read one of its fields.
    pub(crate) get_field: Option<f64>,
    /// Seconds to read one field of an object without owning it. `None` if the peer cannot do that.
    pub(crate) borrow: Option<f64>,
    /// Seconds for one get while two threads read.
    pub(crate) gets_of_two: Option<f64>,
    /// Seconds to list the Pods of one node by an index, as owned handles. `None` if the peer has
    /// no indices.
    pub(crate) index_list: Option<f64>,
    /// Seconds to visit the same Pods without owning them. `None` if the peer cannot do that.
    pub(crate) index_visit: Option<f64>,
    /// Seconds to list the objects that have one label, about a fifth of all, by testing all. `None`
    /// if no object has labels.
    pub(crate) selector_list: Option<f64>,
    /// Seconds to list the same objects by an index. `None` if the peer has no indices.
    pub(crate) label_list: Option<f64>,
}

// === impl Quantiles ===

impl Quantiles {
    /// Computes the quantiles of `nanos`, and sorts `nanos`.
    pub(crate) fn of(nanos: &mut [u64]) -> Self {
        nanos.sort_unstable();
        Self {
            p50: quantile(nanos, 50),
            p99: quantile(nanos, 99),
        }
    }
}

/// Returns a quantile of sorted nanoseconds, in seconds.
fn quantile(nanos: &[u64], percent: usize) -> f64 {
    let last = nanos.len().saturating_sub(1);
    let position = (nanos.len() * percent / 100).min(last);
    let quantile = nanos.get(position).copied().unwrap_or_default();
    Duration::from_nanos(quantile).as_secs_f64()
}

#[cfg(test)]
mod tests;
