//! Options of a request, in addition to the fixed properties of its source.

use std::fmt;
use std::time::Duration;

use crate::object::ResourceVersion;

/// Meaning of a list's `resourceVersion`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResourceVersionMatch {
    /// Exactly that version.
    Exact,
    /// That version or a newer one.
    NotOlderThan,
}

/// Variable part of a LIST request; namespace and selectors belong to the source.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ListOptions {
    /// Maximum number of items of a page; `None` requests all items at once.
    pub limit: Option<u32>,
    /// Token that continues a list. Must not be combined with a version or a match.
    pub continue_token: Option<String>,
    /// Version to list at.
    pub resource_version: ResourceVersion,
    /// Meaning of `resource_version`; `None` leaves the choice to the server.
    pub resource_version_match: Option<ResourceVersionMatch>,
    /// Shard selector (KEP-5866), which servers without sharded lists ignore; `None` for all objects.
    pub shard_selector: Option<String>,
}

/// Variable part of a WATCH request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WatchOptions {
    /// Version after which the watch starts.
    pub resource_version: ResourceVersion,
    /// Requests the current state first (KEP-3157): a streaming list.
    pub send_initial_events: bool,
    /// Requests bookmarks.
    pub allow_bookmarks: bool,
    /// Time after which the server should close the watch.
    pub timeout: Duration,
    /// Shard selector (KEP-5866), which servers without sharded lists ignore; `None` for all objects.
    pub shard_selector: Option<String>,
}

// === impl ListOptions ===

impl ListOptions {
    /// Returns the equivalent streaming list: a watch whose initial events are the items of this
    /// list, and whose closing bookmark is the version of this list. Returns `None` if there is no
    /// equivalent, so that the list must be requested.
    ///
    /// A list has no equivalent if it is one page of several (it has a continue token or a limit),
    /// if it is at exactly one version, or if it has a match without a version. With version "0",
    /// servers ignore a limit, and so does this function. The server should close the watch after
    /// `timeout`. A server without streaming lists rejects the watch as
    /// [invalid](super::SourceError::is_invalid).
    ///
    /// client-go's counterpart is `watchlist.PrepareWatchListOptionsFromListOptions`.
    ///
    /// # Examples
    ///
    /// ```
    /// use std::time::Duration;
    /// # use informer_runtime::source::ListOptions;
    ///
    /// let minute = Duration::from_secs(60);
    /// let stream = ListOptions::default().watch_list_options(minute);
    /// assert!(stream.is_some_and(|watch| watch.send_initial_events && watch.allow_bookmarks));
    ///
    /// let page = ListOptions { limit: Some(500), ..ListOptions::default() };
    /// assert_eq!(page.watch_list_options(minute), None);
    /// ```
    #[must_use]
    pub fn watch_list_options(&self, timeout: Duration) -> Option<WatchOptions> {
        let is_page = self.limit.is_some_and(|limit| limit > 0)
            && self.resource_version != ResourceVersion::ANY;
        let is_matched = match self.resource_version_match {
            None => true,
            Some(ResourceVersionMatch::NotOlderThan) => !self.resource_version.is_unset(),
            Some(ResourceVersionMatch::Exact) => false,
        };
        if self.continue_token.is_some() || is_page || !is_matched {
            return None;
        }
        Some(WatchOptions {
            resource_version: self.resource_version.clone(),
            send_initial_events: true,
            allow_bookmarks: true,
            timeout,
            shard_selector: self.shard_selector.clone(),
        })
    }
}

impl fmt::Display for ResourceVersionMatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Exact => "Exact",
            Self::NotOlderThan => "NotOlderThan",
        })
    }
}

#[cfg(test)]
mod tests;
