//! Slices: the equal parts into which the hashes of objects are cut. Pure.
//!
//! The hash is that of the API server's sharded lists (KEP-5866): 64-bit FNV-1a of the namespace or
//! of the uid. Slice `n` of `count` begins at the hash `n * 2^64 / count`, rounded up.

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

// === impl ShardBy ===

impl ShardBy {
    /// Returns the shard selector of slices in ascending order, out of `count`. A range with one hash
    /// stands for none, which no selector expresses.
    pub(crate) fn selector(self, slices: impl IntoIterator<Item = u16>, count: u16) -> String {
        let path = match self {
            Self::Namespace => "object.metadata.namespace",
            Self::Uid => "object.metadata.uid",
        };
        let mut selected = ranges(slices, count);
        if selected.is_empty() {
            selected.push((0, 1));
        }
        let mut terms = Vec::new();
        for (start, end) in selected {
            let term = format!("shardRange({path}, '{start:#018x}', '{end:#018x}')");
            terms.push(term);
        }
        terms.join(" || ")
    }
}

/// Returns the slice of a hash.
pub(crate) fn slice_of(hash: u64, count: u16) -> u16 {
    let slice = (u128::from(hash) * u128::from(count)) >> 64;
    u16::try_from(slice).unwrap_or_default()
}

/// Returns the hashes of slices: starts (inclusive) and ends (exclusive, at most 2^64) of ranges that
/// neither touch nor overlap, in order.
fn ranges(slices: impl IntoIterator<Item = u16>, count: u16) -> Vec<(u128, u128)> {
    let start_of = |slice: u16| (u128::from(slice) << 64).div_ceil(u128::from(count));
    let mut ranges: Vec<(u128, u128)> = Vec::new();
    for slice in slices {
        let start = start_of(slice);
        let end = start_of(slice + 1);
        match ranges.last_mut() {
            Some((_, last)) if *last == start => *last = end,
            Some(_) | None => ranges.push((start, end)),
        }
    }
    ranges
}

/// Returns the hash of the API server: 64-bit FNV-1a.
pub(crate) fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests;
