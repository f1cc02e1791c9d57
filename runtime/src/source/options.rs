//! What a request asks for, beyond what is fixed for a source.

use std::fmt;
use std::time::Duration;

use crate::ResourceVersion;

/// How a list's `resourceVersion` is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceVersionMatch {
    /// Exactly that version.
    Exact,
    /// That version or a newer one.
    NotOlderThan,
}

/// The changing part of a LIST request; namespace and selectors belong to the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// How many items a page holds at most; `None` asks for all at once.
    pub limit: Option<u32>,
    /// Continues a list. Goes with neither a version nor a match.
    pub continue_token: Option<String>,
    /// The version to list at.
    pub resource_version: ResourceVersion,
    /// How `resource_version` is meant; `None` leaves it to the server.
    pub resource_version_match: Option<ResourceVersionMatch>,
}

/// The changing part of a WATCH request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// The version to start after.
    pub resource_version: ResourceVersion,
    /// Asks for the current state first (KEP-3157): a streaming list.
    pub send_initial_events: bool,
    /// Asks for bookmarks.
    pub allow_bookmarks: bool,
    /// When the server shall close the watch.
    pub timeout: Duration,
}

impl fmt::Display for ResourceVersionMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Exact => "Exact",
            Self::NotOlderThan => "NotOlderThan",
        })
    }
}
