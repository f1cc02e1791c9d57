//! Items that wait for their time.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! `by_time` and `due` hold the same items; so a duplicate costs nothing, not even for a while.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;

use tokio::time::Instant;

/// When an item is due. The number keeps items of one time in the order in which they came.
type Slot = (Instant, u64);

/// Items by the time at which they are due, each once.
#[derive(Debug)]
pub(super) struct Delayed<T> {
    by_time: BTreeMap<Slot, T>,
    due: HashMap<T, Due>,
    next_number: u64,
}

/// When and how an item is due.
#[derive(Debug)]
struct Due {
    slot: Slot,
    /// The highest of all adds.
    priority: i32,
}

/// An item whose time has come.
#[derive(Debug)]
pub(super) struct Ready<T> {
    pub(super) item: T,
    pub(super) priority: i32,
    /// Since when.
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
    /// Adds `item`, or brings it forward if it is due later than `at`; of two priorities the
    /// higher one counts.
    ///
    /// Says whether it is the next one now, that is, whether [`next_due`](Self::next_due) changed.
    pub(super) fn insert(&mut self, item: T, at: Instant, priority: i32) -> bool {
        let before = self.next_due();
        let slot = (at, self.next_number);
        self.next_number += 1;
        match self.due.entry(item) {
            Entry::Occupied(mut known) => {
                let due = known.get_mut();
                due.priority = due.priority.max(priority);
                if due.slot.0 <= at {
                    return false;
                }
                let later = std::mem::replace(&mut due.slot, slot);
                self.by_time.remove(&later);
                self.by_time.insert(slot, known.key().clone());
            }
            Entry::Vacant(new) => {
                self.by_time.insert(slot, new.key().clone());
                new.insert(Due { slot, priority });
            }
        }
        before.is_none_or(|before| at < before)
    }

    /// Takes `item` out, and gives its priority.
    pub(super) fn remove(&mut self, item: &T) -> Option<i32> {
        let due = self.due.remove(item)?;
        self.by_time.remove(&due.slot);
        Some(due.priority)
    }

    /// Removes the first item that is due at `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<Ready<T>> {
        let first = self.by_time.first_entry()?;
        let (at, _) = *first.key();
        if at > now {
            return None;
        }
        let item = first.remove();
        let priority = self.due.remove(&item).map_or(0, |due| due.priority);
        Some(Ready { item, priority, at })
    }

    /// When the first item is due.
    pub(super) fn next_due(&self) -> Option<Instant> {
        self.by_time.keys().next().map(|(at, _)| *at)
    }

    /// How many items wait for their time.
    pub(super) fn len(&self) -> usize {
        self.due.len()
    }
}
