//! Random edits of an input.

use std::ops::Range;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};

use crate::corpus::Entry;

/// One edit. An index selects one of the parts that the input has at that time.
#[derive(Debug, Clone)]
pub(crate) enum Change {
    /// Replaces a part by bytes.
    Replace(Part, Vec<u8>),
    /// Flips one bit.
    Flip(Index, u8),
    /// Repeats a part.
    Repeat(Part, usize),
    /// Replaces a part by a part of another entry.
    Splice(Part, Index, Part),
    /// Inserts a part of another entry.
    Insert(Index, Index, Part),
    /// Truncates the input.
    End(Index),
}

/// Part of an input.
#[derive(Debug, Clone)]
pub(crate) struct Part {
    grain: Grain,
    start: Index,
    /// Maximum number of grains.
    length: usize,
}

/// Unit between whose boundaries parts lie.
#[derive(Debug, Clone, Copy)]
enum Grain {
    Byte,
    /// Words, numbers, and single other bytes.
    Token,
    /// Lines.
    Line,
}

pub(crate) fn change() -> impl Strategy<Value = Change> {
    let at = any::<Index>;
    let bytes = vec(any::<u8>(), 0..6);
    prop_oneof![
        2 => (part(), bytes).prop_map(|(part, bytes)| Change::Replace(part, bytes)),
        1 => (at(), 0..8_u8).prop_map(|(place, bit)| Change::Flip(place, bit)),
        1 => (part(), 1..40_usize).prop_map(|(part, times)| Change::Repeat(part, times)),
        3 => (part(), at(), part()).prop_map(|(part, entry, other)| Change::Splice(part, entry, other)),
        4 => (at(), at(), part()).prop_map(|(place, entry, part)| Change::Insert(place, entry, part)),
        1 => at().prop_map(Change::End),
    ]
}

fn part() -> impl Strategy<Value = Part> {
    let grain = select(vec![Grain::Byte, Grain::Token, Grain::Token, Grain::Line]);
    let length = prop_oneof![4 => 0..8_usize, 1 => 0..300_usize];
    (grain, any::<Index>(), length).prop_map(|(grain, start, length)| Part {
        grain,
        start,
        length,
    })
}

// === impl Change ===

impl Change {
    pub(crate) fn apply(&self, input: &mut Vec<u8>, corpus: &[Entry]) {
        let other = |entry: &Index, part: &Part| {
            let bytes = &entry.get(corpus).bytes;
            bytes.get(part.of(bytes)).unwrap_or_default().to_vec()
        };
        match self {
            Self::Replace(part, bytes) => {
                let range = part.of(input);
                input.splice(range, bytes.iter().copied());
            }
            Self::Flip(place, bit) => {
                let at = place.index(input.len().max(1));
                if let Some(byte) = input.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Repeat(part, times) => {
                let range = part.of(input);
                let repeated = input.get(range.clone()).unwrap_or_default().repeat(*times);
                input.splice(range.end..range.end, repeated);
            }
            Self::Splice(part, entry, with) => {
                let range = part.of(input);
                input.splice(range, other(entry, with));
            }
            Self::Insert(place, entry, part) => {
                let boundaries = Grain::Token.boundaries(input);
                let at = *place.get(&boundaries);
                input.splice(at..at, other(entry, part));
            }
            Self::End(place) => input.truncate(place.index(input.len() + 1)),
        }
    }
}

// === impl Part ===

impl Part {
    fn of(&self, bytes: &[u8]) -> Range<usize> {
        let boundaries = self.grain.boundaries(bytes);
        let start = self.start.index(boundaries.len());
        let at = |index: usize| boundaries.get(index).copied().unwrap_or(bytes.len());
        at(start)..at(start + self.length)
    }
}

// === impl Grain ===

impl Grain {
    /// Returns the offsets at which parts start and end, including the end of `bytes`.
    fn boundaries(self, bytes: &[u8]) -> Vec<usize> {
        let is_boundary = |pair: &[u8]| match (self, pair) {
            (Self::Byte, _) => true,
            (Self::Line, [before, _]) => *before == b'\n',
            (Self::Token, [before, next]) => !is_in_word(*before) || !is_in_word(*next),
            _ => false,
        };
        let inner = bytes.windows(2).zip(1..);
        let inner = inner
            .filter(|(pair, _)| is_boundary(pair))
            .map(|(_, at)| at);
        std::iter::once(0)
            .chain(inner)
            .chain([bytes.len()])
            .collect()
    }
}

fn is_in_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}
