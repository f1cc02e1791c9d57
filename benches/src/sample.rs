//! What one measurement gives.

use serde::{Deserialize, Serialize};

/// One peer, measured once, in a process of its own.
///
/// The Go program of `client-go/` writes the same members.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Sample {
    /// From nothing to a cache that is complete and handlers that know it.
    pub(crate) sync: Phase,
    /// From the request to the end of the list that follows a 410; nothing has changed.
    pub(crate) relist: Phase,
    /// From the order to send events to the last notification.
    pub(crate) events: Phase,
    /// Resident bytes that the sync added.
    pub(crate) resident: u64,
    /// The most that was resident during the sync, less what was before it.
    pub(crate) sync_peak: u64,
    /// The same during sync and relist.
    pub(crate) relist_peak: u64,
    /// Objects shown to the consumer by the relist.
    pub(crate) relist_notifications: u64,
    /// From the sending of an event to the call of the handler, at a fixed rate.
    pub(crate) latency: Quantiles,
    /// Readers while events arrive at that rate.
    pub(crate) reads: Reads,
}

/// A stretch of time.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Phase {
    /// On the wall, in seconds.
    pub(crate) elapsed: f64,
    /// Processor seconds, user and system, of the process that is measured.
    pub(crate) processor: f64,
    /// Processor seconds of the replay server.
    pub(crate) server: f64,
}

/// How long something took, in seconds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Quantiles {
    pub(crate) p50: f64,
    pub(crate) p99: f64,
}

/// What readers of the cache get.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct Reads {
    /// Objects found by name in a second, by one thread and by two.
    pub(crate) one_thread: f64,
    pub(crate) two_threads: f64,
    /// Finding one object by name, by one thread.
    pub(crate) get: Quantiles,
    /// Seconds to list the Pods of one node by an index; `None` if there are no indices.
    pub(crate) index_list: Option<f64>,
    /// Seconds to list the Pods of one app, a fifth of all, by their labels.
    pub(crate) selector_list: f64,
}

// === impl Quantiles ===

impl Quantiles {
    /// Those of some numbers, which are left in order.
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
