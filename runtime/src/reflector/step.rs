//! What the machine says and what it is told: the words between it and the task.

use std::fmt;
use std::time::Duration;

use crate::object::ResourceVersion;
use crate::source::{ListOptions, ResourceVersionMatch, WatchOptions};
use crate::status::ReflectorError;

/// The next thing to do.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Step {
    /// Ask for a page. `restart` drops what earlier pages brought.
    List { options: ListOptions, restart: bool },
    /// Open a watch; its initial events are collected if it asks for them.
    Watch(WatchOptions),
    /// Ask for one object at the last version or later: is the server that far?
    Probe(ListOptions),
    /// Wait.
    Backoff(Duration),
}

/// What a page of a list means.
#[derive(Debug)]
pub(super) enum Page {
    /// More pages follow.
    More,
    /// No page follows: the list is whole, at this version.
    Complete(ResourceVersion),
    /// The list is of no use: the server is older than what it had said before. To be reported.
    Failed(ReflectorError),
}

/// What to do with an event.
#[derive(Debug)]
pub(super) enum Reaction {
    /// Apply the event, or collect it while a streaming list goes on.
    Apply,
    /// The streaming list is complete, at this version.
    Complete(ResourceVersion),
    /// The watch is over: the server is older than what it had said before. To be reported.
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
                    // Not the token: it holds the key of an object.
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
