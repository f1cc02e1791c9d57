//! Result of one measurement.

use serde::{Deserialize, Serialize};

/// Result of one measurement of one peer, in a separate process.
///
/// The Go program in `client-go/` writes the same members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From the start until the cache is complete and the handler has received it.
    pub(crate) sync: Phase,
    /// From the request to the end of the relist after a 410, without changes.
    pub(crate) relist: Phase,
    /// From the command to send events to the last notification.
    pub(crate) events: Phase,
    /// Resident bytes that the sync added.
    pub(crate) resident: u64,
    /// Peak of resident bytes during the sync, above the bytes before it.
    pub(crate) sync_peak: u64,
    /// Peak of resident bytes during sync and relist.
    pub(crate) relist_peak: u64,
    /// Notifications of the consumer by the relist.
    pub(crate) relist_notifications: u64,
    /// From the sending of an event to the call of the handler, at a fixed rate.
    pub(crate) latency: Quantiles,
    /// Readers during events at that rate.
    pub(crate) reads: Reads,
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
    /// Objects found by name per second, by one thread and by two.
    pub(crate) one_thread: f64,
    pub(crate) two_threads: f64,
    /// Time to find one object by name, by one thread.
    pub(crate) get: Quantiles,
    /// Seconds to list the Pods of one node by an index. `None` if the peer has no indices.
    pub(crate) index_list: Option<f64>,
    /// Seconds to list the Pods of one app, a fifth of all Pods, by their labels.
    pub(crate) selector_list: f64,
}

// === impl Quantiles ===

impl Quantiles {
    /// Computes the quantiles of `nanos`, and sorts `nanos`.
    pub(crate) fn of(nanos: &mut [u64]) -> Self {
        nanos.sort_unstable();
        let at = |percent: usize| {
            let at = (nanos.len() * percent / 100).min(nanos.len().saturating_sub(1));
            let nanos = nanos.get(at).copied().unwrap_or_default();
            std::time::Duration::from_nanos(nanos).as_secs_f64()
        };
        Self {
            p50: at(50),
            p99: at(99),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_sorted_numbers() {
        let mut nanos: Vec<u64> = (1..=100).rev().collect();
        let quantiles = Quantiles::of(&mut nanos);
        assert!((quantiles.p50 - 51e-9).abs() < 1e-12, "{quantiles:?}");
        assert!((quantiles.p99 - 100e-9).abs() < 1e-12, "{quantiles:?}");
        assert_eq!(Quantiles::of(&mut []), Quantiles::default());
    }
}
