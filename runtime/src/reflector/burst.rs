//! [`Burst`]: time in which several threads decode watch events.

use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::base::home::HomeDrop;
use crate::storage::AnyEntry;

/// Time after the last chunk for which handlers may still send replaced objects home.
const LINGER: Duration = Duration::from_millis(100);

/// Time in which several threads decode watch events. Until it is dropped, replaced objects travel
/// to the threads that decoded them.
pub(super) struct Burst {
    home_drop: Arc<HomeDrop<AnyEntry>>,
    ends: Instant,
}

// === impl Burst ===

impl Burst {
    /// Begins a burst with its first chunk.
    pub(super) fn new(home_drop: &Arc<HomeDrop<AnyEntry>>, now: Instant) -> Self {
        home_drop.open();
        Self {
            home_drop: Arc::clone(home_drop),
            ends: now + LINGER,
        }
    }

    /// Prolongs the burst for another chunk.
    pub(super) fn prolong(&mut self, now: Instant) {
        self.ends = now + LINGER;
    }

    /// Returns the time at which the burst ends if no other chunk follows.
    pub(super) fn ends(&self) -> Instant {
        self.ends
    }
}

impl Drop for Burst {
    fn drop(&mut self) {
        self.home_drop.close();
    }
}
