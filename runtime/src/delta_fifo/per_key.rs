//! [`Order::PerKey`](super::Order::PerKey): all deltas of a key leave together. Pure.
//!
//! # Invariants
//!
//! 1. `line` holds each key of `pending` exactly once, at its place.
//! 2. No list of `pending` is empty, and none has two consecutive deletions.
//! 3. `leaving` holds the keys of the last batch until the next batch is requested. These keys
//!    count as known, because the controller may not have stored them yet.

mod reached;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;

use self::reached::Reached;
use super::delta::{Batch, Delta, Removed, Replacement};
use super::queue::Queue;
use crate::object::{ObjectKey, ResourceVersion};

/// Keys that the store knows. [`Order::PerKey`](super::Order::PerKey) needs them when deltas are
/// pushed.
///
/// An object of which no version ever decoded is known, too. client-go's counterpart is
/// `KeyListerGetter`.
pub trait KnownObjects: Send + Sync {
    /// Returns `true` if the store knows this object.
    fn is_known(&self, key: &ObjectKey) -> bool;
    /// Returns the keys of all objects that the store knows. A key may occur more than once.
    fn known_keys(&self) -> Vec<ObjectKey>;
}

/// Deltas grouped by key, in the order of each key's first delta.
pub(super) struct PerKeyQueue {
    pending: HashMap<ObjectKey, Vec<Delta>>,
    line: VecDeque<Place>,
    leaving: HashSet<ObjectKey>,
    deltas: usize,
    /// Size of the objects of all deltas.
    bytes: usize,
    known: Arc<dyn KnownObjects>,
    reached: Reached,
}

#[derive(Debug)]
enum Place {
    Key(ObjectKey),
    /// Delta that concerns the whole store.
    Whole(Delta),
    /// End of a list, which stays with the deltas before it.
    EndOfList(Delta),
}

// === impl PerKeyQueue ===

impl PerKeyQueue {
    pub(super) fn new(known: Arc<dyn KnownObjects>) -> Self {
        Self {
            pending: HashMap::new(),
            line: VecDeque::new(),
            leaving: HashSet::new(),
            deltas: 0,
            bytes: 0,
            known,
            reached: Reached::default(),
        }
    }
}

impl Queue for PerKeyQueue {
    fn len(&self) -> usize {
        self.deltas
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn push(&mut self, delta: Delta) -> Vec<Delta> {
        let mut discarded = Vec::new();
        self.reached.push(&delta);
        match delta {
            Delta::ReplacedAll(replacement) => self.replace(replacement, &mut discarded),
            Delta::Sync(_) | Delta::Bookmark { .. } => {
                self.deltas += 1;
                self.line.push_back(Place::Whole(delta));
            }
            Delta::Deleted(ref removed) if !self.exists(&removed.key) => {
                self.pass(removed);
                discarded.push(delta);
            }
            Delta::Added(_)
            | Delta::Updated(_)
            | Delta::Deleted(_)
            | Delta::Undecodable(_)
            | Delta::Replaced(_) => self.enqueue(delta, &mut discarded),
        }
        discarded
    }

    /// Removes and returns the deltas of up to `max` keys. A batch ends where a list ends.
    fn pop(&mut self, max: usize) -> Option<Batch> {
        self.leaving.clear();
        let mut deltas = Vec::new();
        for taken in 0..max {
            match self.line.pop_front() {
                Some(Place::Key(key)) => {
                    deltas.extend(self.pending.remove(&key).unwrap_or_default());
                    self.leaving.insert(key);
                }
                Some(whole @ Place::Whole(_)) if taken > 0 => {
                    self.line.push_front(whole);
                    break;
                }
                Some(Place::Whole(delta) | Place::EndOfList(delta)) => {
                    deltas.push(delta);
                    break;
                }
                None => break,
            }
        }
        self.deltas -= deltas.len();
        self.bytes -= size_of_all(&deltas);
        let has_version = |place: &Place| !matches!(place, Place::Whole(Delta::Sync(_)));
        let is_drained = !self.line.iter().any(has_version);
        let reached = self.reached.pop(&deltas, is_drained);
        (!deltas.is_empty()).then_some(Batch { deltas, reached })
    }
}

impl PerKeyQueue {
    /// Returns `true` if the key is queued, leaving or stored.
    fn exists(&self, key: &ObjectKey) -> bool {
        self.pending.contains_key(key) || self.leaving.contains(key) || self.known.is_known(key)
    }

    /// Queues the version of a deletion that changes nothing, so that the store gets there.
    fn pass(&mut self, removed: &Removed) {
        if removed.resource_version.is_unset() {
            return;
        }
        let bookmark = Delta::Bookmark {
            namespace: self.reached.namespace_of(&removed.key),
            resource_version: removed.resource_version.clone(),
            ends_list: false,
        };
        match self.line.back_mut() {
            Some(Place::Whole(last)) if last.is_bookmark_before(&bookmark) => *last = bookmark,
            _ => {
                self.deltas += 1;
                self.line.push_back(Place::Whole(bookmark));
            }
        }
    }

    fn enqueue(&mut self, delta: Delta, discarded: &mut Vec<Delta>) {
        let Some(key) = delta.key().cloned() else {
            return;
        };
        self.deltas += 1;
        self.bytes += delta.bytes();
        let pending = self.pending.entry(key.clone()).or_default();
        if pending.is_empty() {
            self.line.push_back(Place::Key(key));
        }
        pending.push(delta);
        if let Some(repeated) = dedup_deltas(pending) {
            self.deltas -= 1;
            self.bytes -= repeated.bytes();
            discarded.push(repeated);
        }
    }

    /// Queues the items, and then deletions of the keys that are queued, leaving or stored but not
    /// listed.
    fn replace(&mut self, mut replacement: Replacement, discarded: &mut Vec<Delta>) {
        let items = std::mem::take(&mut replacement.items);
        let listed: HashSet<ObjectKey> = items.iter().map(|item| item.key().clone()).collect();
        for item in items {
            self.enqueue(Delta::Replaced(item), discarded);
        }
        let mut missing: Vec<ObjectKey> = self
            .known
            .known_keys()
            .into_iter()
            .chain(self.pending.keys().cloned())
            .chain(self.leaving.iter().cloned())
            .filter(|key| replacement.covers(key, None) && !listed.contains(key))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        for key in missing {
            self.enqueue(Delta::Deleted(tombstone(key)), discarded);
        }
        self.deltas += 1;
        self.line.push_back(Place::EndOfList(Delta::Bookmark {
            namespace: replacement.namespace,
            resource_version: replacement.resource_version,
            ends_list: true,
        }));
    }
}

/// Removes one of two consecutive deletions at the end: the one that knows less.
fn dedup_deltas(pending: &mut Vec<Delta>) -> Option<Delta> {
    let [.., Delta::Deleted(older), Delta::Deleted(newer)] = pending.as_slice() else {
        return None;
    };
    let newer_knows_more = older.is_filtered
        || (older.final_state_unknown && !newer.final_state_unknown && !newer.is_filtered);
    let from_end = if newer_knows_more { 2 } else { 1 };
    Some(pending.remove(pending.len() - from_end))
}

/// Returns the size of the objects of these deltas, in bytes.
fn size_of_all(deltas: &[Delta]) -> usize {
    deltas.iter().map(Delta::bytes).sum()
}

/// Returns the deletion of an object that is missing in a list.
///
/// State and uid are unknown here: by the time the deletion is processed, the store holds the last
/// version that was queued before it.
fn tombstone(key: ObjectKey) -> Removed {
    Removed {
        key,
        uid: None,
        resource_version: ResourceVersion::UNSET,
        object: None,
        final_state_unknown: true,
        is_filtered: false,
    }
}
