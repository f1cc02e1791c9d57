//! Where the machine is, and what it has to remember there.

use std::time::Duration;

use tokio::time::Instant;

use crate::object::ResourceVersion;
use crate::source::ListOptions;
use crate::status::{REPEATED_TOKEN, SourceError};

/// How many pages a list has at most: fifty million objects in pages of the usual size.
const MAX_PAGES: u32 = 100_000;

#[derive(Debug)]
pub(super) enum Phase {
    /// Decide between a list and a streaming list.
    Begin,
    Listing(Listing),
    WatchListing(Watch),
    Watching(Watch),
    /// Ask whether the server still has the version that a watch is to start from.
    Probing,
    /// Wait, then go on with the other phase.
    Waiting(Duration, Box<Phase>),
}

#[derive(Debug, Clone)]
pub(super) struct Listing {
    /// What was first asked for.
    pub(super) first: ListOptions,
    pub(super) continue_token: Option<String>,
    /// The version of the first page.
    pub(super) version: Option<ResourceVersion>,
    /// Pages that came back.
    pub(super) pages: u32,
    pub(super) restart: bool,
}

#[derive(Debug, Clone)]
pub(super) struct Watch {
    pub(super) opened: Option<Instant>,
    /// When a streaming list last came nearer to its end, over restarts.
    pub(super) last_progress: Option<Instant>,
    /// Events of this connection.
    pub(super) events: u64,
    /// It brought a new version.
    pub(super) advanced: bool,
    /// What comes from now on brings a streaming list no nearer to its end.
    pub(super) stalls: bool,
    /// Opened at "" or "0": versions count from the first event on that is not ADDED.
    pub(super) version_is_open: bool,
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

    /// Remembers the token of the next page.
    ///
    /// # Errors
    ///
    /// No end is in sight.
    pub(super) fn go_on(&mut self, token: &str) -> Result<(), SourceError> {
        if self.continue_token.as_deref() == Some(token) {
            return Err(SourceError::Malformed(REPEATED_TOKEN.to_owned()));
        }
        if self.pages >= MAX_PAGES {
            let reason = format!("the list goes on after {MAX_PAGES} pages");
            return Err(SourceError::Malformed(reason));
        }
        self.continue_token = Some(token.to_owned());
        Ok(())
    }

    pub(super) fn options(&self) -> ListOptions {
        match &self.continue_token {
            None => self.first.clone(),
            // A continue token carries its own version; the server refuses both together.
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
    pub(super) fn new() -> Self {
        Self {
            opened: None,
            last_progress: None,
            events: 0,
            advanced: false,
            stalls: false,
            version_is_open: false,
        }
    }
    /// A streaming list that ended early and is asked for again: it sends the same again.
    pub(super) fn restarted(&self) -> Self {
        Self {
            stalls: true,
            ..self.clone()
        }
    }
}
