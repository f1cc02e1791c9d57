//! [`Order::PerKey`](super::Order::PerKey): what waits for a key leaves together. Pure.
//!
//! # Invariants
//!
//! 1. `line` holds each key of `pending` exactly once, at its place.
//! 2. No list of `pending` is empty; with the default compression none has two deletions in a row.
//! 3. `leaving` holds the keys of the last batch until the next is asked for: they count as known,
//!    because the controller may not have stored them yet.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::sync::Arc;

use super::compression::{Compression, Refusal, compressed};
use super::delta::{Batch, Delta, KnownObjects, Removed, Replacement};
use super::reached::Reached;
use crate::object::{ObjectKey, ResourceVersion};

/// Deltas grouped by key, in the order of each key's first.
pub(super) struct PerKeyQueue<H> {
    pending: HashMap<ObjectKey, Pending<H>>,
    /// By number, which only grows.
    line: BTreeMap<u64, Place<H>>,
    next_place: u64,
    leaving: HashSet<ObjectKey>,
    deltas: usize,
    population: Population,
    compression: Arc<dyn Compression<H>>,
    reached: Reached,
}

/// What waits for one key.
struct Pending<H> {
    place: u64,
    deltas: Vec<Delta<H>>,
}

/// What compression left over, to be dropped and reported once the lock is released.
pub(super) struct Discarded<H> {
    deltas: Vec<Delta<H>>,
    /// What it wanted and did not get.
    pub(super) refused: Vec<(ObjectKey, Refusal)>,
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
    pub(super) fn new(compression: Arc<dyn Compression<H>>) -> Self {
        Self {
            pending: HashMap::new(),
            line: BTreeMap::new(),
            next_place: 0,
            leaving: HashSet::new(),
            deltas: 0,
            population: Population::Awaited,
            compression,
            reached: Reached::new(),
        }
    }

    pub(super) fn len(&self) -> usize {
        self.deltas
    }

    pub(super) fn push(&mut self, delta: Delta<H>, known: &dyn KnownObjects) -> Discarded<H> {
        let mut discarded = Discarded {
            deltas: Vec::new(),
            refused: Vec::new(),
        };
        self.reached.push(&delta);
        match delta {
            Delta::ReplacedAll(replacement) => self.replace(replacement, known, &mut discarded),
            Delta::Sync(_) | Delta::Bookmark(_) => {
                self.deltas += 1;
                self.line_up(Place::Whole(delta));
            }
            Delta::Deleted(ref removed) if !self.exists(&removed.key, known) => {
                discarded.deltas.push(delta);
            }
            Delta::Added(_)
            | Delta::Updated(_)
            | Delta::Deleted(_)
            | Delta::Undecodable(_)
            | Delta::Replaced(_) => self.enqueue(delta, known, &mut discarded),
        }
        discarded
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
            let Some(first) = self.line.first_entry() else {
                break;
            };
            match first.get() {
                Place::Key(_) => {}
                Place::Whole(_) | Place::EndOfList(_) if taken == 0 => {}
                Place::EndOfList(_) if is_initial => {}
                Place::Whole(_) | Place::EndOfList(_) => break,
            }
            match first.remove() {
                Place::Key(key) => {
                    let pending = self.pending.remove(&key);
                    let deltas = pending.map(|pending| pending.deltas).unwrap_or_default();
                    self.deltas -= deltas.len();
                    batch.deltas.extend(deltas);
                    self.leaving.insert(key);
                }
                Place::Whole(delta) => {
                    self.deltas -= 1;
                    batch.deltas.push(delta);
                    break;
                }
                Place::EndOfList(resource_version) => {
                    self.deltas -= 1;
                    batch.completes_initial = is_initial;
                    if is_initial {
                        self.population = Population::Complete;
                    }
                    batch.deltas.push(Delta::Bookmark(resource_version));
                    break;
                }
            }
        }
        let has_version = |place: &Place<H>| !matches!(place, Place::Whole(Delta::Sync(_)));
        let is_all = !self.line.values().any(has_version);
        batch.resource_version = self.reached.pop(&batch.deltas, is_all);
        (!batch.deltas.is_empty()).then_some(batch)
    }

    /// Queued, leaving, or stored.
    fn exists(&self, key: &ObjectKey, known: &dyn KnownObjects) -> bool {
        self.pending.contains_key(key) || self.leaving.contains(key) || known.is_known(key)
    }

    fn line_up(&mut self, place: Place<H>) -> u64 {
        let number = self.next_place;
        self.next_place += 1;
        self.line.insert(number, place);
        number
    }

    fn enqueue(&mut self, delta: Delta<H>, known: &dyn KnownObjects, discarded: &mut Discarded<H>) {
        let Some(key) = delta.key().cloned() else {
            return;
        };
        self.deltas += 1;
        let mut waiting = match self.pending.entry(key.clone()) {
            Entry::Occupied(waiting) => waiting,
            Entry::Vacant(free) => {
                let place = self.next_place;
                let deltas = vec![delta];
                free.insert(Pending { place, deltas });
                self.line_up(Place::Key(key));
                return;
            }
        };
        let pending = &mut waiting.get_mut().deltas;
        pending.push(delta);
        let is_held = || self.leaving.contains(&key) || known.is_known(&key);
        let (fewer, refusal) = compressed(&*self.compression, pending, is_held);
        if let Some(fewer) = fewer {
            self.deltas = self.deltas - pending.len() + fewer.len();
            discarded.deltas.append(pending);
            if fewer.is_empty() {
                let place = waiting.remove().place;
                self.line.remove(&place);
            } else {
                *pending = fewer;
            }
        }
        discarded
            .refused
            .extend(refusal.map(|refusal| (key, refusal)));
    }

    /// Items first, then deletions of what is queued, leaving or stored but not listed.
    fn replace(
        &mut self,
        replacement: Replacement<H>,
        known: &dyn KnownObjects,
        discarded: &mut Discarded<H>,
    ) {
        let listed: HashSet<ObjectKey> = replacement
            .items
            .iter()
            .map(|item| item.key().clone())
            .collect();
        for item in replacement.items {
            self.enqueue(Delta::Replaced(item), known, discarded);
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
            self.enqueue(Delta::Deleted(tombstone(key)), known, discarded);
        }
        self.deltas += 1;
        self.line_up(Place::EndOfList(replacement.resource_version));
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
