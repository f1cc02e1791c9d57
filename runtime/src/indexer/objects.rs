//! [`Objects`]: the objects of a state, by key, by hash and by slot.
//!
//! Each object has a slot for as long as its key is stored. An update replaces the entry in the
//! slot and touches nothing else; only keys that come or go change the maps that lead to slots.
//!
//! # Invariants
//!
//! 1. `keys` has exactly the keys of the entries in `entries`, each with the slot of its entry.
//! 2. `hashes` has the slot of each stored key by the hash of the key.
//! 3. `free` has the slots below `used` without an entry.

use std::sync::Arc;

use imbl::{OrdMap, Vector};

use super::hashes::Hashes;
use super::table::{Difference, Slot, Table};
use crate::object::{KeyLookup, ObjectKey};
use crate::storage::Entry;

/// Objects of a store at one moment. Cloning costs O(1).
#[derive(Clone, Default)]
pub(super) struct Objects {
    pub(super) keys: OrdMap<ObjectKey, Slot>,
    hashes: Hashes,
    entries: Table<Arc<Entry>>,
    free: Vector<Slot>,
    used: u32,
    /// Size of the objects as the API server sent them.
    pub(super) bytes: usize,
}

/// Change of one object between two states.
#[derive(Clone, Copy)]
pub(super) struct Changed<'a> {
    pub(super) key: &'a ObjectKey,
    pub(super) old: Option<&'a Arc<Entry>>,
    pub(super) new: Option<&'a Arc<Entry>>,
}

// === impl Objects ===

impl Objects {
    pub(super) fn len(&self) -> usize {
        self.keys.len()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub(super) fn get<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<&Arc<Entry>> {
        self.find(key).map(|(_, entry)| entry)
    }

    pub(super) fn find<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<(Slot, &Arc<Entry>)> {
        self.hashes.find(key.key_hash(), |slot| {
            self.at(slot).filter(|entry| key.equivalent(&entry.key))
        })
    }

    pub(super) fn at(&self, slot: Slot) -> Option<&Arc<Entry>> {
        self.entries.get(slot)
    }

    /// Returns the entries, ordered by key.
    pub(super) fn iter(&self) -> impl DoubleEndedIterator<Item = &Arc<Entry>> {
        self.keys.values().filter_map(|slot| self.at(*slot))
    }

    /// Stores an entry. Returns its slot, the entry as it is stored, and the one that it replaces.
    pub(super) fn insert(
        &mut self,
        mut entry: Arc<Entry>,
    ) -> (Slot, Arc<Entry>, Option<Arc<Entry>>) {
        let slot = match self.find(&entry.key) {
            Some((slot, stored)) => {
                // Shares the text of the existing key instead of storing a second copy.
                if let Some(entry) = Arc::get_mut(&mut entry) {
                    entry.key = stored.key.clone();
                }
                slot
            }
            None => self.insert_key(&entry.key),
        };
        self.bytes += entry.footprint.bytes();
        let replaced = self.entries.replace(slot, Some(Arc::clone(&entry)));
        if let Some(replaced) = &replaced {
            self.bytes -= replaced.footprint.bytes();
        }
        (slot, entry, replaced)
    }

    fn insert_key(&mut self, key: &ObjectKey) -> Slot {
        let slot = self.free.pop_back().unwrap_or_else(|| {
            self.used += 1;
            Slot(self.used - 1)
        });
        self.keys.insert(key.clone(), slot);
        self.hashes.insert(key.key_hash(), slot);
        slot
    }

    /// Removes the entry of a key, and returns it with the slot that it had.
    pub(super) fn remove(&mut self, key: &ObjectKey) -> Option<(Slot, Arc<Entry>)> {
        let slot = self.keys.remove(key)?;
        self.free.push_back(slot);
        self.hashes.remove(key.key_hash(), slot);
        let removed = self.entries.replace(slot, None)?;
        self.bytes -= removed.footprint.bytes();
        Some((slot, removed))
    }

    /// Returns the changes since `older`, ordered by key, each object once.
    pub(super) fn changes_since<'a>(&'a self, older: &'a Self) -> Vec<Changed<'a>> {
        let mut changes = Vec::new();
        for Difference { old, new, .. } in self.differences(older) {
            let key = |entry: &'a Arc<Entry>| &entry.key;
            changes.extend(old.map(key).map(|key| Changed {
                key,
                old,
                new: None,
            }));
            changes.extend(new.map(key).map(|key| Changed {
                key,
                old: None,
                new,
            }));
        }
        // A key has at most one old and one new entry, in one slot or in two.
        changes.sort_unstable_by_key(|change| change.key);
        changes.dedup_by(|next, merged| {
            let is_same_key = next.key == merged.key;
            if is_same_key {
                merged.old = merged.old.or(next.old);
                merged.new = merged.new.or(next.new);
            }
            is_same_key
        });
        changes.retain(|change| change.old != change.new);
        changes
    }

    /// Returns the slots with other entries than in `older`.
    pub(super) fn differences<'a>(&'a self, older: &'a Self) -> Vec<Difference<'a, Arc<Entry>>> {
        self.entries.differences(&older.entries)
    }
}
