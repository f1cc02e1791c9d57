//! [`Bookmarks`]: whether the bookmarks of watches arrive in time. Pure.

use std::time::Duration;

/// Time without a bookmark after which a watch lags. A server sends one about every minute.
pub(super) const LAG: Duration = Duration::from_secs(150);

/// Bookmarks of watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bookmarks {
    /// None was seen. A server sends none for a resource that is not in its watch cache, such as
    /// `events`.
    Unknown,
    /// The server sends them, and the current watch had none yet: an earlier one had, or the server
    /// accepted a streaming list, whose closing one did not arrive.
    Awaited,
    /// The current watch had one in time.
    Arrived,
    /// They come late, if at all.
    Late,
}

// === impl Bookmarks ===

impl Bookmarks {
    /// Records that a watch is opened.
    pub(super) fn opened(&mut self) {
        if *self == Self::Arrived {
            *self = Self::Awaited;
        }
    }

    /// Records a bookmark of a watch that is open for this time.
    pub(super) fn arrived(&mut self, lived: Duration) {
        if lived < LAG {
            *self = Self::Arrived;
        } else {
            self.are_sent();
        }
    }

    /// Records that the server sends bookmarks.
    pub(super) fn are_sent(&mut self) {
        if *self == Self::Unknown {
            *self = Self::Awaited;
        }
    }

    /// Forgets that they are late, after another failure.
    pub(super) fn forgiven(&mut self) {
        if *self == Self::Late {
            *self = Self::Awaited;
        }
    }
}
