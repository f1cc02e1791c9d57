//! [`Objects`]: the objects of a state, by key, by hash and by slot.
//!
//! Each object has a slot for as long as its key is stored. An update replaces the entry in the
//! slot and touches nothing else; only keys that come or go change the maps that lead to slots.
//!
//! # Invariants
//!
//! 1. `keys` has exactly the keys of the entries in `entries`, each with the slot of its entry.
//! 2. `hashes` has the hash of each stored key, with the number of keys that share it. Its slot is
//!    that of the key that was stored last. So a hash that is missing means a key that is missing,
//!    and a slot that leads to another key, or to none, means a search in `keys`.
//! 3. `free` has the slots below `used` without an entry.

use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;

use imbl::shared_ptr::DefaultSharedPtr;
use imbl::{GenericHashMap, OrdMap, Vector};

use super::table::{Difference, Slot, Table};
use crate::object::{KeyLookup, ObjectKey};
use crate::storage::Entry;

/// Objects of a store at one moment. Cloning costs O(1).
#[derive(Clone, Default)]
pub(super) struct Objects {
    pub(super) keys: OrdMap<ObjectKey, Slot>,
    hashes: GenericHashMap<u32, Hashed, AlreadyHashed, DefaultSharedPtr>,
    entries: Table<Arc<Entry>>,
    free: Vector<Slot>,
    used: u32,
    /// Size of the objects as the API server sent them.
    pub(super) bytes: usize,
}

/// Keys with one hash.
#[derive(Clone, Copy)]
struct Hashed {
    slot: Slot,
    keys: u32,
}

/// Hashes a hash of a key to itself.
#[derive(Clone, Copy, Default)]
struct AlreadyHashed(u64);

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

    /// Returns the entry of a key, which is mostly found by its hash.
    pub(super) fn get<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<&Arc<Entry>> {
        self.find(key).map(|(_, entry)| entry)
    }

    pub(super) fn find<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<(Slot, &Arc<Entry>)> {
        let hashed = self.hashes.get(&key.key_hash())?;
        match self.at(hashed.slot) {
            Some(entry) if key.equivalent(&entry.key) => Some((hashed.slot, entry)),
            _ => {
                let slot = *self.keys.get(key)?;
                Some((slot, self.at(slot)?))
            }
        }
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
        let others = self.hashes.get(&key.key_hash());
        let keys = 1 + others.map_or(0, |hashed| hashed.keys);
        self.hashes.insert(key.key_hash(), Hashed { slot, keys });
        slot
    }

    /// Removes the entry of a key, and returns it with the slot that it had.
    pub(super) fn remove(&mut self, key: &ObjectKey) -> Option<(Slot, Arc<Entry>)> {
        let slot = self.keys.remove(key)?;
        self.free.push_back(slot);
        if let Some(hashed) = self.hashes.get_mut(&key.key_hash()) {
            hashed.keys -= 1;
            if hashed.keys == 0 {
                self.hashes.remove(&key.key_hash());
            }
        }
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

// === impl AlreadyHashed ===

impl BuildHasher for AlreadyHashed {
    type Hasher = Self;

    fn build_hasher(&self) -> Self {
        Self(0)
    }
}

impl Hasher for AlreadyHashed {
    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 << 8) | u64::from(*byte);
        }
    }

    fn write_u32(&mut self, hash: u32) {
        self.0 = u64::from(hash);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}
