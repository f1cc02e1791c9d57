//! Failed streaming lists, and their effect on further streaming.

use tokio::time::Instant;

use super::{LIST_MEMORY, Machine};
use crate::reflector::phase::ReflectorPhase;
use crate::status::{ReflectorError, SourceError, TimeoutPhase};

/// Conclusion from a failed streaming list about the server's support of streaming lists.
enum Verdict {
    /// The server cannot or will not stream lists: list for a while.
    Refused,
    /// No conclusion. A list may be permitted where a watch is not, so list this time.
    NotPermitted,
    /// No conclusion: the server failed temporarily.
    Unrelated,
}

// === impl Machine ===

impl Machine {
    /// Processes a streaming list without progress until its deadline. Returns the failure to
    /// report.
    pub(in crate::reflector) fn on_silence(&mut self, now: Instant) -> ReflectorError {
        self.bookmarks.are_sent();
        self.fall_back_to_list(now);
        ReflectorError::BookmarkMissing(self.config.initial_events_deadline)
    }

    /// Processes a streaming list that the server did not answer in time. Returns the failure to
    /// report.
    ///
    /// The server may be unreachable, so the failure says nothing about streaming: list only this
    /// time.
    pub(in crate::reflector) fn on_unanswered(&mut self) -> ReflectorError {
        self.phase = self.listing();
        ReflectorError::Connect(SourceError::Timeout {
            phase: TimeoutPhase::Headers,
            after: self.config.initial_events_deadline,
        })
    }

    /// Processes a streaming list that failed before or after its response began. Returns the
    /// failure to report.
    pub(super) fn on_watch_list_error(
        &mut self,
        error: SourceError,
        answered: bool,
        now: Instant,
    ) -> ReflectorError {
        let report = if answered {
            ReflectorError::Watch
        } else {
            ReflectorError::Connect
        };
        let ReflectorPhase::WatchListing(watch) = &self.phase else {
            return report(error);
        };
        let mut watch = watch.clone();
        let is_silence = matches!(error, SourceError::Timeout { .. });
        if error.is_connection_lost() && (answered || is_silence) {
            if self.is_silent(now) {
                return if answered {
                    self.on_silence(now)
                } else {
                    self.on_unanswered()
                };
            }
            if watch.events > 0 {
                watch = watch.restarted();
            }
            self.wait_then(ReflectorPhase::WatchListing(watch), &error, now);
            return report(error);
        }
        if error.is_connection_lost() || error.is_too_many_requests() {
            // During an outage or overload, the next request gets the whole deadline.
            watch.last_progress = None;
            self.wait_then(ReflectorPhase::WatchListing(watch), &error, now);
            return report(error);
        }
        let version_is_lost = error.is_expired() || error.is_too_large_resource_version();
        if version_is_lost && !self.lists_consistently {
            self.lists_consistently = true;
            self.phase = ReflectorPhase::WatchListing(watch);
            return report(error);
        }
        match Verdict::of(&error) {
            Verdict::Refused => {
                self.fall_back_to_list(now);
                ReflectorError::WatchListRefused(error)
            }
            Verdict::NotPermitted => {
                let next = self.listing();
                if self.is_forbidden {
                    // The list was not permitted either: one request a try.
                    self.wait_then(next, &error, now);
                } else {
                    self.phase = next;
                }
                ReflectorError::WatchListRefused(error)
            }
            Verdict::Unrelated => {
                let next = self.listing();
                self.wait_then(next, &error, now);
                report(error)
            }
        }
    }

    pub(super) fn fall_back_to_list(&mut self, now: Instant) {
        self.list_until = Some(now + LIST_MEMORY);
        self.phase = self.listing();
    }
}

// === impl Verdict ===

impl Verdict {
    fn of(error: &SourceError) -> Self {
        let Some(status) = error.status() else {
            // The response is not a watch, or not a readable one.
            return Self::Refused;
        };
        match status.code {
            _ if error.is_refused_access() => Self::NotPermitted,
            400 | 405 | 406 | 410 | 415 | 422 | 501 => Self::Refused,
            _ if error.is_invalid() || error.is_too_large_resource_version() => Self::Refused,
            _ => Self::Unrelated,
        }
    }
}
