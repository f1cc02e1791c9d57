//! [`Slices`]: a set of the equal parts into which the hashes of objects are cut. Pure.
//!
//! The hash is that of the API server's sharded lists (KEP-5866): 64-bit FNV-1a of the namespace or
//! of the uid. Slice `n` of `count` begins at the hash `n * 2^64 / count`, rounded up.

use std::collections::BTreeSet;

/// Greatest number of slices.
pub(crate) const MOST_SLICES: u16 = 1024;

/// Property of an object that decides which slice it belongs to.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum ShardBy {
    /// Namespace of the object, so that objects stay together with those that they own or reference.
    /// The uid decides for cluster-scoped objects.
    #[default]
    Namespace,
    /// Uid of the object: the most even distribution, for objects that stand alone.
    Uid,
}

/// Set of slices, out of a number that all replicas agree on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Slices {
    count: u16,
    members: BTreeSet<u16>,
}

// === impl ShardBy ===

impl ShardBy {
    /// Returns the rule for the objects of a resource: the uid decides for cluster-scoped ones.
    pub(crate) fn of_scope(self, is_namespaced: bool) -> Self {
        if is_namespaced { self } else { Self::Uid }
    }

    /// Returns the term of a shard selector for the hashes from `start` to before `end`.
    pub(super) fn range(self, start: u128, end: u128) -> String {
        let path = self.path();
        format!("shardRange({path}, '{start:#018x}', '{end:#018x}')")
    }

    /// Returns the path of the property in shard selectors.
    fn path(self) -> &'static str {
        match self {
            Self::Namespace => "object.metadata.namespace",
            Self::Uid => "object.metadata.uid",
        }
    }
}

// === impl Slices ===

impl Slices {
    /// Returns no slice of `count`, at least one.
    pub(crate) fn none(count: u16) -> Self {
        Self {
            count: count.max(1),
            members: BTreeSet::new(),
        }
    }

    /// Returns these slices of `count`.
    pub(crate) fn of(count: u16, members: impl IntoIterator<Item = u16>) -> Self {
        let mut slices = Self::none(count);
        for slice in members {
            slices.insert(slice);
        }
        slices
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.members.is_empty()
    }

    pub(crate) fn contains(&self, slice: u16) -> bool {
        self.members.contains(&slice)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = u16> + '_ {
        self.members.iter().copied()
    }

    /// Adds a slice of the whole, and ignores any other number.
    pub(crate) fn insert(&mut self, slice: u16) {
        if slice < self.count {
            self.members.insert(slice);
        }
    }

    /// Returns the slice of a hash.
    pub(crate) fn slice_of(&self, hash: u64) -> u16 {
        let slice = (u128::from(hash) * u128::from(self.count)) >> 64;
        u16::try_from(slice).unwrap_or_default()
    }

    /// Returns the hashes of the members: starts (inclusive) and ends (exclusive, at most 2^64) of
    /// ranges that neither touch nor overlap, in order.
    pub(crate) fn ranges(&self) -> Vec<(u128, u128)> {
        let start_of = |slice: u16| (u128::from(slice) << 64).div_ceil(u128::from(self.count));
        let mut ranges: Vec<(u128, u128)> = Vec::new();
        for slice in self.iter() {
            let (start, end) = (start_of(slice), start_of(slice + 1));
            match ranges.last_mut() {
                Some((_, last)) if *last == start => *last = end,
                Some(_) | None => ranges.push((start, end)),
            }
        }
        ranges
    }

    /// Returns the shard selector of the members; empty for none, which no selector expresses.
    pub(crate) fn selector(&self, by: ShardBy) -> String {
        let ranges = self.ranges().into_iter();
        let terms: Vec<String> = ranges.map(|(start, end)| by.range(start, end)).collect();
        terms.join(" || ")
    }
}

/// Returns the hash of the API server: 64-bit FNV-1a.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
