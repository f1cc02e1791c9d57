//! [`Delta`]: what happened, in the order in which it happened.

use crate::event::HandlerId;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::storage::{Entry, Undecodable};

/// One thing that happened to a store.
#[derive(Debug, Clone)]
pub enum Delta<H> {
    /// The watch said ADDED.
    Added(Entry<H>),
    /// The watch said MODIFIED.
    Updated(Entry<H>),
    /// The watch said DELETED, or a per-key relist did not find the object.
    Deleted(Removed<H>),
    /// A version that could not be taken in; the object keeps its last good one.
    Undecodable(Undecodable),
    /// One object of a list, in [`Order::PerKey`].
    Replaced(Listed<H>),
    /// A whole list, in [`Order::Global`]: the store shall hold this and nothing else.
    ReplacedAll(Replacement<H>),
    /// These handlers' resync periods are over.
    Sync(Vec<HandlerId>),
    /// Every change up to this version was seen.
    Bookmark(ResourceVersion),
}

/// An object that is gone.
#[derive(Debug, Clone)]
pub struct Removed<H> {
    /// Namespace and name.
    pub key: ObjectKey,
    /// The uid of the object that is gone, if known; else whatever has the key is gone.
    pub uid: Option<Uid>,
    /// The version of the deletion; unset where it was not seen happen.
    pub resource_version: ResourceVersion,
    /// The final state; `None` if the store's is the last one known.
    pub object: Option<H>,
    /// Nobody saw the deletion: a list did not hold the object.
    pub final_state_unknown: bool,
}

/// The result of a list.
#[derive(Debug, Clone)]
pub struct Replacement<H> {
    /// The objects, in the order in which the server sent them.
    pub items: Vec<Listed<H>>,
    /// The version that the list is of.
    pub resource_version: ResourceVersion,
}

/// One object of a list.
#[derive(Debug, Clone)]
pub enum Listed<H> {
    /// A version that the store did not hold when it arrived.
    Changed(Entry<H>),
    /// The version that the store held when it arrived; nothing was decoded.
    Unchanged(Entry<H>),
    /// A version of a server that went back, as after a restore from a backup. Its resourceVersion
    /// may have been given before, to another content, so it counts as changed.
    Restored(Entry<H>),
    /// A version that could not be taken in: listed, so not deleted.
    Undecodable(Undecodable),
}

/// In which order deltas leave the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Order {
    /// In the order in which the server sent them; nothing is merged or dropped. client-go's
    /// `RealFIFO`.
    #[default]
    Global,
    /// All that waits for a key leaves together, at the place of the first. client-go's
    /// `DeltaFIFO`.
    PerKey,
}

/// Leading deltas of the queue, to be written to the store in one transaction.
#[derive(Debug)]
pub struct Batch<H> {
    /// The deltas, at least one. [`Delta::ReplacedAll`], [`Delta::Sync`] and [`Delta::Bookmark`]
    /// stand alone; others have distinct keys, unless they left [`Order::PerKey`] together.
    pub deltas: Vec<Delta<H>>,
    /// They belong to the first list.
    pub is_initial: bool,
    /// With them, the whole first list was handed out.
    pub completes_initial: bool,
    /// What the store reflects with them if it is not the version of the last: deltas that left
    /// [`Order::PerKey`] may have overtaken others.
    pub resource_version: Option<ResourceVersion>,
}

/// What is in the store, for [`Order::PerKey`], which decides on it when deltas come in.
///
/// An object none of whose versions decoded is known, too. client-go's counterpart is
/// `KeyListerGetter`.
pub trait KnownObjects: Send + Sync {
    /// Whether the store knows of this object.
    fn is_known(&self, key: &ObjectKey) -> bool;
    /// The keys of all objects that the store knows of, each once or more.
    fn known_keys(&self) -> Vec<ObjectKey>;
}

// === impl Delta ===

impl<H> Delta<H> {
    /// The key that it is about; `None` for what is about the whole store.
    #[must_use]
    pub fn key(&self) -> Option<&ObjectKey> {
        match self {
            Self::Added(entry) | Self::Updated(entry) => Some(&entry.key),
            Self::Deleted(removed) => Some(&removed.key),
            Self::Undecodable(undecodable) => Some(&undecodable.key),
            Self::Replaced(listed) => Some(listed.key()),
            Self::ReplacedAll(_) | Self::Sync(_) | Self::Bookmark(_) => None,
        }
    }

    /// Whether a list brought it, as opposed to a watch.
    #[must_use]
    pub fn is_of_a_list(&self) -> bool {
        match self {
            Self::Replaced(_) | Self::ReplacedAll(_) => true,
            Self::Deleted(removed) => removed.final_state_unknown,
            Self::Added(_)
            | Self::Updated(_)
            | Self::Undecodable(_)
            | Self::Sync(_)
            | Self::Bookmark(_) => false,
        }
    }
}

// === impl Listed ===

impl<H> Listed<H> {
    /// The object's key.
    #[must_use]
    pub fn key(&self) -> &ObjectKey {
        match self {
            Self::Changed(entry) | Self::Unchanged(entry) | Self::Restored(entry) => &entry.key,
            Self::Undecodable(undecodable) => &undecodable.key,
        }
    }
}
