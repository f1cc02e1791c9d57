//! [`ShardsStatus`]: who owns what, as one replica sees it.

use std::sync::Arc;

use crate::workqueue::Durations;

/// Slices and replicas, as one replica last saw them; for status pages and metrics.
#[derive(Debug, Clone, Default)]
#[non_exhaustive]
pub struct ShardsStatus {
    /// Name of the group of replicas.
    pub name: Arc<str>,
    /// Identity of this replica, as the leases name it.
    pub identity: Arc<str>,
    /// Identities of the replicas that are alive, in order; this one included.
    pub replicas: Vec<String>,
    /// Identity of the holder of each slice; `None` for a free one. Empty before the first list. The
    /// holder may be dead, until the lease duration has passed.
    pub holders: Vec<Option<String>>,
    /// Slices that this replica owns: their objects are in the caches, and their keys are
    /// reconciled.
    pub owned: Vec<u16>,
    /// Slices that this replica has held for a minute without owning them: an informer of this process
    /// cannot list their objects, which its own status explains, or a handler takes no events. No
    /// replica reconciles these slices.
    pub overdue: Vec<u16>,
    /// Number of slices that this replica has gained.
    pub gained: u64,
    /// Number of slices that this replica has handed over.
    pub released: u64,
    /// Number of slices that this replica has lost with its member lease.
    pub lost: u64,
    /// Durations of the hand-overs: from the claim of a slice until its keys are reconciled, and
    /// from the decision to give it away until it is released.
    pub hand_overs: Durations,
    /// `true` while a live replica uses another number or kind of slices. This replica takes none
    /// then.
    pub is_blocked: bool,
    /// `true` if the API server ignores shard selectors: it sends all objects to each replica, which
    /// drops those of the others undecoded. Its feature gate is `ShardedListAndWatch`.
    pub is_ignored: bool,
}
