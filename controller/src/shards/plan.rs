//! Plan: the share of each replica in the slices. Pure; the same for all that see the same leases.

use std::collections::{BTreeMap, BTreeSet};

/// Share of one replica.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Share {
    /// Number of slices. A replica that holds more gives the excess away.
    pub(super) target: usize,
    /// Free slices that the replica takes.
    pub(super) take: Vec<u16>,
}

/// Returns the share of `replica`.
///
/// `holders` contains the holder of each slice, or `None` for a free one. A holder that is not a
/// member keeps its slices until it gives them away, and receives none.
///
/// The shares differ by at most one. A larger one goes to a replica that holds more already, so that
/// the fewest slices move. The free slices go to the replicas that hold the fewest, consecutive ones
/// to each, because a shard selector names ranges. A replica that acts later, and sees what others
/// have taken meanwhile, comes to the same result.
pub(super) fn share(holders: &[Option<&str>], members: &BTreeSet<&str>, replica: &str) -> Share {
    let mut held: BTreeMap<&str, usize> = members.iter().map(|member| (*member, 0)).collect();
    for holder in holders.iter().flatten() {
        held.entry(holder).and_modify(|held| *held += 1);
    }
    let mine = held.get(replica).copied();
    let more = held.iter().filter(|(member, held)| {
        Some(**held) > mine || (Some(**held) == mine && **member < replica)
    });
    let rank = more.count();
    let replicas = held.len().max(1);
    let larger = usize::from(rank < holders.len() % replicas);
    let target = mine.map_or(0, |_| holders.len() / replicas + larger);
    let free: Vec<u16> = (0_u16..)
        .zip(holders)
        .filter(|(_, holder)| holder.is_none())
        .map(|(slice, _)| slice)
        .collect();
    let mut filled = held.clone();
    for _ in &free {
        if let Some((_, least)) = filled
            .iter_mut()
            .min_by_key(|(member, held)| (**held, **member))
        {
            *least += 1;
        }
    }
    let taken = |member: &str| {
        filled
            .get(member)
            .zip(held.get(member))
            .map_or(0, |(to, from)| to - from)
    };
    let before = filled
        .keys()
        .take_while(|member| **member < replica)
        .map(|member| taken(member))
        .sum();
    let take = free.into_iter().skip(before).take(taken(replica)).collect();
    Share { target, take }
}

#[cfg(test)]
mod tests;
