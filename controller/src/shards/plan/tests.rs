use std::cmp::Reverse;

use proptest::prelude::*;

use super::*;

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// Lets each member act on its share until nothing changes. Returns the number of slices that moved
/// from one replica to another.
fn settle(holders: &mut [Option<&'static str>], members: &BTreeSet<&'static str>) -> usize {
    let mut moves = 0;
    for _ in 0..4 {
        let seen = holders.to_vec();
        for member in members {
            let Share { target, take } = share(&seen, members, member);
            for slice in take {
                let slot = &mut holders[usize::from(slice)];
                assert_eq!(*slot, None, "two replicas take slice {slice}");
                *slot = Some(member);
            }
            let held = seen
                .iter()
                .enumerate()
                .filter(|(_, one)| **one == Some(*member));
            for (slice, _) in held.skip(target) {
                holders[slice] = None;
                moves += 1;
            }
        }
    }
    moves
}

proptest! {
    /// P-01. From any state, the shares become equal but for one slice, no two replicas take the same
    /// slice, and only what exceeds the larger share moves.
    #[test]
    fn shares_become_even_by_the_fewest_moves(
        holders in prop::collection::vec(prop::option::of(0..NAMES.len()), 1..64),
        members in prop::collection::btree_set(0..NAMES.len(), 1..=NAMES.len()),
    ) {
        let members: BTreeSet<_> = members.into_iter().map(|member| NAMES[member]).collect();
        // The slices of a replica that is gone are free.
        let live = |name: Option<usize>| name.map(|name| NAMES[name]).filter(|name| members.contains(name));
        let mut holders: Vec<_> = holders.into_iter().map(live).collect();
        let count = |holders: &[Option<&str>]| {
            let held = |member: &&str| holders.iter().filter(|holder| **holder == Some(*member)).count();
            let mut held: Vec<usize> = members.iter().map(held).collect();
            held.sort_unstable_by_key(|held| Reverse(*held));
            held
        };
        let (least, larger) = (holders.len() / members.len(), holders.len() % members.len());
        let excess = count(&holders).into_iter().enumerate();
        let excess = excess.map(|(rank, held)| held.saturating_sub(least + usize::from(rank < larger)));
        let fewest: usize = excess.sum();
        let moves = settle(&mut holders, &members);
        prop_assert_eq!(moves, fewest);
        let held = count(&holders);
        prop_assert_eq!(held.iter().sum::<usize>(), holders.len(), "{:?}", holders);
        prop_assert!(held[0] - held[held.len() - 1] <= 1, "{:?}", held);
    }
}

#[test]
fn a_replica_that_is_no_member_receives_nothing() {
    let (holders, members) = ([Some("a"), None], BTreeSet::from(["b"]));
    let none = Share {
        target: 0,
        take: Vec::new(),
    };
    assert_eq!(share(&holders, &members, "a"), none);
    assert_eq!(share(&holders, &members, "b").take, [1]);
}
