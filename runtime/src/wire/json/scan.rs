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
        // Kept in registers; written back only if the value goes on.
        let Self {
            mut depth,
            mut state,
        } = *self;
        let mut rest = piece;
        loop {
            match state {
                State::Start => match rest.split_first() {
                    None => break,
                    Some((b'{' | b'[', tail)) => {
                        depth = 1;
                        state = State::Outside;
                        rest = tail;
                    }
                    Some((b'"', tail)) => {
                        state = State::Text;
                        rest = tail;
                    }
                    Some((b'-' | b'0'..=b'9' | b't' | b'f' | b'n', _)) => state = State::Scalar,
                    Some(_) => return Scan::Bad,
                },
                State::Outside => {
                    let Some((class, tail)) = find_structural(rest) else {
                        break;
                    };
                    rest = tail;
                    match class {
                        QUOTE => state = State::Text,
                        OPEN => depth = depth.saturating_add(1),
                        _ => depth = depth.saturating_sub(1),
                    }
                    if depth == 0 {
                        return Scan::End(piece.len() - rest.len());
                    }
                }
                State::Text => {
                    let Some((stop, tail)) = find_text_stop(rest) else {
                        break;
                    };
                    rest = tail;
                    state = match stop {
                        b'\\' => State::Escape,
                        _ if depth == 0 => return Scan::End(piece.len() - rest.len()),
                        _ => State::Outside,
                    };
                }
                State::Escape => {
                    let Some((_, tail)) = rest.split_first() else {
                        break;
                    };
                    rest = tail;
                    state = State::Text;
                }
                State::Scalar => match rest.iter().position(|&byte| ends_scalar(byte)) {
                    None => break,
                    Some(found) => return Scan::End(piece.len() - rest.len() + found),
                },
            }
        }
        *self = Self { depth, state };
        Scan::More
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

/// The class of the first quote or bracket, and what follows it.
fn find_structural(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let mut rest = bytes;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        let class = CLASSES.get(usize::from(byte)).copied().unwrap_or(OTHER);
        if class != OTHER {
            return Some((class, rest));
        }
    }
    None
}

/// How many words are looked at before `memchr` is called: it is fast on long texts only, and most
/// names and values are short.
const SHORT_WORDS: usize = 4;
const WORD: usize = size_of::<u64>();

/// The first quote or backslash, and what follows it.
fn find_text_stop(bytes: &[u8]) -> Option<(u8, &[u8])> {
    let mut rest = bytes;
    for _ in 0..SHORT_WORDS {
        let Some((word, tail)) = rest.split_first_chunk::<WORD>() else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        let found = bytes_equal(word, b'"') | bytes_equal(word, b'\\');
        if found != 0 {
            let index = (found.trailing_zeros() / u8::BITS) as usize;
            let (&stop, behind) = rest.get(index..)?.split_first()?;
            return Some((stop, behind));
        }
        rest = tail;
    }
    let found = memchr::memchr2(b'"', b'\\', rest)?;
    let (&stop, behind) = rest.get(found..)?.split_first()?;
    Some((stop, behind))
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
                assert_eq!(find_text_stop(&text), Some((stop, &text[length + 1..])));
            }
            assert_eq!(find_text_stop(&vec![b'!'; length]), None);
        }
    }
}
