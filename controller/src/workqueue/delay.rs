//! Delayed items.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! `by_time` and `due` hold the same items, so a duplicate add needs no memory.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

use super::reason::ReconcileReason;

/// Due time of an item. The number keeps items with the same due time in insertion order.
type Slot = (Instant, u64);

/// Items ordered by due time, without duplicates.
#[derive(Debug)]
pub(super) struct Delayed<T> {
    by_time: BTreeMap<Slot, T>,
    due: HashMap<T, Due>,
    next_number: u64,
}

/// Due time and priority of an item.
#[derive(Debug)]
struct Due {
    slot: Slot,
    /// Highest priority of all adds.
    priority: i32,
    /// Reason of the add with the earliest time.
    reason: ReconcileReason,
}

/// Item whose delay is over.
#[derive(Debug)]
pub(super) struct Ready<T> {
    pub(super) item: T,
    pub(super) priority: i32,
    pub(super) reason: ReconcileReason,
    /// Time at which the item was due.
    pub(super) at: Instant,
}

// === impl Delayed ===

impl<T> Default for Delayed<T> {
    fn default() -> Self {
        Self {
            by_time: BTreeMap::new(),
            due: HashMap::new(),
            next_number: 0,
        }
    }
}

impl<T: Clone + Eq + Hash> Delayed<T> {
    /// Adds `item`. If the item is delayed already, the earlier due time and the higher priority
    /// apply.
    ///
    /// Returns `true` if [`next_due`](Self::next_due) changed.
    pub(super) fn insert(
        &mut self,
        item: T,
        at: Instant,
        priority: i32,
        reason: ReconcileReason,
    ) -> bool {
        let previous = self.next_due();
        let slot = (at, self.next_number);
        self.next_number += 1;
        match self.due.entry(item) {
            Entry::Occupied(mut known) => {
                let due = known.get_mut();
                due.priority = due.priority.max(priority);
                if due.slot.0 <= at {
                    return false;
                }
                due.reason = reason;
                let later = std::mem::replace(&mut due.slot, slot);
                self.by_time.remove(&later);
                self.by_time.insert(slot, known.key().clone());
            }
            Entry::Vacant(new) => {
                self.by_time.insert(slot, new.key().clone());
                new.insert(Due {
                    slot,
                    priority,
                    reason,
                });
            }
        }
        previous.is_none_or(|previous| at < previous)
    }

    /// Removes `item`, and returns its priority.
    pub(super) fn remove(&mut self, item: &T) -> Option<i32> {
        let due = self.due.remove(item)?;
        self.by_time.remove(&due.slot);
        Some(due.priority)
    }

    /// Removes and returns the first item that is due at `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<Ready<T>> {
        let first = self.by_time.first_entry()?;
        let (at, _) = *first.key();
        if at > now {
            return None;
        }
        let item = first.remove();
        let due = self.due.remove(&item)?;
        Some(Ready {
            item,
            priority: due.priority,
            reason: due.reason,
            at,
        })
    }

    /// Returns the time at which the next item is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_time.keys().next().map(|(at, _)| *at)
    }

    /// Returns the number of delayed items.
    pub(super) fn len(&self) -> usize {
        self.due.len()
    }
}
