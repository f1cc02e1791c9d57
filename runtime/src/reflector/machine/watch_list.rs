//! Streaming lists that fail, and what each failure says about streaming.

use tokio::time::Instant;

use super::{LIST_MEMORY, Machine};
use crate::reflector::phase::Phase;
use crate::status::{ReflectorError, SourceError, TimeoutPhase};

/// What a failed streaming list says about the server's ability to stream lists.
enum Verdict {
    /// The server cannot or does not want to: lists are used for a while.
    Refused,
    /// Nothing, but a list may be permitted where a watch is not: it is tried this time.
    NotPermitted,
    /// Nothing: the server failed for now.
    Unrelated,
}

// === impl Machine ===

impl Machine {
    /// An answered streaming list came no nearer to its end for too long. To be reported.
    pub(in crate::reflector) fn on_silence(&mut self, now: Instant) -> ReflectorError {
        self.fall_back_to_list(now);
        ReflectorError::BookmarkMissing(self.config.initial_events_deadline)
    }

    /// The server did not answer a streaming list in time. To be reported.
    ///
    /// It may not have been reached at all, so this says nothing about streaming: a list is tried
    /// this time only.
    pub(in crate::reflector) fn on_unanswered(&mut self) -> ReflectorError {
        self.phase = self.listing();
        ReflectorError::Connect(SourceError::Timeout {
            phase: TimeoutPhase::Headers,
            after: self.config.initial_events_deadline,
        })
    }

    /// A streaming list failed, after its answer had begun or before. To be reported.
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
        let Phase::WatchListing(watch) = &self.phase else {
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
            self.wait_then(Phase::WatchListing(watch), &error, now);
            return report(error);
        }
        if error.is_connection_lost() || error.is_too_many_requests() {
            // An outage, or a busy server: the next request has the whole deadline.
            watch.last_progress = None;
            self.wait_then(Phase::WatchListing(watch), &error, now);
            return report(error);
        }
        let version_is_lost = error.is_expired() || error.is_too_large_resource_version();
        if version_is_lost && !self.last_is_unavailable {
            self.last_is_unavailable = true;
            self.phase = Phase::WatchListing(watch);
            return report(error);
        }
        match Verdict::of(&error) {
            Verdict::Refused => {
                self.fall_back_to_list(now);
                ReflectorError::WatchListRefused(error)
            }
            Verdict::NotPermitted => {
                self.phase = self.listing();
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
            // Not a watch at all, or not one that can be read.
            return Self::Refused;
        };
        match status.code {
            400 | 405 | 406 | 410 | 415 | 422 | 501 => Self::Refused,
            401 | 403 | 404 => Self::NotPermitted,
            _ if error.is_invalid() || error.is_too_large_resource_version() => Self::Refused,
            _ => Self::Unrelated,
        }
    }
}
