//! Watches whose events come late, because something between the server and the client, such as a proxy
//! that buffers, holds them back.

use tokio::time::Instant;

use super::Machine;
use crate::reflector::bookmarks::{Bookmarks, LAG};
use crate::reflector::phase::ReflectorPhase;
use crate::status::ReflectorError;

// === impl Machine ===

impl Machine {
    /// Returns the time at which the watch lags unless it gets a bookmark; `None` if it may have none,
    /// has one, or lags already.
    pub(in crate::reflector) fn lags_at(&self) -> Option<Instant> {
        let ReflectorPhase::Watching(watch) = &self.phase else {
            return None;
        };
        match self.bookmarks {
            Bookmarks::Awaited => watch.opened?.checked_add(LAG),
            Bookmarks::Unknown | Bookmarks::Arrived | Bookmarks::Late => None,
        }
    }

    /// Processes a watch without a bookmark until [`lags_at`](Self::lags_at). The watch goes on: what is
    /// held back arrives at its end. Returns the failure to report.
    pub(in crate::reflector) fn on_lag(&mut self) -> ReflectorError {
        self.bookmarks = Bookmarks::Late;
        ReflectorError::Lagging(LAG)
    }

    /// Returns `true` while events come late.
    pub(in crate::reflector) fn lags(&self) -> bool {
        self.bookmarks == Bookmarks::Late
    }
}
