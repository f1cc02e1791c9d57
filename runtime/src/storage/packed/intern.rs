//! Values that repeat are stored once: label sets, labels, owners.
//!
//! Entries are weak: what no object holds any more is gone, and its place is cleared when the
//! table would grow. So a table has at most twice as many places as there were values in use.

use std::collections::HashMap;
use std::hash::BuildHasher;
use std::sync::{Arc, Weak};

use foldhash::quality::RandomState;
use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use parking_lot::Mutex;

use crate::wire::Related;

/// A label: key and value.
pub(super) type Label = (Arc<str>, Arc<str>);

/// All tables of one storage.
#[derive(Default)]
pub(super) struct Names {
    texts: Interner<str>,
    label_sets: Interner<[Label]>,
    owners: Interner<OwnerReference>,
}

/// A table of values in use, by their hash.
struct Interner<T: ?Sized> {
    hasher: RandomState,
    table: Mutex<Table<T>>,
}

struct Table<T: ?Sized> {
    /// Two values with one hash: the later one is not shared. Hashes are of 64 bits and keyed.
    values: HashMap<u64, Weak<T>, foldhash::fast::RandomState>,
    sweep_at: usize,
}

/// A smaller table is not swept.
const FIRST_SWEEP: usize = 64;

// === impl Names ===

impl Names {
    /// The labels, ascending by key; `None` if there are none.
    pub(super) fn labels(&self, related: &Related<'_>) -> Option<Arc<[Label]>> {
        if related.labels.is_empty() {
            return None;
        }
        let labels = &related.labels;
        let is_it = |set: &[Label]| {
            let set = set.iter().map(|(key, value)| (&**key, &**value));
            set.eq(labels.iter().map(|(key, value)| (&**key, &**value)))
        };
        let hash = self.label_sets.hasher.hash_one(labels);
        Some(self.label_sets.intern(hash, is_it, || {
            let text = |text: &str| self.text(text);
            labels
                .iter()
                .map(|(key, value)| (text(key), text(value)))
                .collect()
        }))
    }

    pub(super) fn owner(&self, owner: OwnerReference) -> Arc<OwnerReference> {
        let OwnerReference { uid, name, .. } = &owner;
        let hash = self.owners.hasher.hash_one((uid, name));
        let known = self.owners.get(hash, |other| *other == owner);
        known.unwrap_or_else(|| self.owners.intern(hash, |_| false, || Arc::new(owner)))
    }

    /// What the values in use hold.
    pub(super) fn bytes(&self) -> usize {
        let owner = |owner: &OwnerReference| {
            let OwnerReference {
                api_version,
                kind,
                name,
                uid,
                ..
            } = owner;
            let texts = [api_version, kind, name, uid].map(String::len);
            size_of::<OwnerReference>() + texts.iter().sum::<usize>()
        };
        self.texts.sum(str::len)
            + self.label_sets.sum(size_of_val::<[Label]>)
            + self.owners.sum(owner)
    }

    #[cfg(test)]
    pub(super) fn places(&self) -> usize {
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
    /// The value in use that has this hash and `is_it`, or a new one.
    fn intern(
        &self,
        hash: u64,
        is_it: impl Fn(&T) -> bool,
        make: impl FnOnce() -> Arc<T>,
    ) -> Arc<T> {
        if let Some(known) = self.get(hash, is_it) {
            return known;
        }
        let value = make();
        // Whoever was faster with the same value keeps one of their own.
        let garbage = self.table.lock().insert(hash, Arc::downgrade(&value));
        drop(garbage);
        value
    }

    fn get(&self, hash: u64, is_it: impl Fn(&T) -> bool) -> Option<Arc<T>> {
        let known = self.table.lock().values.get(&hash)?.upgrade()?;
        is_it(&known).then_some(known)
    }

    fn sum(&self, bytes: impl Fn(&T) -> usize) -> usize {
        let values: Vec<Arc<T>> = {
            let table = self.table.lock();
            table.values.values().filter_map(Weak::upgrade).collect()
        };
        // The counts of an `Arc` stand before its value.
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
    /// Gives what has no place any more, to be freed without the lock.
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
mod tests {
    use super::*;

    #[test]
    fn equal_values_are_one_allocation() {
        let names = Names::default();
        let text = names.text("web");
        assert!(Arc::ptr_eq(&text, &names.text("web")));
        assert!(!Arc::ptr_eq(&text, &names.text("api")));
        assert_eq!(names.bytes(), "web".len() + 2 * size_of::<usize>());
    }

    #[test]
    fn two_values_with_one_hash_stay_two_values() {
        let texts = Interner::<str>::default();
        let intern = |text: &str| texts.intern(7, |other| other == text, || text.into());
        let (one, other) = (intern("a"), intern("b"));
        assert_eq!((&*one, &*other), ("a", "b"));
        assert_eq!(&*intern("a"), "a");
    }

    #[test]
    fn values_that_are_gone_leave_no_place_behind() {
        let names = Names::default();
        let kept: Vec<_> = (0..100).map(|n| names.text(&format!("kept-{n}"))).collect();
        for n in 0..100_000 {
            drop(names.text(&format!("gone-{n}")));
        }
        let places = names.texts.table.lock().values.len();
        assert!(places <= 2 * kept.len(), "{places}");
        let again = names.text("kept-7");
        assert!(Arc::ptr_eq(&again, &kept[7]));
    }
}
