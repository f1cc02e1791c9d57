//! Interface between the machine and the task: steps, and the results of pages and events.

use std::fmt;
use std::time::Duration;

use crate::object::ResourceVersion;
use crate::source::{ListOptions, ResourceVersionMatch, WatchOptions};
use crate::status::ReflectorError;

/// Next action of the task.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Request a page. `restart` drops the objects of earlier pages.
    List { options: ListOptions, restart: bool },
    /// Open a watch. Its initial events are collected if it requests them.
    Watch(WatchOptions),
    /// Request one object at the last version or later, to find out whether the server has that
    /// version.
    Probe(ListOptions),
    /// Wait.
    Backoff(Duration),
}

/// Result of a page of a list.
#[derive(Debug)]
pub(super) enum Page {
    /// More pages follow.
    More,
    /// The list is complete, at this version.
    Complete(ResourceVersion),
    /// The list must be discarded, because the server is older than before. The failure has to be
    /// reported.
    Failed(ReflectorError),
}

/// Reaction to an event.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Apply the event, or collect it while a streaming list is incomplete.
    Apply,
    /// The streaming list is complete, at this version.
    Complete(ResourceVersion),
    /// End the watch, because the server is older than before. The failure has to be reported.
    Failed(ReflectorError),
}

// === impl Step ===

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::List { options, .. } => {
                write!(f, "LIST rv={:?}", options.resource_version)?;
                if let Some(limit) = options.limit {
                    write!(f, " limit={limit}")?;
                }
                if options.continue_token.is_some() {
                    // The token itself is omitted, because it contains the key of an object.
                    f.write_str(" continue")?;
                }
                Ok(())
            }
            Self::Watch(options) => {
                write!(f, "WATCH rv={:?}", options.resource_version)?;
                if options.send_initial_events {
                    let matching = ResourceVersionMatch::NotOlderThan;
                    write!(f, " sendInitialEvents match={matching}")?;
                }
                Ok(())
            }
            Self::Probe(options) => write!(f, "PROBE rv={:?}", options.resource_version),
            Self::Backoff(_) => f.write_str("BACKOFF"),
        }
    }
}
