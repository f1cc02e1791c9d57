//! Which version the store has reached when deltas have overtaken each other. Pure.
//!
//! With [`Order::PerKey`](super::Order::PerKey) a delta leaves at the place of the first of its key,
//! so the version of what has left says nothing of what still waits. A version is reached when
//! all that was said up to it has left.

use super::delta::{Delta, Listed};
use crate::object::ResourceVersion;

/// The versions of one queue.
#[derive(Debug)]
pub(super) struct Reached {
    /// The last one that came in.
    said: ResourceVersion,
    /// The last one up to which everything has left.
    left: ResourceVersion,
}

// === impl Reached ===

impl Reached {
    pub(super) fn new() -> Self {
        Self {
            said: ResourceVersion::UNSET,
            left: ResourceVersion::UNSET,
        }
    }

    pub(super) fn push<H>(&mut self, delta: &Delta<H>) {
        let version = match delta {
            Delta::Added(entry) | Delta::Updated(entry) => &entry.resource_version,
            Delta::Deleted(removed) => &removed.resource_version,
            Delta::Undecodable(object) => &object.resource_version,
            Delta::ReplacedAll(list) => &list.resource_version,
            Delta::Bookmark(version) => version,
            // Part of a list, which says its version at the end; or about handlers only.
            Delta::Replaced(
                Listed::Changed(_)
                | Listed::Unchanged(_)
                | Listed::Restored(_)
                | Listed::Undecodable(_),
            )
            | Delta::Sync(_) => return,
        };
        if !version.is_unset() {
            self.said = version.clone();
        }
    }

    /// The version that the store has reached with `batch`; `is_all` if nothing that has one waits.
    pub(super) fn pop<H>(&mut self, batch: &[Delta<H>], is_all: bool) -> Option<ResourceVersion> {
        if is_all {
            self.left = self.said.clone();
        } else if let Some(Delta::Bookmark(version)) = batch.last() {
            // It kept its place, behind all that came before it.
            self.left = version.clone();
        }
        (!self.left.is_unset()).then(|| self.left.clone())
    }
}
