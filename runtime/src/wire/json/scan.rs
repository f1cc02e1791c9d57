//! Finds where a JSON value ends, in pieces of any size.
//!
//! Counts brackets and knows strings; it does not check that the value is well formed, which the
//! decoder does. Every byte is looked at once, whatever the frame boundaries.

/// Where in a value the last piece ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Before the first byte.
    Start,
    /// In an object or array, outside strings.
    Outside,
    /// In a string.
    Text,
    /// Behind a backslash in a string. The digits of `\uXXXX` are like any other text.
    Escape,
    /// In a number, `true`, `false` or `null`.
    Scalar,
}

/// Scans one value.
#[derive(Debug, Clone)]
pub(super) struct ValueScan {
    depth: u32,
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
            depth: 0,
            state: State::Start,
        }
    }

    /// Goes on with `piece`, which starts where the piece before ended.
    pub(super) fn feed(&mut self, piece: &[u8]) -> Scan {
        let mut at = 0;
        loop {
            let rest = piece.get(at..).unwrap_or_default();
            match self.state {
                State::Start => match rest.first() {
                    None => return Scan::More,
                    Some(b'{' | b'[') => {
                        self.depth = 1;
                        self.state = State::Outside;
                        at += 1;
                    }
                    Some(b'"') => {
                        self.state = State::Text;
                        at += 1;
                    }
                    Some(b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => self.state = State::Scalar,
                    Some(_) => return Scan::Bad,
                },
                State::Outside => {
                    let Some((found, class)) = find_structural(rest) else {
                        return Scan::More;
                    };
                    at += found + 1;
                    match class {
                        QUOTE => self.state = State::Text,
                        OPEN => self.depth = self.depth.saturating_add(1),
                        _ => {
                            self.depth = self.depth.saturating_sub(1);
                            if self.depth == 0 {
                                return Scan::End(at);
                            }
                        }
                    }
                }
                State::Text => {
                    let Some((found, byte)) = find_text_stop(rest) else {
                        return Scan::More;
                    };
                    at += found + 1;
                    if byte == b'\\' {
                        self.state = State::Escape;
                    } else if self.depth == 0 {
                        return Scan::End(at);
                    } else {
                        self.state = State::Outside;
                    }
                }
                State::Escape => {
                    if rest.is_empty() {
                        return Scan::More;
                    }
                    at += 1;
                    self.state = State::Text;
                }
                State::Scalar => {
                    return match rest.iter().position(|&byte| ends_scalar(byte)) {
                        None => Scan::More,
                        Some(found) => Scan::End(at + found),
                    };
                }
            }
        }
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

const OTHER: u8 = 0;
const QUOTE: u8 = 1;
const OPEN: u8 = 2;
const CLOSE: u8 = 3;

/// What each byte means outside strings.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CLASSES: [u8; 256] = {
    let mut classes = [OTHER; 256];
    classes[b'"' as usize] = QUOTE;
    classes[b'{' as usize] = OPEN;
    classes[b'[' as usize] = OPEN;
    classes[b'}' as usize] = CLOSE;
    classes[b']' as usize] = CLOSE;
    classes
};

/// The first quote or bracket, and which it is.
fn find_structural(bytes: &[u8]) -> Option<(usize, u8)> {
    bytes.iter().enumerate().find_map(|(at, &byte)| {
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER);
        (class != OTHER).then_some((at, class))
    })
}

/// How many words are looked at before `memchr` is called: it is fast on long texts only, and most
/// names and values are short.
const SHORT_WORDS: usize = 4;
const WORD: usize = size_of::<u64>();

/// The first quote or backslash, and which it is.
fn find_text_stop(bytes: &[u8]) -> Option<(usize, u8)> {
    let mut rest = bytes;
    let mut at = 0;
    for _ in 0..SHORT_WORDS {
        let Some((word, tail)) = rest.split_first_chunk::<WORD>() else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        let found = bytes_equal(word, b'"') | bytes_equal(word, b'\\');
        if found != 0 {
            let index = found.trailing_zeros() / u8::BITS;
            let byte = if (word >> (index * u8::BITS)) & 0xff == u64::from(b'"') {
                b'"'
            } else {
                b'\\'
            };
            return Some((at + index as usize, byte));
        }
        at += WORD;
        rest = tail;
    }
    let found = memchr::memchr2(b'"', b'\\', rest)?;
    Some((at + found, rest.get(found).copied()?))
}

/// Sets the high bit of each byte of `word` that equals `byte`; exact up to the first of them.
fn bytes_equal(word: u64, byte: u8) -> u64 {
    const LOW: u64 = u64::from_le_bytes([0x01; WORD]);
    const HIGH: u64 = u64::from_le_bytes([0x80; WORD]);
    let difference = word ^ (LOW * u64::from(byte));
    difference.wrapping_sub(LOW) & !difference & HIGH
}

#[cfg(test)]
mod tests {
    use super::*;

    fn end_of(pieces: &[&[u8]]) -> Option<usize> {
        let mut scan = ValueScan::new();
        let mut before = 0;
        for piece in pieces {
            match scan.feed(piece) {
                Scan::More => before += piece.len(),
                Scan::End(at) => return Some(before + at),
                Scan::Bad => return None,
            }
        }
        None
    }

    /// W-02.
    #[test]
    fn w02_a_value_ends_at_the_same_byte_for_every_cut() {
        let values = [
            r#"{"a":[1,{"b":"}]\\\"\u007d"}],"c":"0123456789 0123456789 0123456789 0123456789"}"#,
            r#""a \" b""#,
            r#""""#,
            "[]",
            "-12.5e3",
            "null",
            "[[[[]]]]",
        ];
        for value in values {
            let text = format!("{value},\"next\"");
            for first in 0..=text.len() {
                for second in first..=text.len() {
                    let bytes = text.as_bytes();
                    let pieces = [&bytes[..first], &bytes[first..second], &bytes[second..]];
                    assert_eq!(end_of(&pieces), Some(value.len()), "{value}");
                }
            }
        }
    }

    #[test]
    fn what_is_no_value_is_said_to_be_none() {
        for text in ["}", "]", ",", ":", "x", "\u{0}"] {
            assert_eq!(ValueScan::new().feed(text.as_bytes()), Scan::Bad);
        }
    }

    #[test]
    fn a_text_stop_is_found_at_every_distance() {
        for length in 0..80 {
            for stop in [b'"', b'\\'] {
                // Neighbours that differ by one bit or carry must not be taken for it.
                let mut text = vec![b'#'; length];
                text.push(stop);
                text.extend_from_slice(b"!\"\\]");
                assert_eq!(find_text_stop(&text), Some((length, stop)));
            }
            assert_eq!(find_text_stop(&vec![b'!'; length]), None);
        }
    }
}
