//! What is to go wrong with one request.

use super::kind::Fault;
use crate::registry::target::Verb;

/// The faults of one request, in the order in which they work.
#[derive(Debug)]
pub(crate) struct Plan {
    pub(crate) verb: Verb,
    pub(crate) faults: Vec<Fault>,
}

// === impl Plan ===

impl Plan {
    pub(super) fn new(verb: Verb, mut faults: Vec<Fault>) -> Self {
        // What reads events must have them whole.
        faults.sort_by_key(Fault::order);
        Self { verb, faults }
    }
}

// === impl Fault ===

impl Fault {
    /// Whole events first, bytes then, their pace at last.
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
