//! Finds the end of a JSON value that arrives in pieces of any size.
//!
//! The scanner counts brackets outside strings. It does not validate the value; the decoder does.
//! Each byte is read once, whatever the frame boundaries.
//!
//! Objects and arrays are scanned in blocks (see `block`). A value that is itself a string is
//! usually a short name, for which a block would be too large.

mod block;

use self::block::{BLOCK, Texts};
use crate::wire::word::{self, WORD};

/// Position inside a value at the end of the last piece.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    Start,
    /// Inside an object or array.
    Nested(Nested),
    /// Inside a string that is the whole value.
    Text,
    /// After a backslash in such a string. The digits of `\uXXXX` need no special handling.
    Escape,
    /// Inside a number, `true`, `false` or `null`.
    Scalar,
}

/// Open brackets and strings of an object or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Nested {
    /// Number of open brackets; never 0.
    depth: u32,
    texts: Texts,
}

/// Scanner of one value.
#[derive(Debug, Clone)]
pub(super) struct ValueScan {
    state: State,
}

/// Result of scanning a piece of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// The value continues in the next piece.
    More,
    /// The value ends before this offset of the piece.
    End(usize),
    /// No value starts with this byte.
    Bad,
}

// === impl ValueScan ===

impl ValueScan {
    pub(super) fn new() -> Self {
        Self {
            state: State::Start,
        }
    }

    /// Creates a scanner that continues between the members of an object whose first part was
    /// already read.
    pub(super) fn between_members() -> Self {
        Self {
            state: State::Nested(Nested {
                depth: 1,
                texts: Texts::default(),
            }),
        }
    }

    /// Scans the next piece.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Scan {
        match &mut self.state {
            State::Start => self.start(piece),
            State::Nested(nested) => nested.feed(piece, 0),
            State::Text => self.text(piece, 0),
            State::Escape if piece.is_empty() => Scan::More,
            State::Escape => self.text(piece, 1),
            State::Scalar => {
                let end = piece.iter().position(|&byte| ends_scalar(byte));
                end.map_or(Scan::More, Scan::End)
            }
        }
    }

    fn start(&mut self, piece: &[u8]) -> Scan {
        match piece.first() {
            None => Scan::More,
            Some(b'{' | b'[') => {
                let mut nested = Nested {
                    depth: 1,
                    texts: Texts::default(),
                };
                let scan = nested.feed(piece, 1);
                self.state = State::Nested(nested);
                scan
            }
            Some(b'"') => self.text(piece, 1),
            Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => {
                self.state = State::Scalar;
                self.feed(piece)
            }
            Some(_) => Scan::Bad,
        }
    }

    /// Continues at `at` inside a string that is the whole value.
    fn text(&mut self, piece: &[u8], mut at: usize) -> Scan {
        while let Some((stop, length)) = find_text_stop(piece.get(at..).unwrap_or_default()) {
            at += length;
            if stop == b'"' {
                return Scan::End(at);
            }
            if at == piece.len() {
                self.state = State::Escape;
                return Scan::More;
            }
            at += 1;
        }
        self.state = State::Text;
        Scan::More
    }
}

// === impl Nested ===

impl Nested {
    /// Continues at `at`.
    fn feed(&mut self, piece: &[u8], at: usize) -> Scan {
        let mut rest = piece.get(at..).unwrap_or_default();
        // A local copy stays in registers. It is written back only if the value continues.
        let mut nested = *self;
        // The last block is padded with spaces, which have no effect.
        let mut last = [b' '; BLOCK];
        while !rest.is_empty() {
            let (block, tail) = if let Some(split) = rest.split_first_chunk::<BLOCK>() {
                split
            } else {
                for (to, &byte) in last.iter_mut().zip(rest) {
                    *to = byte;
                }
                (&last, [].as_slice())
            };
            let length = rest.len() - tail.len();
            if let Some(end) = nested.block(block, length) {
                return Scan::End(piece.len() - rest.len() + end);
            }
            rest = tail;
        }
        *self = nested;
        Scan::More
    }

    /// Scans a block whose first `length` bytes are valid. Returns the offset after the last
    /// closing bracket, if the value ends in this block.
    #[inline]
    fn block(&mut self, block: &[u8; BLOCK], length: usize) -> Option<usize> {
        let brackets = self.texts.brackets(block, length).without_empty();
        if brackets.open | brackets.close == 0 {
            return None;
        }
        let closed = brackets.close.count_ones();
        if closed >= self.depth
            && let Some(end) = brackets.end(self.depth)
        {
            return Some(end);
        }
        let opened = brackets.open.count_ones();
        self.depth = self.depth.saturating_add(opened).saturating_sub(closed);
        None
    }
}

/// Returns `true` for white space between tokens.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// Returns the offset of the first byte that is not white space.
pub(super) fn skip_space(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| !is_space(byte))
        .unwrap_or(bytes.len())
}

fn ends_scalar(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b']' | b'}')
}

/// Returns the length of a string with its closing quote, and whether the string contains escapes.
/// `bytes` start after the opening quote. Returns `None` if the string does not end.
pub(super) fn end_of_text(bytes: &[u8]) -> Option<(usize, bool)> {
    let (stop, end) = find_text_stop(bytes)?;
    if stop == b'"' {
        return Some((end, false));
    }
    match ValueScan::new().text(bytes, end - 1) {
        Scan::End(end) => Some((end, true)),
        Scan::More | Scan::Bad => None,
    }
}

/// Number of words to check before calling `memchr`, which is fast on long strings only. Most names
/// and values are short.
const SHORT_WORDS: usize = 4;

/// Returns the first quote or backslash, and the offset after it.
fn find_text_stop(bytes: &[u8]) -> Option<(u8, usize)> {
    let mut rest = bytes;
    for _ in 0..SHORT_WORDS {
        let Some((word, tail)) = rest.split_first_chunk::<WORD>() else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        let found = word::equal(word, b'"') | word::equal(word, b'\\');
        if found != 0 {
            let index = word::first(found);
            let stop = *rest.get(index)?;
            return Some((stop, bytes.len() - rest.len() + index + 1));
        }
        rest = tail;
    }
    let found = memchr::memchr2(b'"', b'\\', rest)?;
    let stop = *rest.get(found)?;
    Some((stop, bytes.len() - rest.len() + found + 1))
}

#[cfg(test)]
mod tests;
