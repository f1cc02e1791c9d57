//! Delayed items.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! `by_time` and `due` hold the same items, so a duplicate add needs no memory.

use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::hash::Hash;

use foldhash::HashMap;
use tokio::time::Instant;

use super::reason::Reasons;

/// Due time of an item. The number keeps items with the same due time in insertion order.
pub(super) type DueTime = (Instant, u64);

/// Items ordered by due time, without duplicates.
#[derive(Debug)]
pub(super) struct Delayed<T> {
    by_time: BTreeMap<DueTime, T>,
    due: HashMap<T, Due>,
    next_number: u64,
}

/// Due time, priority and reasons of an item.
#[derive(Debug)]
pub(super) struct Due {
    pub(super) slot: DueTime,
    /// Highest priority of all adds.
    pub(super) priority: i32,
    /// Reasons of the add with the earliest time, and if all are kept, those of the others.
    pub(super) reasons: Reasons,
}

// === impl Delayed ===

impl<T> Default for Delayed<T> {
    fn default() -> Self {
        Self {
            by_time: BTreeMap::new(),
            due: HashMap::default(),
            next_number: 0,
        }
    }
}

impl<T: Clone + Eq + Hash> Delayed<T> {
    /// Adds `item`. If the item is delayed already, the earlier due time and the higher priority
    /// apply, and its reasons are kept if `keeps_all`.
    ///
    /// Returns `true` if [`next_due`](Self::next_due) changed.
    pub(super) fn insert(
        &mut self,
        item: T,
        at: Instant,
        priority: i32,
        mut reasons: Reasons,
        keeps_all: bool,
    ) -> bool {
        let previous = self.next_due();
        let slot = (at, self.next_number);
        self.next_number += 1;
        match self.due.entry(item) {
            Entry::Occupied(mut known) => {
                let due = known.get_mut();
                due.priority = due.priority.max(priority);
                let is_earlier = at < due.slot.0;
                if is_earlier {
                    std::mem::swap(&mut due.reasons, &mut reasons);
                }
                if keeps_all {
                    due.reasons.extend(reasons);
                }
                if !is_earlier {
                    return false;
                }
                let later = std::mem::replace(&mut due.slot, slot);
                self.by_time.remove(&later);
                self.by_time.insert(slot, known.key().clone());
            }
            Entry::Vacant(new) => {
                self.by_time.insert(slot, new.key().clone());
                new.insert(Due {
                    slot,
                    priority,
                    reasons,
                });
            }
        }
        previous.is_none_or(|previous| at < previous)
    }

    /// Removes and returns `item`, if it is delayed.
    pub(super) fn remove(&mut self, item: &T) -> Option<Due> {
        let due = self.due.remove(item)?;
        self.by_time.remove(&due.slot);
        Some(due)
    }

    /// Removes and returns the items that do not satisfy `keeps`.
    pub(super) fn retain(&mut self, keeps: impl Fn(&T) -> bool) -> Vec<T> {
        self.by_time.retain(|_, item| keeps(item));
        let removed = self.due.extract_if(|item, _| !keeps(item));
        removed.map(|(item, _)| item).collect()
    }

    /// Removes and returns the first item that is due at `now`.
    pub(super) fn pop_due(&mut self, now: Instant) -> Option<(T, Due)> {
        let first = self.by_time.first_entry()?;
        if first.key().0 > now {
            return None;
        }
        self.due.remove_entry(&first.remove())
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
