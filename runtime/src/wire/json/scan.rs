//! Finds where a JSON value ends, in pieces of any size.
//!
//! Counts brackets and knows strings; it does not check that the value is well formed, which the
//! decoder does. Every byte is looked at once, whatever the frame boundaries.
//!
//! Objects and arrays are scanned by blocks (see `block`); a value that is a text itself is mostly a
//! name, too short for that.

mod block;

use self::block::{BLOCK, Texts};
use crate::wire::word::{self, WORD};

/// Where in a value the last piece ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    Start,
    /// In an object or array.
    Nested(Nested),
    /// In a text that is the whole value.
    Text,
    /// Behind a backslash in such a text. The digits of `\uXXXX` are like any other text.
    Escape,
    /// In a number, `true`, `false` or `null`.
    Scalar,
}

/// What is open of an object or array.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Nested {
    /// How many brackets; never none.
    depth: u32,
    texts: Texts,
}

/// Scans one value.
#[derive(Debug, Clone)]
pub(super) struct ValueScan {
    state: State,
}

/// What a piece of a value led to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scan {
    /// The value goes on in the next piece.
    More,
    /// The value ends before this offset of the piece.
    End(usize),
    /// No value starts like this.
    Bad,
}

// === impl ValueScan ===

impl ValueScan {
    pub(super) fn new() -> Self {
        Self {
            state: State::Start,
        }
    }

    /// Goes on between the members of an object whose start was read by other means.
    pub(super) fn between_members() -> Self {
        Self {
            state: State::Nested(Nested {
                depth: 1,
                texts: Texts::default(),
            }),
        }
    }

    /// Goes on with `piece`, which starts where the piece before ended.
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

    /// Goes on at `at`, in a text that is the whole value.
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
    /// Goes on at `at`.
    fn feed(&mut self, piece: &[u8], at: usize) -> Scan {
        let mut rest = piece.get(at..).unwrap_or_default();
        // Kept in registers; written back only if the value goes on.
        let mut now = *self;
        // The last block is filled up with spaces, which change nothing.
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
            if let Some(end) = now.block(block, length) {
                return Scan::End(piece.len() - rest.len() + end);
            }
            rest = tail;
        }
        *self = now;
        Scan::More
    }

    /// Goes on with a block whose first `length` bytes count. Says behind which of them all is
    /// closed.
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

/// Whether `byte` is white space between tokens.
pub(super) fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\n' | b'\r' | b'\t')
}

/// The offset of the first byte that is not white space.
pub(super) fn skip_space(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .position(|&byte| !is_space(byte))
        .unwrap_or(bytes.len())
}

fn ends_scalar(byte: u8) -> bool {
    is_space(byte) || matches!(byte, b',' | b']' | b'}')
}

/// How much of `bytes`, which start behind a text's opening quote, the text takes with its closing one,
/// and whether an escape is in it; `None` if it does not end.
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

/// How many words are looked at before `memchr` is called: it is fast on long texts only, and most
/// names and values are short.
const SHORT_WORDS: usize = 4;

/// The first quote or backslash, and how many bytes end with it.
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

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
#[cfg(test)]
mod tests;
