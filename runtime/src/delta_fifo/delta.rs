//! [`Delta`]: a change of the store, in the order of arrival.

use std::sync::Arc;

use tokio::sync::oneshot;

use crate::coverage::Coverage;
use crate::event::HandlerId;
use crate::indexer::{Indexed, State};
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::storage::{Entry, Undecodable};

/// Change of the store.
#[derive(Debug, Clone)]
pub enum Delta {
    /// The watch sent ADDED.
    Added(Indexed),
    /// The watch sent MODIFIED.
    Updated(Indexed),
    /// The watch sent DELETED, or a version that the filter leaves out, or a per-key relist did not
    /// contain the object.
    Deleted(Removed),
    /// A version that did not decode or was rejected. The store keeps the object's last decodable
    /// version.
    Undecodable(Undecodable),
    /// Object of a list, in [`Order::PerKey`](super::Order::PerKey).
    Replaced(Listed),
    /// Complete list, in [`Order::Global`](super::Order::Global). The store replaces its content, or
    /// that of the list's namespace, by the list.
    ReplacedAll(Replacement),
    /// The resync periods of these handlers have elapsed.
    Sync(Vec<HandlerId>),
    /// Every change up to a version has been received.
    Bookmark {
        /// Namespace that the version is about; `None` for all that is cached.
        namespace: Option<Arc<str>>,
        /// The version.
        resource_version: ResourceVersion,
        /// `true` at the end of a list, in [`Order::PerKey`](super::Order::PerKey).
        ends_list: bool,
    },
}

/// Deletion of an object, or its exit from the filter of the informer.
#[derive(Debug, Clone)]
pub struct Removed {
    /// Namespace and name.
    pub key: ObjectKey,
    /// `metadata.uid` of the deleted object. `None` if unknown: the deletion then applies to any
    /// object with the key.
    pub uid: Option<Uid>,
    /// Version of the deletion; unset if the deletion was not observed.
    pub resource_version: ResourceVersion,
    /// Final state; `None` if the store has the last known state.
    pub object: Option<Arc<Entry>>,
    /// `true` if the deletion was not observed: a list did not contain the object.
    pub final_state_unknown: bool,
    /// `true` if the object exists in this version, which the filter leaves out.
    pub is_filtered: bool,
}

/// Result of a list.
#[derive(Debug, Clone)]
pub struct Replacement {
    /// Namespace that was listed; `None` for all that is cached.
    pub namespace: Option<Arc<str>>,
    /// Objects, in the order in which the server sent them.
    pub items: Vec<Listed>,
    /// Version of the list.
    pub resource_version: ResourceVersion,
    /// Part of the objects that was listed; `None` for all of the namespace.
    #[doc(hidden)]
    pub part: Option<Part>,
}

/// Part of the objects that an informer caches from now on, or no longer.
#[derive(Debug, Clone)]
#[doc(hidden)]
pub struct Part {
    /// Objects of the part.
    pub coverage: Coverage,
    /// Dropped when the store has all changes.
    pub signal: Arc<oneshot::Sender<()>>,
}

/// Object of a list.
#[derive(Debug, Clone)]
pub enum Listed {
    /// A version that the store did not hold on arrival.
    Changed(Indexed),
    /// The version that the store held on arrival. Nothing was decoded.
    Unchanged(Indexed),
    /// A version of a server that went back, for example after a restore from a backup. The same
    /// resourceVersion may have named other content before, so the object counts as changed.
    Restored(Indexed),
    /// A version that did not decode or was rejected. The object is in the list, so it is not
    /// deleted. Rare and large, so that a place in a list is small without it.
    Undecodable(Box<Undecodable>),
    /// A version that the filter leaves out, of an object that the store held on arrival.
    Filtered(Arc<Entry>),
}

/// Leading deltas of the queue, which are written to the store in one transaction.
#[derive(Debug, Default)]
pub struct Batch {
    /// The deltas, at least one. [`Delta::ReplacedAll`], [`Delta::Sync`] and [`Delta::Bookmark`]
    /// are alone in their batch. Other deltas have distinct keys. In
    /// [`Order::PerKey`](super::Order::PerKey), however, all deltas of a key leave together, and
    /// the bookmark that ends a list can follow them.
    pub deltas: Vec<Delta>,
    /// Versions that the store reflects after the batch, each with the namespace that it is about,
    /// if they are not those of the deltas: a delta may have overtaken others.
    pub reached: Vec<(Option<Arc<str>>, ResourceVersion)>,
}

// === impl Batch ===

impl Batch {
    /// Computes the values of indices that are missing, without the lock of the store.
    pub(crate) fn compute(&mut self, state: &State) {
        if !state.has_indices() {
            return;
        }
        for delta in &mut self.deltas {
            delta.compute(state);
        }
    }
}

// === impl Delta ===

impl Delta {
    /// Returns the key of the delta; `None` if the delta concerns the whole store.
    #[must_use]
    pub fn key(&self) -> Option<&ObjectKey> {
        match self {
            Self::Added(entry) | Self::Updated(entry) => Some(&entry.key),
            Self::Deleted(removed) => Some(&removed.key),
            Self::Undecodable(undecodable) => Some(&undecodable.key),
            Self::Replaced(listed) => Some(listed.key()),
            Self::ReplacedAll(_) | Self::Sync(_) | Self::Bookmark { .. } => None,
        }
    }

    /// Returns the size of the objects that the delta holds in addition to the store, in bytes.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Added(entry) | Self::Updated(entry) => entry.footprint.bytes(),
            Self::Deleted(removed) => removed
                .object
                .as_ref()
                .map_or(0, |last| last.footprint.bytes()),
            Self::Replaced(listed) => listed.bytes(),
            Self::ReplacedAll(list) => list.items.iter().map(Listed::bytes).sum(),
            Self::Undecodable(_) | Self::Sync(_) | Self::Bookmark { .. } => 0,
        }
    }

    /// Returns `true` if the delta comes from a list, and `false` if it comes from a watch.
    #[must_use]
    pub fn is_of_a_list(&self) -> bool {
        if let Self::Deleted(removed) = self {
            return removed.final_state_unknown;
        }
        matches!(self, Self::Replaced(_) | Self::ReplacedAll(_))
    }

    /// Computes the values of indices that are missing, for the objects that `state` does not hold.
    fn compute(&mut self, state: &State) {
        match self {
            Self::Added(indexed) | Self::Updated(indexed) => indexed.compute(state),
            Self::Replaced(listed) => listed.compute(state),
            Self::ReplacedAll(list) => {
                for listed in &mut list.items {
                    listed.compute(state);
                }
            }
            Self::Deleted(_) | Self::Undecodable(_) | Self::Sync(_) | Self::Bookmark { .. } => {}
        }
    }

    /// Returns `true` if both are bookmarks of the same namespace.
    pub(super) fn is_bookmark_before(&self, later: &Self) -> bool {
        match (self, later) {
            (
                Self::Bookmark { namespace, .. },
                Self::Bookmark {
                    namespace: later, ..
                },
            ) => namespace == later,
            _ => false,
        }
    }

    /// Returns the part of the objects that the delta replaces, if it is not a whole list.
    pub(crate) fn part(&self) -> Option<&Part> {
        let Self::ReplacedAll(list) = self else {
            return None;
        };
        list.part.as_ref()
    }
}

// === impl Removed ===

impl Removed {
    /// Returns the exit of an object from the filter, which leaves out this version.
    pub(crate) fn filtered(left_out: Arc<Entry>) -> Self {
        Self {
            key: left_out.key.clone(),
            uid: left_out.uid.clone(),
            resource_version: left_out.resource_version.clone(),
            object: Some(left_out),
            final_state_unknown: false,
            is_filtered: true,
        }
    }
}

// === impl Replacement ===

impl Replacement {
    /// Returns `true` if the list decides about this key.
    #[must_use]
    pub fn covers(&self, key: &ObjectKey, uid: Option<&Uid>) -> bool {
        let namespace = self.namespace.as_deref();
        namespace.is_none_or(|namespace| key.namespace() == Some(namespace))
            && self.part.iter().all(|part| part.coverage.covers(key, uid))
    }
}

// === impl Listed ===

impl Listed {
    fn compute(&mut self, state: &State) {
        match self {
            Self::Changed(indexed) | Self::Restored(indexed) => indexed.compute(state),
            Self::Unchanged(indexed) => {
                let stored = state.get(&indexed.key);
                if !stored.is_some_and(|stored| stored.is_same_version(indexed)) {
                    indexed.compute(state);
                }
            }
            Self::Filtered(_) | Self::Undecodable(_) => {}
        }
    }

    /// Returns the key of the object.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Changed(indexed) | Self::Unchanged(indexed) | Self::Restored(indexed) => {
                &indexed.key
            }
            Self::Filtered(entry) => &entry.key,
            Self::Undecodable(undecodable) => &undecodable.key,
        }
    }

    /// Returns the size of the object, in bytes; 0 if the store holds it already.
    pub(crate) fn bytes(&self) -> usize {
        match self {
            Self::Changed(indexed) | Self::Restored(indexed) => indexed.footprint.bytes(),
            Self::Filtered(entry) => entry.footprint.bytes(),
            Self::Unchanged(_) | Self::Undecodable(_) => 0,
        }
    }
}
