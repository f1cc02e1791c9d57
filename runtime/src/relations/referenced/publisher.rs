//! [`Publisher`]: turns the states of the owners into deltas of the cache. Pure.

use std::collections::BTreeMap;

use super::plan::WatchId;
use crate::delta_fifo::{Delta, Listed, Removed, Replacement};
use crate::event::Deleted;
use crate::object::{ObjectKey, ResourceVersion};
use crate::storage::AnyEntry;

/// States that the cache shows.
pub(super) struct Publisher {
    shown: BTreeMap<ObjectKey, Shown>,
}

/// State of one object, with the watch that it comes from.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) owner: WatchId,
    pub(super) entry: AnyEntry,
}

// === impl Publisher ===

impl Publisher {
    pub(super) fn new() -> Self {
        Self {
            shown: BTreeMap::new(),
        }
    }

    /// Shows the owner's state of an object; `None` if the object does not exist or is not
    /// followed. `last` is the deletion that the owner has observed. Returns the delta of the
    /// cache, if there is one.
    pub(super) fn show(
        &mut self,
        key: &ObjectKey,
        state: Option<Shown>,
        last: Option<Deleted<AnyEntry>>,
    ) -> Option<Delta> {
        let previous = self.shown.remove(key);
        let Some(state) = state else {
            return previous.map(|previous| deletion(&previous.entry, last));
        };
        let entry = state.entry.clone();
        let delta = match previous {
            None => Some(Delta::Added(entry)),
            Some(previous) if !previous.entry.is_same_version(&entry) => {
                Some(Delta::Updated(entry))
            }
            // Another watch has decoded the same version.
            Some(previous) if previous.owner != state.owner => None,
            Some(previous) if previous.entry == entry => None,
            // After a restore from a backup, a version may have other content than before.
            Some(_) => Some(Delta::Replaced(Listed::Restored(entry))),
        };
        self.shown.insert(key.clone(), state);
        delta
    }

    /// Returns all shown states as a list, which completes the first sync.
    pub(super) fn list(&self) -> Delta {
        let entries = self.shown.values().map(|shown| shown.entry.clone());
        Delta::ReplacedAll(Replacement {
            items: entries.map(Listed::Unchanged).collect(),
            resource_version: ResourceVersion::UNSET,
        })
    }
}

/// Returns the deletion of a shown object, with its final state if that was observed. An object of
/// the same key that was created later, and was deleted unseen, is not that final state.
fn deletion(shown: &AnyEntry, last: Option<Deleted<AnyEntry>>) -> Delta {
    let last = last.filter(|last| !last.object.is_recreation_of(shown));
    let final_state_unknown = last.as_ref().is_none_or(|last| last.final_state_unknown);
    Delta::Deleted(Removed {
        key: shown.key().clone(),
        uid: shown.uid().cloned(),
        resource_version: ResourceVersion::UNSET,
        object: last.map(|last| last.object),
        final_state_unknown,
    })
}
