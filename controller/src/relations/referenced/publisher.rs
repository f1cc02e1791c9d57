//! [`Publisher`]: turns the states of the owners into deltas of the cache. Pure.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_runtime::delta_fifo::{Delta, Listed, Removed, Replacement};
use informer_runtime::{Deleted, Entry, ObjectKey, ResourceVersion, Undecodable};

use super::plan::WatchId;

/// States that the cache shows.
#[derive(Default)]
pub(super) struct Publisher {
    shown: BTreeMap<ObjectKey, Shown>,
    /// Latest versions that did not decode.
    undecodable: BTreeMap<ObjectKey, Undecodable>,
}

/// State of one object, with the watch that it comes from.
#[derive(Debug)]
pub(super) struct Shown {
    pub(super) owner: WatchId,
    pub(super) entry: Arc<Entry>,
}

/// State of an object in its owner: the last version that did decode, and the latest version if
/// that did not.
#[derive(Debug, Default)]
pub(super) struct Owned {
    pub(super) good: Option<Shown>,
    pub(super) undecodable: Option<Undecodable>,
}

// === impl Publisher ===

impl Publisher {
    /// Shows the owner's state of an object. `last` is the deletion that the owner has observed.
    /// Returns the deltas of the cache.
    pub(super) fn show(
        &mut self,
        key: &ObjectKey,
        state: Owned,
        last: Option<Deleted<Entry>>,
    ) -> impl Iterator<Item = Delta> + use<> {
        let previous = self.shown.remove(key);
        let marked = self.undecodable.remove(key);
        let object = match (previous, state.good) {
            (None, None) => None,
            // A watch that has not seen the last good version takes over.
            (Some(previous), None) if state.undecodable.is_some() => {
                self.shown.insert(key.clone(), previous);
                None
            }
            (Some(previous), None) => Some(deletion(&previous.entry, last)),
            (previous, Some(good)) => {
                let delta = change(previous, &good);
                self.shown.insert(key.clone(), good);
                delta
            }
        };
        let has_changed = object.is_some();
        let mark = match state.undecodable {
            Some(current) => self.mark(key, marked, current, has_changed),
            None if marked.is_some() && !has_changed => Some(self.unmark(key)),
            None => None,
        };
        object.into_iter().chain(mark)
    }

    /// Returns the delta that marks an object, unless the object has the mark.
    fn mark(
        &mut self,
        key: &ObjectKey,
        previous: Option<Undecodable>,
        current: Undecodable,
        has_changed: bool,
    ) -> Option<Delta> {
        self.undecodable.insert(key.clone(), current.clone());
        // A change of the object removes the mark.
        if let Some(previous) = previous
            && previous.resource_version == current.resource_version
            && !has_changed
        {
            return None;
        }
        Some(Delta::Undecodable(current))
    }

    /// Returns the delta that removes the mark of an object that has not changed.
    fn unmark(&self, key: &ObjectKey) -> Delta {
        match self.shown.get(key) {
            Some(shown) => Delta::Replaced(Listed::Restored(shown.entry.clone().into())),
            None => Delta::Deleted(Removed {
                key: key.clone(),
                uid: None,
                resource_version: ResourceVersion::UNSET,
                object: None,
                final_state_unknown: true,
                is_filtered: false,
            }),
        }
    }

    /// Returns the objects whose latest version did not decode.
    pub(super) fn undecodable(&self) -> impl Iterator<Item = &ObjectKey> {
        self.undecodable.keys()
    }

    /// Returns all shown states as a list, which completes the first sync. Of an object whose latest
    /// version did not decode, it contains this version only: the earlier one is not news.
    pub(super) fn list(&self) -> Delta {
        let undecodable = self.undecodable.values().cloned();
        let items = self
            .shown
            .iter()
            .filter(|(key, _)| !self.undecodable.contains_key(*key))
            .map(|(_, shown)| Listed::Unchanged(Arc::clone(&shown.entry).into()))
            .chain(undecodable.map(Box::new).map(Listed::Undecodable))
            .collect();
        Delta::ReplacedAll(Replacement {
            namespace: None,
            items,
            resource_version: ResourceVersion::UNSET,
            part: None,
        })
    }
}

/// Returns the difference between the shown state of an object and the owner's.
fn change(previous: Option<Shown>, current: &Shown) -> Option<Delta> {
    let entry = current.entry.clone();
    let Some(previous) = previous else {
        return Some(Delta::Added(entry.into()));
    };
    if !previous.entry.is_same_version(&entry) {
        return Some(Delta::Updated(entry.into()));
    }
    if previous.owner != current.owner {
        // Another watch has decoded the same version.
        return None;
    }
    if previous.entry == entry {
        return None;
    }
    // After a restore from a backup, a version may have other content than before.
    Some(Delta::Replaced(Listed::Restored(entry.into())))
}

/// Returns the deletion of a shown object, with its final state if that was observed. An object of
/// the same key that was created later, and was deleted unseen, is not that final state.
fn deletion(shown: &Entry, last: Option<Deleted<Entry>>) -> Delta {
    let same = last.filter(|last| !last.object.is_recreation_of(shown));
    let final_state_unknown = same.as_ref().is_none_or(|last| last.final_state_unknown);
    Delta::Deleted(Removed {
        key: shown.key.clone(),
        uid: shown.uid.clone(),
        resource_version: ResourceVersion::UNSET,
        object: same.map(|last| last.object),
        final_state_unknown,
        is_filtered: false,
    })
}
