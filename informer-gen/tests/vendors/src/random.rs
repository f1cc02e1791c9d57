//! Random choices from a seed, by the generator `SplitMix64`.

pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a number below `bound`.
    pub(crate) fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % bound as u64).unwrap_or_default()
    }

    pub(crate) fn one_in(&mut self, of: usize) -> bool {
        self.below(of) == 0
    }

    /// Returns one of several values.
    pub(crate) fn one_of<T: Clone + Default>(&mut self, values: &[T]) -> T {
        let value = values.get(self.below(values.len()));
        value.cloned().unwrap_or_default()
    }
}
