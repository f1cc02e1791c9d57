//! [`Hashes`]: the slots of keys, by the hash of the key.
//!
//! A hash table whose buckets fill a cache line each. A trie of hashes has a small node for every few
//! keys, which took a tenth of the memory of packed objects.
//!
//! # Invariants
//!
//! 1. A pair is in the bucket of its hash, or in a later bucket that it reached because all buckets
//!    between were full.
//! 2. Each bucket has the number of pairs that passed it. A search ends where none did.

use super::table::{Slot, Table};

/// Slots by hash. Several slots may have the same hash. Cloning costs O(1).
#[derive(Clone, Default)]
pub(super) struct Hashes {
    buckets: Table<Bucket>,
    /// Number of the last bucket. The number of buckets is a power of two.
    last: u32,
    len: usize,
}

#[derive(Clone, Copy, Default)]
struct Bucket {
    pairs: [Pair; PAIRS],
    len: u16,
    /// Number of pairs that passed. It stays at the largest number, because it may be larger.
    passed: u16,
}

#[derive(Clone, Copy, Default, PartialEq)]
struct Pair {
    hash: u32,
    slot: Slot,
}

const PAIRS: usize = 7;
/// Mean number of pairs of a bucket at which the table is full.
const FULL: usize = 5;

// === impl Hashes ===

impl Hashes {
    /// Returns the first result for a slot of this hash, with the slot.
    pub(super) fn find<T>(
        &self,
        hash: u32,
        mut at: impl FnMut(Slot) -> Option<T>,
    ) -> Option<(Slot, T)> {
        for number in self.path(hash) {
            let bucket = self.buckets.get(number)?;
            for pair in bucket.pairs().iter().filter(|pair| pair.hash == hash) {
                if let Some(found) = at(pair.slot) {
                    return Some((pair.slot, found));
                }
            }
            if bucket.passed == 0 {
                return None;
            }
        }
        None
    }

    pub(super) fn insert(&mut self, hash: u32, slot: Slot) {
        if self.len == FULL * (self.last as usize + 1) {
            self.grow();
        }
        self.len += 1;
        let pair = Pair { hash, slot };
        self.update(hash, |bucket| bucket.insert(pair));
    }

    /// Removes a slot, which has this hash.
    pub(super) fn remove(&mut self, hash: u32, slot: Slot) {
        self.len -= 1;
        let pair = Pair { hash, slot };
        self.update(hash, |bucket| bucket.remove(pair));
    }

    /// Changes the buckets that a pair of this hash passes, until `change` returns `true`.
    fn update(&mut self, hash: u32, change: impl Fn(&mut Bucket) -> bool) {
        for number in self.path(hash) {
            let mut bucket = self.buckets.get(number).copied().unwrap_or_default();
            let is_last = change(&mut bucket);
            self.buckets.replace(number, Some(bucket));
            if is_last {
                return;
            }
        }
    }

    /// Doubles the number of buckets.
    fn grow(&mut self) {
        let old = std::mem::take(self);
        self.last = 2 * old.last + 1;
        for number in 0..=old.last {
            let bucket = old.buckets.get(Slot(number));
            for pair in bucket.map(Bucket::pairs).unwrap_or_default() {
                self.insert(pair.hash, pair.slot);
            }
        }
    }

    /// Returns the numbers of all buckets, beginning with that of a hash.
    fn path(&self, hash: u32) -> impl Iterator<Item = Slot> + use<> {
        let last = self.last;
        (0..=last).map(move |step| Slot(hash.wrapping_add(step) & last))
    }
}

// === impl Bucket ===

impl Bucket {
    /// Returns `false` if the bucket is full and the pair passes.
    fn insert(&mut self, pair: Pair) -> bool {
        let Some(free) = self.pairs.get_mut(usize::from(self.len)) else {
            self.passed = self.passed.saturating_add(1);
            return false;
        };
        *free = pair;
        self.len += 1;
        true
    }

    /// Returns `false` if the pair passed this bucket.
    fn remove(&mut self, pair: Pair) -> bool {
        let Some(place) = self.pairs().iter().position(|other| *other == pair) else {
            self.passed -= u16::from(self.passed < u16::MAX);
            return false;
        };
        self.len -= 1;
        self.pairs.swap(place, usize::from(self.len));
        true
    }

    fn pairs(&self) -> &[Pair] {
        self.pairs.get(..usize::from(self.len)).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests;
