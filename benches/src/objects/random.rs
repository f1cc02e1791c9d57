//! Random numbers and texts that do not depend on the versions of dependencies.

use std::fmt::Write as _;

/// Letters of generated names. Kubernetes omits vowels and some digits, so that names form no
/// words.
const LETTERS: &[u8] = b"bcdfghjklmnpqrstvwxz2456789";

/// `SplitMix64`.
#[derive(Debug)]
pub(crate) struct Random(u64);

// === impl Random ===

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns the random numbers for a purpose.
    pub(super) fn of(purpose: &str, number: usize) -> Self {
        let mut sum: u64 = 0;
        for byte in purpose.bytes() {
            sum = sum.wrapping_mul(31).wrapping_add(u64::from(byte));
        }
        Self(sum << 32 ^ number as u64)
    }

    /// Returns a number below `limit`, or 0 if `limit` is 0.
    pub(crate) fn below(&mut self, limit: usize) -> usize {
        let number = self.next() % (limit.max(1) as u64);
        usize::try_from(number).unwrap_or_default()
    }

    /// Puts the items in random order.
    pub(crate) fn shuffle<T>(&mut self, items: &mut [T]) {
        for left in (1..items.len()).rev() {
            items.swap(left, self.below(left + 1));
        }
    }

    /// Returns one of `choices`.
    pub(super) fn pick<T: Copy + Default>(&mut self, choices: &[T]) -> T {
        choices
            .get(self.below(choices.len()))
            .copied()
            .unwrap_or_default()
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(super) fn letters(&mut self, count: usize) -> String {
        let mut text = String::with_capacity(count);
        for _ in 0..count {
            let letter = self.pick(LETTERS);
            text.push(char::from(letter));
        }
        text
    }

    pub(super) fn hex(&mut self, digits: usize) -> String {
        let mut text = String::new();
        while text.len() < digits {
            let _ = write!(text, "{:016x}", self.next());
        }
        text.truncate(digits);
        text
    }

    pub(super) fn uid(&mut self) -> String {
        [8, 4, 4, 4, 12].map(|digits| self.hex(digits)).join("-")
    }
}
