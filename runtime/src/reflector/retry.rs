//! For how long internal errors are answered by another watch instead of a list.

use std::time::Duration;

use tokio::time::Instant;

/// After so long without an internal error, the window starts anew.
const QUIET: Duration = Duration::from_secs(60);

/// A window that opens with the first internal error. client-go's `RetryWithDeadline`.
#[derive(Debug)]
pub(super) struct RetryWindow {
    window: Duration,
    first: Option<Instant>,
    last: Option<Instant>,
}

// === impl RetryWindow ===

impl RetryWindow {
    pub(super) fn new(window: Duration) -> Self {
        Self {
            window,
            first: None,
            last: None,
        }
    }

    /// Notes an internal error, and says whether to watch again.
    pub(super) fn permits(&mut self, now: Instant) -> bool {
        if self.window.is_zero() {
            return false;
        }
        let quiet = self
            .last
            .is_none_or(|last| now.duration_since(last) >= QUIET);
        let first = match self.first {
            Some(first) if !quiet => first,
            _ => *self.first.insert(now),
        };
        self.last = Some(now);
        now.duration_since(first) <= self.window
    }
}
