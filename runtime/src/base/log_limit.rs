//! [`LogLimit`]: a bound on the number of log lines about failures.

use std::time::Duration;

use tokio::time::Instant;

/// Number of failures that are logged within [`LOG_WINDOW`], unless there is another limit.
const LOG_BURST: u32 = 10;
const LOG_WINDOW: Duration = Duration::from_secs(60);

/// Passes the first failures of a window, and counts the others.
#[derive(Debug)]
pub struct LogLimit {
    burst: u32,
    since: Option<Instant>,
    passed: u32,
    held_back: u32,
}

// === impl LogLimit ===

impl Default for LogLimit {
    fn default() -> Self {
        Self::new(LOG_BURST)
    }
}

impl LogLimit {
    /// Creates a limit of `burst` lines a minute.
    #[must_use]
    pub fn new(burst: u32) -> Self {
        Self {
            burst,
            since: None,
            passed: 0,
            held_back: 0,
        }
    }

    /// Returns `None` if the failure must not be logged, or else the number of suppressed failures
    /// before it.
    pub fn pass(&mut self, now: Instant) -> Option<u32> {
        let over = self
            .since
            .is_none_or(|since| now.duration_since(since) >= LOG_WINDOW);
        if over {
            self.since = Some(now);
            self.passed = 0;
        }
        if self.passed >= self.burst {
            self.held_back += 1;
            return None;
        }
        self.passed += 1;
        Some(std::mem::take(&mut self.held_back))
    }
}
