//! Finds the brackets outside strings, 64 bytes at a time.
//!
//! Comparisons of whole blocks yield one bit for each byte that is a quote, a backslash or a
//! bracket. Arithmetic on these bits replaces a branch per byte.

use wide::u8x16;

/// Number of bytes in a block: one for each bit of a word.
pub(super) const BLOCK: usize = 64;
/// Number of bytes in a vector that every processor supports.
const LANE: usize = 16;

/// Bit sets that classify the bytes of a block; the lowest bit stands for the first byte.
struct Bits {
    quote: u64,
    backslash: u64,
    open: u64,
    close: u64,
}

/// State of strings at the end of the previous block.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Texts {
    /// All ones inside a string, else zero.
    inside: u64,
    /// One after an escaping backslash, else zero.
    is_escaped: u64,
}

/// Brackets outside strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: u64,
    pub(super) close: u64,
}

// === impl Texts ===

impl Texts {
    /// Processes the next block, of which the first `length` bytes are valid and the others are
    /// spaces.
    #[inline]
    pub(super) fn brackets(&mut self, block: &[u8; BLOCK], length: usize) -> Brackets {
        let bits = Bits::of(block);
        let escaped = self.escaped(bits.backslash, length);
        let inside = prefix_xor(bits.quote & !escaped) ^ self.inside;
        self.inside = 0_u64.wrapping_sub(inside >> (BLOCK - 1));
        Brackets {
            open: bits.open & !inside,
            close: bits.close & !inside,
        }
    }

    /// Returns the bytes that an escaping backslash precedes.
    #[inline]
    fn escaped(&mut self, backslash: u64, length: usize) -> u64 {
        /// Odd bits: every second bit, starting with the second one.
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        if backslash == 0 {
            return std::mem::take(&mut self.is_escaped);
        }
        // A run of backslashes escapes every second byte, starting with its second one. The borrow
        // of the subtraction propagates through each run to its end, which inverts the odd-bit
        // pattern for runs that start at an odd position.
        let first = backslash & !self.is_escaped;
        let pattern = ((first << 1) | ODD).wrapping_sub(first) ^ ODD;
        let escaped = pattern ^ (backslash | self.is_escaped);
        let escaping = pattern & backslash;
        self.is_escaped = (escaping >> (length - 1)) & 1;
        escaped
    }
}

// === impl Bits ===

impl Bits {
    #[inline]
    fn of(block: &[u8; BLOCK]) -> Self {
        /// Bit that distinguishes `[` from `{`, and `]` from `}`.
        const CASE: u8 = b'[' ^ b'{';
        let mut bits = Self {
            quote: 0,
            backslash: 0,
            open: 0,
            close: 0,
        };
        for (index, lane) in block.as_chunks::<LANE>().0.iter().enumerate() {
            let equal = |lane: u8x16, byte| {
                let mask = lane.cmp_eq(u8x16::splat(byte)).move_mask();
                u64::from(mask.cast_unsigned()) << (index * LANE)
            };
            let lane = u8x16::new(*lane);
            let folded = lane | u8x16::splat(CASE);
            bits.quote |= equal(lane, b'"');
            bits.backslash |= equal(lane, b'\\');
            bits.open |= equal(folded, b'{');
            bits.close |= equal(folded, b'}');
        }
        bits
    }
}

/// Sets all bits from each odd set bit up to, but excluding, the next set bit: the bytes inside
/// quotes, including the opening quote.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

// === impl Brackets ===

impl Brackets {
    /// Removes `{}` and `[]`, which are frequent and do not change the depth.
    #[inline]
    pub(super) fn without_empty(self) -> Self {
        let empty = self.open & (self.close >> 1);
        Self {
            open: self.open ^ empty,
            close: self.close ^ (empty << 1),
        }
    }

    /// Returns the offset after the byte that closes the last of `depth` open brackets, if that
    /// byte is in this block.
    pub(super) fn end(self, depth: u32) -> Option<usize> {
        let mut close = self.close;
        let mut closed = 0;
        while close != 0 {
            let at = close.trailing_zeros();
            let before = self.open & ((1 << at) - 1);
            closed += 1;
            if depth.saturating_add(before.count_ones()) <= closed {
                return Some(at as usize + 1);
            }
            close &= close - 1;
        }
        None
    }
}
