//! Decisions of a retry watcher. Pure: time is an argument.

use std::time::Duration;

use tokio::time::Instant;

use super::error::{NoResourceVersion, RetryWatchError};
use crate::object::ResourceVersion;
use crate::source::WatchOptions;
use crate::status::SourceError;
use crate::wire::RawEvent;

/// Minimum time between the starts of two watches.
const MIN_RESTART: Duration = Duration::from_secs(1);
/// Minimum duration of a watch; the maximum is twice as long. The API server may close a watch
/// earlier.
const MIN_WATCH: Duration = Duration::from_secs(300);
/// Upper bound of a `Retry-After`, which a user's source may exceed.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

#[derive(Debug)]
pub(super) struct Machine {
    resource_version: ResourceVersion,
    /// Earliest start of the next watch; `None` before the first watch.
    not_before: Option<Instant>,
    rng: fastrand::Rng,
}

/// Reaction to an event.
#[derive(Debug)]
pub(super) enum Reaction {
    Forward(RawEvent),
    /// Yields nothing: the event only advances the version.
    Keep,
    /// Starts another watch when the pause is over.
    Restart,
    End(RetryWatchError),
}

// === impl Machine ===

impl Machine {
    pub(super) fn new(resource_version: ResourceVersion) -> Result<Self, NoResourceVersion> {
        if !resource_version.is_exact() {
            return Err(NoResourceVersion(resource_version));
        }
        Ok(Self {
            resource_version,
            not_before: None,
            rng: fastrand::Rng::new(),
        })
    }

    pub(super) fn resource_version(&self) -> &ResourceVersion {
        &self.resource_version
    }

    /// Returns the earliest start of the next watch; `None` if it may start at once.
    pub(super) fn not_before(&self) -> Option<Instant> {
        self.not_before
    }

    /// Records the start of a watch, and returns its options.
    pub(super) fn start(&mut self, now: Instant) -> WatchOptions {
        self.not_before = Some(now + MIN_RESTART);
        WatchOptions {
            resource_version: self.resource_version.clone(),
            send_initial_events: false,
            allow_bookmarks: true,
            timeout: MIN_WATCH.mul_f64(1.0 + self.rng.f64()),
        }
    }

    pub(super) fn on_event(&mut self, event: RawEvent, now: Instant) -> Reaction {
        match &event {
            RawEvent::Added(object) | RawEvent::Modified(object) | RawEvent::Deleted(object) => {
                if object.resource_version().is_unset() {
                    let key = object.key().clone();
                    return Reaction::End(RetryWatchError::MissingResourceVersion(key));
                }
            }
            RawEvent::Error(status) => return self.on_error(status.clone().into(), now),
            RawEvent::Bookmark { .. } | RawEvent::Unknown { .. } | RawEvent::Rejected(_) => {}
        }
        if let Some(version) = event.resource_version().filter(|rv| rv.is_exact()) {
            self.resource_version = version.clone();
        }
        if matches!(event, RawEvent::Bookmark { .. } | RawEvent::Unknown { .. }) {
            return Reaction::Keep;
        }
        Reaction::Forward(event)
    }

    /// Handles a rejected request or a failed stream.
    pub(super) fn on_error(&mut self, error: SourceError, now: Instant) -> Reaction {
        if error.is_expired() {
            return Reaction::End(RetryWatchError::Expired(error));
        }
        if error.is_forbidden() || error.is_unauthorized() {
            return Reaction::End(RetryWatchError::Denied(error));
        }
        tracing::debug!(
            resource_version = %self.resource_version,
            %error,
            "watch failed, retrying",
        );
        if let Some(delay) = error.retry_after() {
            let requested = now + delay.min(MAX_RETRY_AFTER);
            self.not_before = self.not_before.max(Some(requested));
        }
        Reaction::Restart
    }
}
