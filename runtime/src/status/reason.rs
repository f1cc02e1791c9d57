//! [`Reason`]: cause of a list or watch request. The end of one request is the reason of the next.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};

use super::recorder::Counter;
use crate::status::{ReflectorError, SourceError};

/// Reason of a list or watch request, which is also the outcome of the request before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// The informer started. There was no earlier request.
    Initial,
    /// A list completed. A watch follows.
    Completed,
    /// The server closed a watch, as servers do every few minutes.
    Closed,
    /// The version or the continue token was too old (410).
    Expired,
    /// The server had not reached the version yet.
    TooLargeResourceVersion,
    /// The server was overloaded (429).
    TooManyRequests,
    /// The connection was refused, or lost.
    ConnectionLost,
    /// The server was silent for too long, or sent no closing bookmark of a streaming list.
    Silent,
    /// The server closed a watch within a second, without an event.
    VeryShortWatch,
    /// The server refused to stream a list.
    WatchListRefused,
    /// An index was added that lacks objects whose bodies were evicted.
    IndexAdded,
    /// Any other failure.
    Failed,
}

/// Number of requests of one kind, by reason and by outcome.
///
/// A request that is in flight, or that was cancelled because the informer stopped, has no outcome.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    began: [u64; REASONS],
    ended: [u64; REASONS],
}

/// Kind of a reflector's request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// List, of any number of pages.
    List,
    /// Watch that begins with the initial state.
    StreamingList,
    /// Watch. A streaming list counts as a watch from its closing bookmark on.
    Watch,
}

const REASONS: usize = Reason::ALL.len();
const KINDS: usize = 3;
/// Marker for no request in flight.
const IDLE: u8 = u8::MAX;

/// Requests of an informer, by kind.
#[derive(Debug, Default)]
pub(crate) struct RequestCounts([Counts; KINDS]);

/// Counts the requests of one reflector, which makes one at a time.
#[derive(Debug)]
pub(crate) struct RequestLog {
    counts: Arc<RequestCounts>,
    /// Kind of the request in flight, or [`IDLE`].
    open: AtomicU8,
    /// Outcome of the last request.
    last: AtomicU8,
}

#[derive(Debug, Default)]
struct Counts {
    began: [Counter; REASONS],
    ended: [Counter; REASONS],
}

// === impl Reason ===

impl Reason {
    /// All reasons, in the order of their declaration.
    pub const ALL: [Self; 12] = [
        Self::Initial,
        Self::Completed,
        Self::Closed,
        Self::Expired,
        Self::TooLargeResourceVersion,
        Self::TooManyRequests,
        Self::ConnectionLost,
        Self::Silent,
        Self::VeryShortWatch,
        Self::WatchListRefused,
        Self::IndexAdded,
        Self::Failed,
    ];

    /// Returns the value of the labels `reason` and `outcome`.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Initial => "initial",
            Self::Completed => "completed",
            Self::Closed => "closed",
            Self::Expired => "expired",
            Self::TooLargeResourceVersion => "too_large_resource_version",
            Self::TooManyRequests => "too_many_requests",
            Self::ConnectionLost => "connection_lost",
            Self::Silent => "silent",
            Self::VeryShortWatch => "very_short_watch",
            Self::WatchListRefused => "watch_list_refused",
            Self::IndexAdded => "index_added",
            Self::Failed => "failed",
        }
    }

    /// Returns the outcome of a request that ended in this failure.
    pub(crate) fn of(failure: &ReflectorError) -> Self {
        if matches!(failure, ReflectorError::VeryShortWatch) {
            return Self::VeryShortWatch;
        }
        if let ReflectorError::BookmarkMissing(_) | ReflectorError::Lagging(_) = failure {
            return Self::Silent;
        }
        if matches!(failure, ReflectorError::WatchListRefused(_)) {
            return Self::WatchListRefused;
        }
        failure.source_error().map_or(Self::Failed, |error| {
            if error.is_expired() {
                Self::Expired
            } else if error.is_too_large_resource_version() {
                Self::TooLargeResourceVersion
            } else if error.is_too_many_requests() {
                Self::TooManyRequests
            } else if matches!(error, SourceError::Timeout { .. }) {
                Self::Silent
            } else if error.is_connection_lost() {
                Self::ConnectionLost
            } else {
                Self::Failed
            }
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

// === impl Requests ===

impl Requests {
    /// Returns the number of requests that started.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.began.iter().sum()
    }

    /// Returns the number of requests that started for this reason.
    #[must_use]
    pub fn began(&self, reason: Reason) -> u64 {
        self.began.get(reason as usize).copied().unwrap_or_default()
    }

    /// Returns the number of requests that ended with this outcome.
    #[must_use]
    pub fn ended(&self, outcome: Reason) -> u64 {
        self.ended
            .get(outcome as usize)
            .copied()
            .unwrap_or_default()
    }
}

// === impl RequestLog ===

impl RequestLog {
    pub(crate) fn new(counts: Arc<RequestCounts>) -> Self {
        Self {
            counts,
            open: AtomicU8::new(IDLE),
            last: AtomicU8::new(Reason::Initial as u8),
        }
    }

    /// Records the start of a request. Its reason is the outcome of the last one.
    pub(crate) fn begin(&self, kind: RequestKind) {
        let reason = self.reason() as usize;
        let counts = self.counts.0.get(kind as usize);
        if let Some(counter) = counts.and_then(|counts| counts.began.get(reason)) {
            counter.increment();
        }
        self.open.store(kind as u8, Ordering::Relaxed);
    }

    /// Returns the reason of a request that starts now.
    pub(crate) fn reason(&self) -> Reason {
        let last = usize::from(self.last.load(Ordering::Relaxed));
        Reason::ALL.get(last).copied().unwrap_or(Reason::Failed)
    }

    /// Records the outcome of the request in flight. Without one, only sets the reason of the next
    /// request.
    pub(crate) fn end(&self, outcome: Reason) {
        let open = self.open.swap(IDLE, Ordering::Relaxed);
        let counts = self.counts.0.get(usize::from(open));
        if let Some(counter) = counts.and_then(|counts| counts.ended.get(outcome as usize)) {
            counter.increment();
        }
        self.last.store(outcome as u8, Ordering::Relaxed);
    }
}

// === impl RequestCounts ===

impl RequestCounts {
    pub(super) fn get(&self, kind: RequestKind) -> Requests {
        let mut requests = Requests::default();
        if let Some(counts) = self.0.get(kind as usize) {
            copy(&mut requests.began, &counts.began);
            copy(&mut requests.ended, &counts.ended);
        }
        requests
    }
}

fn copy(values: &mut [u64; REASONS], counters: &[Counter; REASONS]) {
    for (value, counter) in values.iter_mut().zip(counters) {
        *value = counter.get();
    }
}
