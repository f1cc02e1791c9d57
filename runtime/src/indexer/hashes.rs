//! [`Hashes`]: the slots of keys, by the hash of the key.
//!
//! A hash table whose buckets fill a cache line each. A trie of hashes has a small node for every few
//! keys, and each is a cache miss.

use smallvec::SmallVec;

use super::table::{Slot, Table};

/// Slots by hash. Several slots may have the same hash. Cloning costs O(1).
#[derive(Clone, Default)]
pub(super) struct Hashes {
    /// Hashes with their slots. The last bits of a hash are the number of its bucket.
    buckets: Table<Bucket>,
    /// Number of the last bucket. The number of buckets is a power of two.
    last: u32,
    len: usize,
}

/// Fills a cache line. Without the alignment each would lie in two.
#[derive(Clone, Default)]
#[repr(align(64))]
struct Bucket(SmallVec<[(u32, Slot); PAIRS]>);

/// Number of pairs that a bucket holds without an allocation of its own.
const PAIRS: usize = 6;
/// Mean number of pairs of a bucket at which the table is full.
const FULL: usize = 5;

// === impl Hashes ===

impl Hashes {
    /// Returns the first result for a slot of this hash, with the slot.
    pub(super) fn find<T>(&self, hash: u32, at: impl Fn(Slot) -> Option<T>) -> Option<(Slot, T)> {
        let bucket = self.buckets.get(Slot(hash & self.last))?;
        let mut slots = bucket.0.iter().filter(|(of, _)| *of == hash);
        slots.find_map(|(_, slot)| Some((*slot, at(*slot)?)))
    }

    pub(super) fn insert(&mut self, hash: u32, slot: Slot) {
        if self.len == FULL * (self.last as usize + 1) {
            self.grow();
        }
        self.len += 1;
        if let Some(bucket) = self.buckets.place(Slot(hash & self.last)) {
            bucket.get_or_insert_default().0.push((hash, slot));
        }
    }

    /// Removes a slot, which has this hash.
    pub(super) fn remove(&mut self, hash: u32, slot: Slot) {
        self.len -= 1;
        if let Some(Some(bucket)) = self.buckets.place(Slot(hash & self.last)) {
            bucket.0.retain(|pair| *pair != (hash, slot));
        }
    }

    /// Doubles the number of buckets.
    fn grow(&mut self) {
        let old = std::mem::take(self);
        self.last = 2 * old.last + 1;
        let buckets = (0..=old.last).filter_map(|number| old.buckets.get(Slot(number)));
        for (hash, slot) in buckets.flat_map(|bucket| &bucket.0) {
            self.insert(*hash, *slot);
        }
    }
}

#[cfg(test)]
mod tests;
