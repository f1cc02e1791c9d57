//! Faults of one request.

use super::kind::Fault;
use crate::registry::target::Verb;

/// Faults of one request, in the order in which they take effect.
#[derive(Debug)]
pub(crate) struct FaultPlan {
    pub(crate) verb: Verb,
    pub(crate) faults: Vec<Fault>,
}

// === impl FaultPlan ===

impl FaultPlan {
    pub(super) fn new(verb: Verb, mut faults: Vec<Fault>) -> Self {
        // The server's state changes before it answers. Faults that act on events need complete
        // events, so they come before faults that act on bytes.
        faults.sort_by_key(Fault::order);
        Self { verb, faults }
    }
}

// === impl Fault ===

impl Fault {
    /// Returns the rank of a fault: whole events first, then bytes, then the pace.
    fn order(&self) -> u8 {
        match self {
            Self::Compact
            | Self::Rewind(_)
            | Self::DisconnectWatches
            | Self::CloseWatches
            | Self::ClockSkew(_) => 0,
            Self::Stall | Self::Delay(_) => 1,
            Self::Status { .. } | Self::Raw { .. } => 2,
            Self::LoseBookmarks(_) | Self::Undecodable(_) => 3,
            Self::DuplicateEvents(_) => 4,
            Self::CloseAfter(_) | Self::ExpireAfter(_) => 5,
            Self::StallAfter(_) | Self::CutAfter(_) | Self::TruncateAfter(_) => 6,
            Self::Slow { .. } => 7,
        }
    }
}
