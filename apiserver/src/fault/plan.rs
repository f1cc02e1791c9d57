//! Faults of one request.

use super::kind::Fault;
use crate::registry::target::Verb;

/// Faults of one request, in the order in which they take effect.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) verb: Verb,
    pub(crate) faults: Vec<Fault>,
}

// === impl Plan ===

impl Plan {
    pub(super) fn new(verb: Verb, mut faults: Vec<Fault>) -> Self {
        // Faults that act on events need complete events, so they come before faults that act on
        // bytes.
        faults.sort_by_key(Fault::order);
        Self { verb, faults }
    }
}

// === impl Fault ===

impl Fault {
    /// Returns the rank of a fault: whole events first, then bytes, then the pace.
    fn order(&self) -> u8 {
        match self {
            Self::LoseBookmarks(_) | Self::Undecodable(_) => 0,
            Self::DuplicateEvents(_) => 1,
            Self::CloseAfter(_) | Self::ExpireAfter(_) => 2,
            Self::StallAfter(_) | Self::CutAfter(_) | Self::TruncateAfter(_) => 3,
            Self::Slow { .. } => 4,
            Self::Status { .. }
            | Self::Raw { .. }
            | Self::Stall
            | Self::Delay(_)
            | Self::Compact
            | Self::Rewind(_)
            | Self::DisconnectWatches
            | Self::CloseWatches
            | Self::ClockSkew(_) => 5,
        }
    }
}
