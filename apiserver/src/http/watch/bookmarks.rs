//! Times at which bookmarks are sent.

use std::time::Duration;

use tokio::time::Instant;

/// Time before the timeout at which the real server sends its last bookmark.
const FINAL_BOOKMARK: Duration = Duration::from_secs(2);

/// Times at which bookmarks are sent.
#[derive(Debug)]
pub(super) struct Bookmarks {
    interval: Duration,
    next: Instant,
    /// Time of the last bookmark, shortly before the end, from which the client resumes.
    last: Option<Instant>,
}

// === impl Bookmarks ===

impl Bookmarks {
    /// Returns the schedule of a watch that starts at `now` and lasts for `timeout`.
    pub(super) fn of_watch(now: Instant, timeout: Duration, interval: Duration) -> Self {
        Self {
            interval,
            next: now + interval,
            last: Some(now + timeout - FINAL_BOOKMARK.min(timeout / 2)),
        }
    }

    pub(super) fn due(&self) -> Instant {
        self.last.map_or(self.next, |last| last.min(self.next))
    }

    pub(super) fn sent(&mut self, now: Instant) {
        if self.last.is_some_and(|last| last <= now) {
            self.last = None;
        }
        if self.next <= now {
            self.next = now + self.interval;
        }
    }
}
