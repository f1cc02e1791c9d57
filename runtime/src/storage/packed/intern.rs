//! Interning of repeated values: label sets, labels, owners.
//!
//! Entries are weak references. Dead entries are removed before the table would grow, so a table
//! has at most twice as many entries as the largest number of live values at a sweep.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Weak};

use foldhash::quality::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use parking_lot::Mutex;

use super::template::Templates;
use crate::wire::Related;

/// A label: key and value.
pub(super) type Label = (Arc<str>, Arc<str>);

/// Controller of objects.
pub(super) struct Owner {
    pub(super) reference: OwnerReference,
    pub(super) templates: Templates,
}

/// Tables of one storage.
#[derive(Default)]
pub(super) struct Names {
    texts: Interner<str>,
    label_sets: Interner<[Label]>,
    owners: Interner<Owner>,
}

/// Table of live values, by their hash.
struct Interner<T: ?Sized> {
    hasher: RandomState,
    table: Mutex<Table<T>>,
}

struct Table<T: ?Sized> {
    /// The later of two values with the same hash replaces the earlier one and is not shared with
    /// it. Hashes have 64 bits and are keyed.
    values: HashMap<u64, Weak<T>, foldhash::fast::RandomState>,
    sweep_at: usize,
}

/// Number of entries below which a table is not swept.
const FIRST_SWEEP: usize = 64;

// === impl Names ===

impl Names {
    /// Returns the labels, ascending by key; `None` if the object has none.
    pub(super) fn labels(&self, related: &Related<'_>) -> Option<Arc<[Label]>> {
        if related.labels.is_empty() {
            return None;
        }
        let labels = &related.labels;
        let matches = |set: &[Label]| {
            let set = set.iter().map(|(key, value)| (&**key, &**value));
            set.eq(labels.iter().map(|(key, value)| (&**key, &**value)))
        };
        let hash = self.label_sets.hasher.hash_one(labels);
        Some(self.label_sets.intern(hash, matches, || {
            let text = |text: &str| self.text(text);
            labels
                .iter()
                .map(|(key, value)| (text(key), text(value)))
                .collect()
        }))
    }

    pub(super) fn owner(&self, reference: OwnerReference) -> Arc<Owner> {
        let hash = self
            .owners
            .hasher
            .hash_one((&reference.uid, &reference.name));
        let owner = Owner {
            reference,
            templates: Templates::default(),
        };
        let known = self
            .owners
            .get(hash, |other| other.reference == owner.reference);
        known.unwrap_or_else(|| self.owners.add(hash, Arc::new(owner)))
    }

    /// Returns the size of the live values.
    pub(super) fn bytes(&self) -> usize {
        let owner = |owner: &Owner| {
            let of = &owner.reference;
            let texts = [&of.api_version, &of.kind, &of.name, &of.uid];
            size_of::<Owner>() + texts.map(String::len).iter().sum::<usize>()
        };
        self.texts.sum(str::len)
            + self.label_sets.sum(size_of_val::<[Label]>)
            + self.owners.sum(owner)
    }

    #[cfg(test)]
    pub(super) fn entries(&self) -> usize {
        let texts = self.texts.table.lock().values.len();
        let label_sets = self.label_sets.table.lock().values.len();
        texts + label_sets + self.owners.table.lock().values.len()
    }

    fn text(&self, text: &str) -> Arc<str> {
        let hash = self.texts.hasher.hash_one(text);
        self.texts
            .intern(hash, |other| other == text, || text.into())
    }
}

// === impl Interner ===

impl<T: ?Sized> Interner<T> {
    /// Returns the live value that has this hash and `matches`, or creates it.
    fn intern(
        &self,
        hash: u64,
        matches: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Arc<T>,
    ) -> Arc<T> {
        if let Some(known) = self.get(hash, matches) {
            return known;
        }
        self.add(hash, make())
    }

    /// Adds a value. Another thread may have added an equal value meanwhile. Both stay valid; the later
    /// one is shared from here on.
    fn add(&self, hash: u64, value: Arc<T>) -> Arc<T> {
        let garbage = self.table.lock().insert(hash, Arc::downgrade(&value));
        drop(garbage);
        value
    }

    fn get(&self, hash: u64, matches: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let known = self.table.lock().values.get(&hash)?.upgrade()?;
        matches(&known).then_some(known)
    }

    fn sum(&self, bytes: impl Fn(&T) -> usize) -> usize {
        let values: Vec<Arc<T>> = {
            let table = self.table.lock();
            table.values.values().filter_map(Weak::upgrade).collect()
        };
        // An `Arc` stores two counters before its value.
        let size = |value: &Arc<T>| bytes(value) + 2 * size_of::<usize>();
        values.iter().map(size).sum()
    }
}

impl<T: ?Sized> Default for Interner<T> {
    fn default() -> Self {
        Self {
            hasher: RandomState::default(),
            table: Mutex::new(Table {
                values: HashMap::default(),
                sweep_at: FIRST_SWEEP,
            }),
        }
    }
}

// === impl Table ===

impl<T: ?Sized> Table<T> {
    /// Inserts a value. Returns the removed entries, which the caller frees outside the lock.
    fn insert(&mut self, hash: u64, value: Weak<T>) -> impl Sized + use<T> {
        let mut garbage: Vec<Weak<T>> = Vec::new();
        if self.values.len() >= self.sweep_at {
            let dead = |_: &u64, value: &mut Weak<T>| value.strong_count() == 0;
            garbage.extend(self.values.extract_if(dead).map(|(_, value)| value));
            self.sweep_at = FIRST_SWEEP.max(2 * self.values.len());
        }
        garbage.extend(self.values.insert(hash, value));
        garbage
    }
}

#[cfg(test)]
mod tests;
