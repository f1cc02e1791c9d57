use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

#[derive(Debug, Clone, Copy)]
enum Write {
    Insert(u32),
    /// Removes one of the slots that are stored.
    Remove(usize),
}

/// Few hashes, so that many slots have one, and that buckets have more than fit in.
fn writes() -> impl Strategy<Value = Vec<Write>> {
    let hash = prop_oneof![3 => 0..6_u32, 1 => u32::MAX - 3..=u32::MAX];
    let write = prop_oneof![
        3 => hash.prop_map(Write::Insert),
        2 => any::<usize>().prop_map(Write::Remove),
    ];
    prop::collection::vec(write, 0..200)
}

fn of(hashes: &Hashes, hash: u32) -> BTreeSet<u32> {
    let found = std::cell::RefCell::new(BTreeSet::new());
    let end = hashes.find(hash, |slot| {
        assert!(found.borrow_mut().insert(slot.0), "{slot:?} is found twice");
        None::<()>
    });
    assert_eq!(end, None);
    found.into_inner()
}

proptest! {
    /// I-09: each slot is found by its hash alone, in the table and in a copy of an earlier one.
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
        for (hashes, model) in copy.into_iter().chain([(hashes, model)]) {
            for hash in (0..7).chain(u32::MAX - 4..=u32::MAX) {
                let expected = model.iter().filter(|(of, _)| *of == hash).map(|(_, slot)| *slot);
                prop_assert_eq!(of(&hashes, hash), expected.collect());
            }
            prop_assert_eq!(hashes.len, model.len());
        }
    }
}

/// Work count: buckets hold a few pairs, however many keys there are, and each is one cache line.
#[test]
fn buckets_stay_small() {
    assert_eq!(
        (size_of::<Option<Bucket>>(), align_of::<Bucket>()),
        (64, 64)
    );
    let mut hashes = Hashes::default();
    for (number, slot) in (0..10_000_u32).zip(0..) {
        hashes.insert(number.wrapping_mul(0x9E37_79B1), Slot(slot));
    }
    let sizes = (0..=hashes.last).filter_map(|number| hashes.buckets.get(Slot(number)));
    assert_eq!(
        (sizes.map(|bucket| bucket.0.len()).max(), hashes.last),
        (Some(5), 2047)
    );
}
