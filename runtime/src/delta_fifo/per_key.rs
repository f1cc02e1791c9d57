//! [`Order::PerKey`](super::Order::PerKey): what waits for a key leaves together. Pure.
//!
//! # Invariants
//!
//! 1. `line` holds each key of `pending` exactly once.
//! 2. No list of `pending` is empty, and none has two deletions in a row.
//! 3. `leaving` holds the keys of the last batch until the next is asked for: they count as known,
//!    because the controller may not have stored them yet.

use std::collections::{HashMap, HashSet, VecDeque};

use super::delta::{Batch, Delta, KnownObjects, Removed, Replacement};
use super::reached::Reached;
use crate::{ObjectKey, ResourceVersion};

/// Deltas grouped by key, in the order of each key's first.
#[derive(Debug)]
pub(super) struct PerKeyQueue<H> {
    pending: HashMap<ObjectKey, Vec<Delta<H>>>,
    line: VecDeque<Place<H>>,
    leaving: HashSet<ObjectKey>,
    deltas: usize,
    population: Population,
    reached: Reached,
}

#[derive(Debug)]
enum Place<H> {
    Key(ObjectKey),
    /// What is about the whole store.
    Whole(Delta<H>),
    /// The end of a list: the store has reached this version.
    EndOfList(ResourceVersion),
}

/// How far the first list got.
#[derive(Debug, PartialEq, Eq)]
enum Population {
    Awaited,
    Leaving,
    Complete,
}

// === impl PerKeyQueue ===

impl<H: Clone> PerKeyQueue<H> {
    pub(super) fn new() -> Self {
        Self {
            pending: HashMap::new(),
            line: VecDeque::new(),
            leaving: HashSet::new(),
            deltas: 0,
            population: Population::Awaited,
            reached: Reached::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.deltas
    }

    pub(super) fn push(&mut self, delta: Delta<H>, known: &dyn KnownObjects) {
        self.reached.push(&delta);
        match delta {
            Delta::ReplacedAll(replacement) => self.replace(replacement, known),
            Delta::Sync(_) | Delta::Bookmark(_) => {
                self.deltas += 1;
                self.line.push_back(Place::Whole(delta));
            }
            Delta::Deleted(ref removed) if !self.exists(&removed.key, known) => {}
            Delta::Added(_)
            | Delta::Updated(_)
            | Delta::Deleted(_)
            | Delta::Undecodable(_)
            | Delta::Replaced(_) => self.enqueue(delta),
        }
    }

    /// Takes what waits for up to `max` keys. Ends where the first list ends.
    pub(super) fn pop(&mut self, max: usize) -> Option<Batch<H>> {
        self.leaving.clear();
        let is_initial = self.population == Population::Leaving;
        let mut batch = Batch {
            deltas: Vec::new(),
            is_initial,
            completes_initial: false,
            resource_version: None,
        };
        for taken in 0..max {
            match self.line.front() {
                Some(Place::Key(_)) => {}
                Some(Place::Whole(_) | Place::EndOfList(_)) if taken == 0 => {}
                Some(Place::EndOfList(_)) if is_initial => {}
                _ => break,
            }
            match self.line.pop_front() {
                Some(Place::Key(key)) => {
                    let deltas = self.pending.remove(&key).unwrap_or_default();
                    self.deltas -= deltas.len();
                    batch.deltas.extend(deltas);
                    self.leaving.insert(key);
                }
                Some(Place::Whole(delta)) => {
                    self.deltas -= 1;
                    batch.deltas.push(delta);
                    break;
                }
                Some(Place::EndOfList(resource_version)) => {
                    self.deltas -= 1;
                    batch.completes_initial = is_initial;
                    if is_initial {
                        self.population = Population::Complete;
                    }
                    batch.deltas.push(Delta::Bookmark(resource_version));
                    break;
                }
                None => break,
            }
        }
        let has_version = |place: &Place<H>| !matches!(place, Place::Whole(Delta::Sync(_)));
        let is_all = !self.line.iter().any(has_version);
        batch.resource_version = self.reached.pop(&batch.deltas, is_all);
        (!batch.deltas.is_empty()).then_some(batch)
    }

    /// Queued with something else than a deletion last, leaving, or stored.
    fn exists(&self, key: &ObjectKey, known: &dyn KnownObjects) -> bool {
        self.pending.contains_key(key) || self.leaving.contains(key) || known.is_known(key)
    }

    fn enqueue(&mut self, delta: Delta<H>) {
        let Some(key) = delta.key().cloned() else {
            return;
        };
        let waiting = self.pending.entry(key.clone()).or_default();
        if waiting.is_empty() {
            self.line.push_back(Place::Key(key));
        }
        let before = waiting.len();
        match (waiting.last_mut(), delta) {
            (Some(Delta::Deleted(older)), Delta::Deleted(newer)) => {
                if older.final_state_unknown && !newer.final_state_unknown {
                    *older = newer;
                }
            }
            (_, delta) => waiting.push(delta),
        }
        self.deltas += waiting.len() - before;
    }

    /// Items first, then deletions of what is queued, leaving or stored but not listed.
    fn replace(&mut self, replacement: Replacement<H>, known: &dyn KnownObjects) {
        let listed: HashSet<ObjectKey> = replacement
            .items
            .iter()
            .map(|item| item.key().clone())
            .collect();
        for item in replacement.items {
            self.enqueue(Delta::Replaced(item));
        }
        let mut missing: Vec<ObjectKey> = known
            .known_keys()
            .into_iter()
            .chain(self.pending.keys().cloned())
            .chain(self.leaving.iter().cloned())
            .filter(|key| !listed.contains(key))
            .collect();
        missing.sort_unstable();
        missing.dedup();
        for key in missing {
            self.enqueue(Delta::Deleted(tombstone(key)));
        }
        self.deltas += 1;
        self.line
            .push_back(Place::EndOfList(replacement.resource_version));
        if self.population == Population::Awaited {
            self.population = Population::Leaving;
        }
    }
}

/// The deletion of an object that a list misses.
///
/// Says nothing of its state or uid: when it is processed, the store holds the newest of what was
/// queued before it, which the store does not hold yet.
fn tombstone<H>(key: ObjectKey) -> Removed<H> {
    Removed {
        key,
        uid: None,
        resource_version: ResourceVersion::UNSET,
        object: None,
        final_state_unknown: true,
    }
}
