//! [`Bookmarks`]: whether the bookmarks of watches arrive in time. Pure.

use std::time::Duration;

use tokio::time::Instant;

use super::phase::Watch;

/// Time without a bookmark after which a watch lags. A server sends one about every minute.
pub(super) const LAG: Duration = Duration::from_secs(150);

/// Bookmarks of watches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bookmarks {
    /// None was seen. A server sends none for a resource that is not in its watch cache, such as
    /// `events`.
    Unknown,
    /// The server sends them: an earlier watch had one, or the server accepted a streaming list, whose
    /// closing one did not arrive.
    Expected,
    /// They come late, if at all.
    Late,
}

// === impl Bookmarks ===

impl Bookmarks {
    /// Records a bookmark of a watch.
    pub(super) fn arrived(&mut self, watch: &mut Watch, now: Instant) {
        let is_in_time = watch.bookmarked.is_some() || watch.lived(now) < LAG;
        if is_in_time {
            watch.bookmarked = Some(now);
        }
        if is_in_time || *self == Self::Unknown {
            *self = Self::Expected;
        }
    }

    /// Records that a streaming list, which the server accepted, has no closing bookmark.
    pub(super) fn missing(&mut self) {
        if *self == Self::Unknown {
            *self = Self::Expected;
        }
    }

    /// Forgets that they are late, after another failure.
    pub(super) fn forgiven(&mut self) {
        if *self == Self::Late {
            *self = Self::Expected;
        }
    }
}
