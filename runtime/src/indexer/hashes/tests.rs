use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hasher};

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, Copy)]
enum Write {
    Insert(u32),
    /// Removes one of the slots that are stored.
    Remove(usize),
}

/// Few hashes with neighbours among them, so that buckets overflow into each other.
fn writes() -> impl Strategy<Value = Vec<Write>> {
    let hash = prop_oneof![3 => 0..6_u32, 1 => u32::MAX - 3..=u32::MAX];
    let write = prop_oneof![
        3 => hash.prop_map(Write::Insert),
        2 => any::<usize>().prop_map(Write::Remove),
    ];
    prop::collection::vec(write, 0..200)
}

fn of(hashes: &Hashes, hash: u32) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    let end = hashes.find(hash, |slot| {
        assert!(found.insert(slot.0), "slot {slot:?} is found twice");
        None::<()>
    });
    assert_eq!(end, None);
    found
}

/// Returns how often a bucket was passed by a pair.
fn passed(hashes: &Hashes) -> u32 {
    let numbers = 0..=hashes.last;
    let buckets = numbers.filter_map(|number| hashes.buckets.get(Slot(number)));
    buckets.map(|bucket| u32::from(bucket.passed)).sum()
}

proptest! {
    /// I-09: each slot is found by its hash alone, in the table and in a copy of an earlier one. An
    /// empty table has no trace of what was stored.
    #[test]
    fn i09_slots_are_found_by_their_hash(writes in writes(), copied in 0..200_usize) {
        let (mut hashes, mut model) = (Hashes::default(), Vec::new());
        let mut copy = None;
        for (write, slot) in writes.iter().zip(0..) {
            match *write {
                Write::Insert(hash) => {
                    hashes.insert(hash, Slot(slot));
                    model.push((hash, slot));
                }
                Write::Remove(which) if !model.is_empty() => {
                    let (hash, slot) = model.swap_remove(which % model.len());
                    hashes.remove(hash, Slot(slot));
                }
                Write::Remove(_) => {}
            }
            if slot as usize == copied {
                copy = Some((hashes.clone(), model.clone()));
            }
        }
        let copies = copy.iter().map(|(hashes, model)| (hashes, model));
        for (hashes, model) in copies.chain([(&hashes, &model)]) {
            for hash in (0..7).chain(u32::MAX - 4..=u32::MAX) {
                let expected = model.iter().filter(|(of, _)| *of == hash).map(|(_, slot)| *slot);
                prop_assert_eq!(of(hashes, hash), expected.collect());
            }
        }
        for (hash, slot) in model {
            hashes.remove(hash, Slot(slot));
        }
        prop_assert_eq!((hashes.len, passed(&hashes)), (0, 0));
    }
}

/// Work count: keys that come and go for ever leave searches as short as they were.
#[test]
fn searches_stay_short_when_keys_come_and_go() {
    let hash = |number: u32| {
        let mut hasher = DefaultHasher::new();
        hasher.write_u32(number);
        u32::try_from(hasher.finish() >> 32).unwrap()
    };
    let mut hashes = Hashes::default();
    for number in 0..100_000_u32 {
        hashes.insert(hash(number), Slot(number % 1_000));
        if let Some(old) = number.checked_sub(1_000) {
            hashes.remove(hash(old), Slot(old % 1_000));
        }
    }
    assert_eq!((hashes.len, hashes.last), (1_000, 255));
    let was_passed = |number| {
        let bucket = hashes.buckets.get(Slot(number));
        bucket.is_some_and(|bucket| bucket.passed > 0)
    };
    let passed = (0..=hashes.last).filter(|number| was_passed(*number));
    assert!(passed.count() < 128);
}
