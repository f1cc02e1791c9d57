//! Compares the end of a value with the result of a scan byte by byte, for every framing.

#![expect(clippy::missing_panics_doc, reason = "a violated property panics")]

use super::{Scan, ValueScan, ends_scalar};
use crate::fuzzing::Speller;

/// Maximum number of offsets at which an input is split.
const MAX_CUTS: usize = 300;

/// Checks the scanner of JSON values: the end of a value does not depend on the framing.
pub fn json_scan(bytes: &[u8]) {
    let end = naive_end_of(bytes);
    assert_eq!(end_of([bytes]), end, "{}", bytes.escape_ascii());
    for cut in 0..=bytes.len().min(MAX_CUTS) {
        let (first, second) = bytes.split_at(cut);
        assert_eq!(
            end_of([first, second]),
            end,
            "{} cut at {cut}",
            bytes.escape_ascii()
        );
    }
    let frames = Speller::for_input(bytes).frames(bytes);
    assert_eq!(end_of(frames), end, "{}", bytes.escape_ascii());
}

/// Returns the end of a value that arrives in these pieces.
pub(super) fn end_of<'a>(pieces: impl IntoIterator<Item = &'a [u8]>) -> Option<usize> {
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

/// Finds the end of a value byte by byte, as an oracle.
pub(super) fn naive_end_of(bytes: &[u8]) -> Option<usize> {
    let is_scalar = match bytes.first()? {
        b'{' | b'[' | b'"' => false,
        b'-' | b'0'..=b'9' | b't' | b'f' | b'n' => true,
        _ => return None,
    };
    let (mut depth, mut is_text, mut is_escaped) = (0, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if is_scalar {
            if ends_scalar(byte) {
                return Some(at);
            }
            continue;
        }
        // Also outside strings, where JSON does not allow backslashes.
        let was_escaped = std::mem::take(&mut is_escaped);
        match byte {
            b'\\' => is_escaped = !was_escaped,
            b'"' if !was_escaped => is_text = !is_text,
            b'{' | b'[' if !is_text => depth += 1,
            b'}' | b']' if !is_text => depth -= 1,
            _ => {}
        }
        if depth == 0 && !is_text {
            return Some(at + 1);
        }
    }
    None
}
