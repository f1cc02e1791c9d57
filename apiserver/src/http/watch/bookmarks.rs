//! When to send bookmarks.

use std::time::Duration;

use tokio::time::Instant;

/// The real server sends its last bookmark this long before the timeout.
const FINAL_BOOKMARK: Duration = Duration::from_secs(2);

/// When to send bookmarks.
#[derive(Debug)]
pub(super) struct Bookmarks {
    interval: Duration,
    next: Instant,
    /// Shortly before the end, so that the client resumes from where it was.
    last: Option<Instant>,
}

// === impl Bookmarks ===

impl Bookmarks {
    /// Those of a watch that starts now and lasts for `timeout`.
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
