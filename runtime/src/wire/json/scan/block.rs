//! Sixty-four bytes at a time: what brackets stand outside strings.
//!
//! Comparisons of whole blocks give one bit for each byte that is a quote, a backslash or a bracket;
//! arithmetic on these bits does the rest, without a branch for any one of them.

use wide::u8x16;

/// How many bytes are looked at together: as many as a word has bits.
pub(super) const BLOCK: usize = 64;
/// As many as a vector has that every processor knows.
const LANE: usize = 16;

/// Which bytes of a block are what, the first byte's bit lowest.
struct Bits {
    quote: u64,
    backslash: u64,
    open: u64,
    close: u64,
}

/// Where in strings the bytes so far ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Texts {
    /// All ones inside a string, else zero.
    inside: u64,
    /// One behind a backslash, else zero.
    is_escaped: u64,
}

/// The brackets outside strings.
#[derive(Debug, Clone, Copy)]
pub(super) struct Brackets {
    pub(super) open: u64,
    pub(super) close: u64,
}

// === impl Texts ===

impl Texts {
    /// Takes the next block, of which the first `length` bytes count; spaces fill it up.
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

    /// The bytes that a backslash stands before which is not escaped itself.
    #[inline]
    fn escaped(&mut self, backslash: u64, length: usize) -> u64 {
        /// Every other bit, from the second on.
        const ODD: u64 = 0xAAAA_AAAA_AAAA_AAAA;
        if backslash == 0 {
            return std::mem::take(&mut self.is_escaped);
        }
        // A series of backslashes escapes every second of its bytes, beginning with the second. The
        // subtraction's borrow goes through each series to its end, which turns the pattern of odd
        // places round for those that start at an odd one.
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
        /// Tells `[` from `{`, and `]` from `}`.
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

/// Sets each bit from an odd one set up to before the next: what is inside quotes, the first of them
/// included.
#[inline]
fn prefix_xor(mut bits: u64) -> u64 {
    for shift in [1, 2, 4, 8, 16, 32] {
        bits ^= bits << shift;
    }
    bits
}

// === impl Brackets ===

impl Brackets {
    /// Without `{}` and `[]`, of which there are many: they lead back to where they started.
    #[inline]
    pub(super) fn without_empty(self) -> Self {
        let empty = self.open & (self.close >> 1);
        Self {
            open: self.open ^ empty,
            close: self.close ^ (empty << 1),
        }
    }

    /// Behind which byte the last of `depth` open brackets is closed, if that is here.
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
