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
    let mut free = Vec::new();
    for (slice, holder) in (0_u16..).zip(holders) {
        match holder {
            Some(holder) => {
                if let Some(count) = held.get_mut(holder) {
                    *count += 1;
                }
            }
            None => free.push(slice),
        }
    }
    let taken = distribute(free.len(), &held);
    let others: usize = taken
        .range::<&str, _>(..replica)
        .map(|(_, count)| count)
        .sum();
    let mine = taken.get(replica).copied().unwrap_or_default();
    Share {
        target: target(&held, holders.len(), replica),
        take: free.into_iter().skip(others).take(mine).collect(),
    }
}

/// Returns the number of slices that `replica` should hold; none if it is not a member.
fn target(held: &BTreeMap<&str, usize>, slices: usize, replica: &str) -> usize {
    let Some(mine) = held.get(replica) else {
        return 0;
    };
    let mut rank = 0;
    for (member, count) in held {
        if count > mine || (count == mine && *member < replica) {
            rank += 1;
        }
    }
    let is_larger = rank < slices % held.len();
    slices / held.len() + usize::from(is_larger)
}

/// Returns the number of free slices that each member takes. A slice goes to one with the fewest.
fn distribute<'m>(free: usize, held: &BTreeMap<&'m str, usize>) -> BTreeMap<&'m str, usize> {
    let mut filled = held.clone();
    for _ in 0..free {
        let least = filled
            .iter_mut()
            .min_by_key(|(member, count)| (**count, **member));
        if let Some((_, count)) = least {
            *count += 1;
        }
    }
    for (member, count) in &mut filled {
        *count -= held.get(member).copied().unwrap_or_default();
    }
    filled
}

#[cfg(test)]
mod tests;
