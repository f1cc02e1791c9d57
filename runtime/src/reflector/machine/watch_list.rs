//! Streaming lists that fail: which failure means what.

use tokio::time::Instant;

use super::{LIST_MEMORY, Machine};
use crate::reflector::error::ReflectorError;
use crate::reflector::phase::{Phase, Watch};
use crate::source::SourceError;
use crate::wire::ApiStatus;

/// The one 5xx that is an answer.
const NOT_IMPLEMENTED: u16 = 501;

// === impl Machine ===

impl Machine {
    /// The streaming list was silent for too long. To be reported.
    pub(in crate::reflector) fn on_silence(&mut self, now: Instant) -> ReflectorError {
        self.fall_back_to_list(now);
        ReflectorError::BookmarkMissing(self.config.initial_events_deadline)
    }

    pub(super) fn on_watch_list_error(
        &mut self,
        error: SourceError,
        now: Instant,
        report: fn(SourceError) -> ReflectorError,
    ) -> ReflectorError {
        let Phase::WatchListing(watch) = &self.phase else {
            return report(error);
        };
        let mut watch = watch.clone();
        if error.is_too_many_requests() || error.is_connection_refused() {
            // Nobody refused to stream: it is the connection that waits, not the end mark.
            watch.last_progress = None;
            self.wait_then(Phase::WatchListing(watch), &error);
            return report(error);
        }
        let lost = error.is_expired() || error.is_too_large_resource_version();
        if lost && !self.last_is_unavailable {
            self.last_is_unavailable = true;
            self.phase = Phase::WatchListing(watch);
            return report(error);
        }
        if error.is_connection_lost() {
            return self.on_watch_list_lost(error, now, watch, report);
        }
        if error.status().is_some_and(is_a_bad_moment) {
            // Nothing is said about streaming: a list, but the next time a streaming one again.
            let next = self.listing();
            self.wait_then(next, &error);
            return report(error);
        }
        self.fall_back_to_list(now);
        ReflectorError::WatchListRefused(error)
    }

    /// The connection of a streaming list was lost, which says nothing about the server: it is asked
    /// for again, until there was no progress for too long.
    fn on_watch_list_lost(
        &mut self,
        error: SourceError,
        now: Instant,
        watch: Watch,
        report: fn(SourceError) -> ReflectorError,
    ) -> ReflectorError {
        if !self.is_silent(now) {
            let again = if watch.events > 0 {
                watch.restarted()
            } else {
                watch
            };
            self.wait_then(Phase::WatchListing(again), &error);
            return report(error);
        }
        let failure = report(error);
        if let ReflectorError::Connect(error @ SourceError::Transport(_)) = failure {
            // The server was never reached: neither way of listing is any better.
            let next = self.listing();
            self.wait_then(next, &error);
            return ReflectorError::Connect(error);
        }
        self.on_silence(now)
    }

    pub(super) fn fall_back_to_list(&mut self, now: Instant) {
        self.list_until = Some(now + LIST_MEMORY);
        self.phase = self.listing();
    }
}

/// The server failed for now, which says nothing about what it can do.
fn is_a_bad_moment(status: &ApiStatus) -> bool {
    status.code >= 500 && status.code != NOT_IMPLEMENTED
}
