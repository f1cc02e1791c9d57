//! [`Order`]: the order in which deltas leave the queue.

use std::sync::Arc;

use super::global::GlobalQueue;
use super::per_key::{KnownObjects, PerKeyQueue};
use super::queue::Queue;

/// Order in which deltas leave the queue.
#[derive(Debug, Clone, Copy, Default)]
pub enum Order {
    /// Order of the server. No delta is merged or dropped. client-go's counterpart is `RealFIFO`.
    #[default]
    Global,
    /// All deltas of a key leave together, at the place of the first one, and two consecutive
    /// deletions are merged. client-go's counterpart is `DeltaFIFO`.
    PerKey,
}

// === impl Order ===

impl Order {
    /// Creates an empty queue in front of the store `known`.
    pub(super) fn queue(self, known: Arc<dyn KnownObjects>) -> Box<dyn Queue> {
        match self {
            Self::Global => Box::new(GlobalQueue::default()),
            Self::PerKey => Box::new(PerKeyQueue::new(known)),
        }
    }
}
