//! [`HandlerMetrics`]: measurements of one handler.

use std::time::Duration;

use super::histogram::Histogram;

/// Measurements of one handler of an informer.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct HandlerMetrics {
    /// Name of the handler. Names need not be unique.
    pub name: String,
    /// Number of the handler within its informer, in the order of registration; never reused.
    pub id: u64,
    /// Counters of the handler.
    pub stats: HandlerStats,
}

/// Counters of one handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[non_exhaustive]
pub struct HandlerStats {
    /// Number of finished calls, including calls that panicked. For a stream: number of
    /// notifications that it has yielded.
    pub delivered: u64,
    /// Number of notifications that were merged with another notification, or that cancelled one,
    /// because the mailbox was full.
    pub coalesced: u64,
    /// Number of calls that panicked.
    pub panics: u64,
    /// Number of resyncs that were skipped because the previous one had not started yet.
    pub resyncs_skipped: u64,
    /// Number of notifications that wait in the mailbox now. Excludes the rest of a replay.
    pub pending: usize,
    /// Size of the objects that only these notifications keep in memory, such as the old objects of
    /// updates, in bytes as the API server sent them.
    pub pending_bytes: usize,
    /// Total duration of calls; zero for a stream.
    pub busy: Duration,
    /// Durations of calls; empty for a stream.
    pub calls: Histogram,
}
