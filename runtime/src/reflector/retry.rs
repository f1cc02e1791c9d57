//! Retry window: the time in which internal errors lead to another watch instead of a list.

use std::time::Duration;

use tokio::time::Instant;

/// Time without an internal error after which the window starts again.
const QUIET: Duration = Duration::from_secs(60);

/// Window that opens with the first internal error. client-go's counterpart is `RetryWithDeadline`.
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

    /// Records an internal error. Returns `true` if a watch is to be tried again.
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
