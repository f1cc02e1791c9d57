//! [`Reason`]: why a reflector lists or watches. The end of one request is the reason of the next.

use std::fmt;
use std::sync::atomic::{AtomicU8, Ordering};

use super::recorder::Counter;
use crate::status::{ReflectorError, SourceError};

/// Why a list or a watch was asked for; and, of the one before it, how that ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Nothing came before: the informer started.
    Initial,
    /// A list is complete; it is followed by a watch.
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
    /// Nothing came for too long; or not the bookmark that ends a streaming list.
    Silent,
    /// The server closed a watch within a second, without an event.
    VeryShortWatch,
    /// The server refused to stream a list.
    WatchListRefused,
    /// Anything else that went wrong.
    Failed,
}

/// How often there were requests of one kind, by their reasons and by their ends.
///
/// One that goes on now, or that the informer's stop cut short, has no end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Requests {
    began: [u64; REASONS],
    ended: [u64; REASONS],
}

/// What a reflector asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RequestKind {
    /// A list, of however many pages.
    List,
    /// A watch that begins with the state.
    StreamingList,
    /// A watch; what a streaming list is from its end on, too.
    Watch,
}

const REASONS: usize = Reason::ALL.len();
const KINDS: usize = 3;
/// No request goes on.
const IDLE: u8 = u8::MAX;

/// Counts the requests of one reflector, which makes one at a time.
#[derive(Debug)]
pub(crate) struct RequestLog {
    kinds: [Counts; KINDS],
    /// The kind of the request that goes on, or [`IDLE`].
    open: AtomicU8,
    /// How the last one ended.
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
    pub const ALL: [Self; 11] = [
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
        Self::Failed,
    ];

    /// The value of the labels `reason` and `outcome`.
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
            Self::Failed => "failed",
        }
    }

    /// How a request ended that ended in this failure.
    pub(crate) fn of(failure: &ReflectorError) -> Self {
        if matches!(failure, ReflectorError::VeryShortWatch) {
            return Self::VeryShortWatch;
        }
        if matches!(failure, ReflectorError::BookmarkMissing(_)) {
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
    /// How many began.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.began.iter().sum()
    }

    /// How many began for this reason.
    #[must_use]
    pub fn began(&self, reason: Reason) -> u64 {
        self.began.get(reason as usize).copied().unwrap_or_default()
    }

    /// How many ended so.
    #[must_use]
    pub fn ended(&self, how: Reason) -> u64 {
        self.ended.get(how as usize).copied().unwrap_or_default()
    }
}

// === impl RequestLog ===

impl RequestLog {
    /// A request is made, because of the end of the last one.
    pub(crate) fn begin(&self, kind: RequestKind) {
        let last = usize::from(self.last.load(Ordering::Relaxed));
        let counts = self.kinds.get(kind as usize);
        if let Some(counter) = counts.and_then(|counts| counts.began.get(last)) {
            counter.increment();
        }
        self.open.store(kind as u8, Ordering::Relaxed);
    }

    /// The request that goes on has ended; or something else is the reason of the next one.
    pub(crate) fn end(&self, how: Reason) {
        let open = self.open.swap(IDLE, Ordering::Relaxed);
        let counts = self.kinds.get(usize::from(open));
        if let Some(counter) = counts.and_then(|counts| counts.ended.get(how as usize)) {
            counter.increment();
        }
        self.last.store(how as u8, Ordering::Relaxed);
    }

    pub(super) fn get(&self, kind: RequestKind) -> Requests {
        let mut requests = Requests::default();
        if let Some(counts) = self.kinds.get(kind as usize) {
            copy(&mut requests.began, &counts.began);
            copy(&mut requests.ended, &counts.ended);
        }
        requests
    }
}

impl Default for RequestLog {
    fn default() -> Self {
        Self {
            kinds: <[Counts; KINDS]>::default(),
            open: AtomicU8::new(IDLE),
            last: AtomicU8::new(Reason::Initial as u8),
        }
    }
}

fn copy(values: &mut [u64; REASONS], counters: &[Counter; REASONS]) {
    for (value, counter) in values.iter_mut().zip(counters) {
        *value = counter.get();
    }
}
