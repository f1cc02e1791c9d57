use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;

const WHOLE: u128 = 1 << 64;

/// The vectors of FNV's authors.
#[test]
fn the_hash_is_64_bit_fnv_1a() {
    assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
    assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
    assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
}

#[test]
fn a_selector_has_the_spelling_of_the_api_server() {
    let halves = "shardRange(object.metadata.uid, '0x4000000000000000', '0x8000000000000000') || \
                  shardRange(object.metadata.uid, '0xc000000000000000', '0x10000000000000000')";
    assert_eq!(ShardBy::Uid.selector([1, 3], 4), halves);
    let whole =
        "shardRange(object.metadata.namespace, '0x0000000000000000', '0x10000000000000000')";
    assert_eq!(ShardBy::Namespace.selector(0..7, 7), whole);
    let none = "shardRange(object.metadata.uid, '0x0000000000000000', '0x0000000000000001')";
    assert_eq!(ShardBy::Uid.selector([], 7), none);
}

proptest! {
    /// A hash is in exactly one slice, and in the ranges of a set exactly if the set has that slice.
    #[test]
    fn ranges_and_slices_agree(
        count in 1..=MOST_SLICES,
        members in prop::collection::btree_set(0..MOST_SLICES, 0..64),
        hashes in prop::collection::vec(any::<u64>(), 1..64),
    ) {
        let members: BTreeSet<u16> = members.into_iter().filter(|slice| *slice < count).collect();
        let ranges = ranges(members.iter().copied(), count);
        prop_assert!(ranges.windows(2).all(|two| two[0].1 < two[1].0));
        prop_assert!(ranges.iter().all(|(start, end)| start < end && *end <= WHOLE));
        let edges = ranges.iter().flat_map(|(start, end)| [*start, end - 1, *end]);
        let edges = edges.filter_map(|edge| u64::try_from(edge).ok());
        for hash in edges.chain(hashes) {
            let is_in = |(start, end): &(u128, u128)| (*start..*end).contains(&u128::from(hash));
            let slice = slice_of(hash, count);
            prop_assert!(slice < count);
            prop_assert_eq!(members.contains(&slice), ranges.iter().any(is_in), "{:#x}", hash);
        }
        prop_assert_eq!(super::ranges(0..count, count), vec![(0, WHOLE)]);
    }
}
