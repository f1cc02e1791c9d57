//! Bounded cache of the most recently used values, with a time to live.
//!
//! Pure: no clock, no lock.
//!
//! # Invariants
//!
//! 1. `slots` and `by_use` hold the same keys.
//! 2. Both hold at most `size` keys.

use std::collections::{BTreeMap, HashMap};
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

use crate::object::ObjectKey;

#[derive(Debug)]
pub(super) struct Lru<V> {
    size: NonZeroUsize,
    ttl: Duration,
    slots: HashMap<ObjectKey, Slot<V>>,
    by_use: BTreeMap<u64, ObjectKey>,
    next_use: u64,
}

#[derive(Debug)]
struct Slot<V> {
    value: V,
    added: Instant,
    used: u64,
}

// === impl Lru ===

impl<V> Lru<V> {
    pub(super) fn new(size: NonZeroUsize, ttl: Duration) -> Self {
        Self {
            size,
            ttl,
            slots: HashMap::new(),
            by_use: BTreeMap::new(),
            next_use: 0,
        }
    }

    /// Stores a value. Returns the value that it displaces: the key's previous value, or the least
    /// recently used one.
    pub(super) fn insert(&mut self, key: ObjectKey, value: V, now: Instant) -> Option<V> {
        let mut displaced = self.remove(&key);
        if self.slots.len() >= self.size.get() {
            let oldest = self.by_use.pop_first();
            displaced = oldest
                .and_then(|(_, key)| self.slots.remove(&key))
                .map(|slot| slot.value);
        }
        let used = self.next_use;
        self.next_use += 1;
        self.by_use.insert(used, key.clone());
        let slot = Slot {
            value,
            added: now,
            used,
        };
        self.slots.insert(key, slot);
        displaced
    }

    /// Returns the value of `key` and counts a use, unless the value is older than the time to
    /// live.
    pub(super) fn get(&mut self, key: &ObjectKey, now: Instant) -> Option<&V> {
        let slot = self.slots.get_mut(key)?;
        if is_over(slot.added, self.ttl, now) {
            return None;
        }
        if let Some(key) = self.by_use.remove(&slot.used) {
            slot.used = self.next_use;
            self.next_use += 1;
            self.by_use.insert(slot.used, key);
        }
        Some(&slot.value)
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) -> Option<V> {
        let slot = self.slots.remove(key)?;
        self.by_use.remove(&slot.used);
        Some(slot.value)
    }

    /// Returns all keys whose values are not older than the time to live.
    pub(super) fn keys(&self, now: Instant) -> impl Iterator<Item = &ObjectKey> {
        let live = move |slot: &Slot<V>| !is_over(slot.added, self.ttl, now);
        let slots = self.slots.iter();
        slots.filter_map(move |(key, slot)| live(slot).then_some(key))
    }
}

fn is_over(added: Instant, ttl: Duration, now: Instant) -> bool {
    now.saturating_duration_since(added) > ttl
}
