//! [`Publisher`]: turns the states of the owners into deltas of the cache. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::plan::WatchId;
use crate::delta_fifo::{Delta, Listed, Removed, Replacement};
use crate::event::Deleted;
use crate::object::{Footprint, Object, ObjectKey, ResourceVersion};
use crate::storage::Entry;

/// States that the cache shows.
pub(super) struct Publisher<T> {
    shown: BTreeMap<ObjectKey, Shown<T>>,
}

/// State of one object, with the watch that it comes from.
#[derive(Debug)]
pub(super) struct Shown<T> {
    pub(super) owner: WatchId,
    pub(super) entry: Entry<Arc<T>>,
}

// === impl Publisher ===

impl<T: Object> Publisher<T> {
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
        state: Option<Shown<T>>,
        last: Option<Deleted<Arc<T>>>,
    ) -> Option<Delta<Arc<T>>> {
        let previous = self.shown.remove(key);
        let Some(state) = state else {
            return previous.map(|previous| deletion(previous.entry, last));
        };
        let entry = state.entry.clone();
        let delta = match previous {
            None => Some(Delta::Added(entry)),
            Some(previous) if !previous.entry.is_same_version(&entry) => {
                Some(Delta::Updated(entry))
            }
            // Another watch has decoded the same version.
            Some(previous) if previous.owner != state.owner => None,
            Some(previous) if Arc::ptr_eq(&previous.entry.handle, &entry.handle) => None,
            // After a restore from a backup, a version may have other content than before.
            Some(_) => Some(Delta::Replaced(Listed::Restored(entry))),
        };
        self.shown.insert(key.clone(), state);
        delta
    }

    /// Returns all shown states as a list, which completes the first sync.
    pub(super) fn list(&self) -> Delta<Arc<T>> {
        let entries = self.shown.values().map(|shown| shown.entry.clone());
        Delta::ReplacedAll(Replacement {
            items: entries.map(Listed::Unchanged).collect(),
            resource_version: ResourceVersion::UNSET,
        })
    }
}

/// Returns the deletion of a shown object, with its final state if that was observed. An object of
/// the same key that was created later, and was deleted unseen, is not that final state.
fn deletion<T: Object>(shown: Entry<Arc<T>>, last: Option<Deleted<Arc<T>>>) -> Delta<Arc<T>> {
    let last = last.filter(|last| !Entry::from(Arc::clone(&last.object)).is_recreation_of(&shown));
    let final_state_unknown = last.as_ref().is_none_or(|last| last.final_state_unknown);
    Delta::Deleted(Removed {
        key: shown.key,
        uid: shown.uid,
        resource_version: ResourceVersion::UNSET,
        footprint: last
            .as_ref()
            .map_or_else(Footprint::default, |last| last.footprint),
        object: last.map(|last| last.object),
        final_state_unknown,
    })
}
