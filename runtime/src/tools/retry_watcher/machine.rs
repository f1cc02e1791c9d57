//! What a retry watcher does next. Pure: time is an argument.

use std::time::Duration;

use tokio::time::Instant;

use super::error::{NoResourceVersion, RetryWatchError};
use crate::object::ResourceVersion;
use crate::source::WatchOptions;
use crate::status::SourceError;
use crate::wire::RawEvent;

/// From the start of one watch to that of the next.
const MIN_RESTART: Duration = Duration::from_secs(1);
/// A watch lasts at least so long, and less than twice as long, if the server honours it.
const MIN_WATCH: Duration = Duration::from_secs(300);
/// A longer `Retry-After`, which a source of the user's may ask for, is cut to this.
const MAX_RETRY_AFTER: Duration = Duration::from_secs(60 * 60);

#[derive(Debug)]
pub(super) struct Machine {
    resource_version: ResourceVersion,
    /// When the next watch may start; `None` before the first.
    not_before: Option<Instant>,
    rng: fastrand::Rng,
}

/// What to do with an event.
#[derive(Debug)]
pub(super) enum Reaction {
    Forward(RawEvent),
    /// Nothing: it was for us.
    Keep,
    /// The watch is over; wait, and start another.
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

    /// When the next watch may start, if not at once.
    pub(super) fn not_before(&self) -> Option<Instant> {
        self.not_before
    }

    /// A watch starts now.
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

    /// The request was refused, or the stream failed.
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
            let asked = now + delay.min(MAX_RETRY_AFTER);
            self.not_before = self.not_before.max(Some(asked));
        }
        Reaction::Restart
    }
}
