//! What one handler has done.

use std::time::Duration;

use super::histogram::Histogram;

/// One handler of an informer, measured.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerMetrics {
    /// The handler's name, which others can have too.
    pub name: String,
    /// The handler's number within its informer, in the order of adding; never given again.
    pub id: u64,
    /// What it has done, and what waits for it.
    pub stats: HandlerStats,
}

/// What one handler has done so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HandlerStats {
    /// Calls that have ended, also by a panic; for a stream, notifications it has yielded.
    pub delivered: u64,
    /// Notifications that were merged with another one, or cancelled one, because the mailbox was
    /// full.
    pub coalesced: u64,
    /// Calls that ended by a panic.
    pub panics: u64,
    /// Resyncs that were left out because the one before had not begun.
    pub resyncs_skipped: u64,
    /// Notifications that wait now. What is left of a replay is not counted.
    pub pending: usize,
    /// Time spent in calls; zero for a stream.
    pub busy: Duration,
    /// How long calls took; none for a stream.
    pub calls: Histogram,
}
