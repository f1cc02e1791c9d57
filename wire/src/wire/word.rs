//! Compares eight bytes at once, in one word.

pub(super) const WORD: usize = size_of::<u64>();

const LOW: u64 = u64::from_le_bytes([0x01; WORD]);
const HIGH: u64 = u64::from_le_bytes([0x80; WORD]);

/// Sets the high bit of each byte of `word` that equals `byte`. Exact up to and including the first
/// match.
pub(super) fn equal(word: u64, byte: u8) -> u64 {
    let difference = word ^ (LOW * u64::from(byte));
    difference.wrapping_sub(LOW) & !difference & HIGH
}

/// Sets the high bit of each byte of `word` that is less than `byte`, which is ASCII. Exact up to
/// and including the first match.
pub(super) fn below(word: u64, byte: u8) -> u64 {
    word.wrapping_sub(LOW * u64::from(byte)) & !word & HIGH
}

/// Returns the index of the first byte whose high bit is set.
pub(super) fn first(found: u64) -> usize {
    (found.trailing_zeros() / u8::BITS) as usize
}

#[cfg(test)]
mod tests;
