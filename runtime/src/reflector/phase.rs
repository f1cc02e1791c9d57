//! Phases of the machine, with their data.

use std::time::Duration;

use tokio::time::Instant;

use crate::object::ResourceVersion;
use crate::source::ListOptions;
use crate::status::{REPEATED_TOKEN, SourceError};

/// Maximum number of pages of a list: fifty million objects in pages of the default size.
const MAX_PAGES: u32 = 100_000;

#[derive(Debug)]
pub(super) enum ReflectorPhase {
    /// Decide between a list and a streaming list.
    Begin,
    Listing(Listing),
    WatchListing(Watch),
    Watching(Watch),
    /// Ask whether the server still has the version from which a watch is to start.
    Probing,
    /// Wait, then continue with another phase.
    Waiting(Duration, Box<ReflectorPhase>),
}

#[derive(Debug, Clone)]
pub(super) struct Listing {
    /// Options of the first request.
    pub(super) first: ListOptions,
    pub(super) continue_token: Option<String>,
    /// Version of the first page.
    pub(super) version: Option<ResourceVersion>,
    /// Number of received pages.
    pub(super) pages: u32,
    pub(super) restart: bool,
}

#[derive(Debug, Clone, Default)]
pub(super) struct Watch {
    pub(super) opened: Option<Instant>,
    /// Time of the last progress of a streaming list towards its end, across restarts.
    pub(super) last_progress: Option<Instant>,
    /// Number of events of this connection.
    pub(super) events: u64,
    /// `true` if this connection delivered a new version.
    pub(super) advanced: bool,
    /// `true` if further events do not bring a streaming list closer to its end.
    pub(super) stalls: bool,
    /// `true` for a watch that was opened at "" or "0" until its first event that is not ADDED.
    /// Only later versions count.
    pub(super) version_is_open: bool,
    /// Lifetime of the watch that this one resumes, if the server closed that one.
    pub(super) resumes: Option<Duration>,
}

// === impl Listing ===

impl Listing {
    pub(super) fn new(first: ListOptions) -> Self {
        Self {
            first,
            continue_token: None,
            version: None,
            pages: 0,
            restart: true,
        }
    }

    /// Stores the continue token of the next page.
    ///
    /// # Errors
    ///
    /// Fails if the token repeats, or if the list has too many pages.
    pub(super) fn set_next_page(&mut self, token: &str) -> Result<(), SourceError> {
        if self.continue_token.as_deref() == Some(token) {
            return Err(SourceError::Malformed(REPEATED_TOKEN.to_owned()));
        }
        if self.pages >= MAX_PAGES {
            let reason = format!("the list has more than {MAX_PAGES} pages");
            return Err(SourceError::Malformed(reason));
        }
        self.continue_token = Some(token.to_owned());
        Ok(())
    }

    pub(super) fn options(&self) -> ListOptions {
        match &self.continue_token {
            None => self.first.clone(),
            // A continue token contains its version. The server rejects requests with both.
            Some(token) => ListOptions {
                limit: self.first.limit,
                continue_token: Some(token.clone()),
                ..ListOptions::default()
            },
        }
    }
}

// === impl Watch ===

impl Watch {
    /// Returns the time since the watch was opened.
    pub(super) fn lived(&self, now: Instant) -> Duration {
        self.opened
            .map_or(Duration::ZERO, |opened| now.duration_since(opened))
    }

    /// Returns the state of a streaming list that ended early and is repeated. It sends the same
    /// objects again, so they are not progress.
    pub(super) fn restarted(&self) -> Self {
        Self {
            stalls: true,
            ..self.clone()
        }
    }
}
