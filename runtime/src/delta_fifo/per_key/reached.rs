//! The version that the store has reached when deltas overtake each other. Pure.
//!
//! With [`Order::PerKey`](crate::delta_fifo::Order::PerKey) all deltas of a key leave at the place of the first
//! one, so the version of a popped delta says nothing about the deltas that still wait. A version
//! is reached when all deltas up to it were popped.

use crate::delta_fifo::{Delta, Listed};
use crate::object::ResourceVersion;

/// Versions of one queue.
#[derive(Debug)]
pub(super) struct Reached {
    /// Version that was pushed last.
    pushed: ResourceVersion,
    /// Last version up to which everything was popped.
    popped: ResourceVersion,
}

// === impl Reached ===

impl Reached {
    pub(super) fn new() -> Self {
        Self {
            pushed: ResourceVersion::UNSET,
            popped: ResourceVersion::UNSET,
        }
    }

    pub(super) fn push(&mut self, delta: &Delta) {
        let version = match delta {
            Delta::Added(entry) | Delta::Updated(entry) => &entry.resource_version,
            Delta::Deleted(removed) => &removed.resource_version,
            Delta::Undecodable(object) => &object.resource_version,
            Delta::ReplacedAll(list) => &list.resource_version,
            Delta::Bookmark(version) => version,
            // Either part of a list, which pushes its version at the end, or for handlers only.
            Delta::Replaced(
                Listed::Changed(_)
                | Listed::Unchanged(_)
                | Listed::Restored(_)
                | Listed::Undecodable(_),
            )
            | Delta::Sync(_) => return,
        };
        if !version.is_unset() {
            self.pushed = version.clone();
        }
    }

    /// Returns the version that the store reaches with `batch`. `is_drained` is `true` if no delta
    /// with a version waits.
    pub(super) fn pop(&mut self, batch: &[Delta], is_drained: bool) -> Option<ResourceVersion> {
        if is_drained {
            self.popped = self.pushed.clone();
        } else if let Some(Delta::Bookmark(version)) = batch.last() {
            // A bookmark keeps its place, after all deltas that were pushed before it.
            self.popped = version.clone();
        }
        (!self.popped.is_unset()).then(|| self.popped.clone())
    }
}
