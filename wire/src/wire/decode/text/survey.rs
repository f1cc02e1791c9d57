//! The first pass: finds the ends of strings, and counts the parts of arrays and objects.

use super::error::Error;
use crate::wire::word::{self, WORD};

/// Flag in the mark of a string that contains escapes.
const ESCAPED: u32 = 1 << 31;

/// Maximum nesting of values, the same as that of `serde_json`.
pub(super) const MAX_DEPTH: usize = 127;

/// Fills `marks`: the offset of the closing quote for a string, the number of commas for an array
/// or object.
///
/// This pass reads brackets, commas and strings only. The second pass checks the rest.
pub(super) fn survey(bytes: &[u8], marks: &mut Vec<u32>) -> Result<(), Error> {
    if u32::try_from(bytes.len()).is_ok_and(|length| length < ESCAPED) {
        survey_values(bytes, marks)
    } else {
        Err(Error::malformed())
    }
}

/// Returns the end of the string with this mark, and whether the string contains escapes.
pub(super) fn string_end(mark: u32) -> (usize, bool) {
    ((mark & !ESCAPED) as usize, mark & ESCAPED != 0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the text is shorter than 2 GiB"
)]
fn survey_values(bytes: &[u8], marks: &mut Vec<u32>) -> Result<(), Error> {
    // Marks of the arrays and objects around the innermost one, and their commas so far.
    let mut around: Vec<(usize, u32)> = Vec::with_capacity(MAX_DEPTH);
    let mut open = usize::MAX;
    let mut commas = 0;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        at += 1;
        match CLASSES.get(usize::from(byte)) {
            Some(Class::Quote) => {
                let (end, escaped) = find_end(bytes, at)?;
                marks.push(end as u32 | escaped);
                at = end + 1;
            }
            Some(Class::Comma) => commas += 1,
            Some(Class::Open) => {
                if around.len() == MAX_DEPTH {
                    return Err(Error::malformed());
                }
                around.push((open, commas));
                (open, commas) = (marks.len(), 0);
                marks.push(0);
            }
            Some(Class::Close) => {
                if let Some(mark) = marks.get_mut(open) {
                    *mark = commas;
                }
                (open, commas) = around.pop().ok_or_else(Error::malformed)?;
            }
            Some(Class::Other) | None => {}
        }
    }
    Ok(())
}

/// Returns the end of the string whose text starts at `start`, and [`ESCAPED`] if it contains
/// escapes.
fn find_end(bytes: &[u8], start: usize) -> Result<(usize, u32), Error> {
    let mut escaped = 0;
    let mut at = start;
    loop {
        let stop = find_stop(bytes, at).ok_or_else(Error::malformed)?;
        match bytes.get(stop) {
            Some(b'"') => return Ok((stop, escaped)),
            Some(b'\\') => {
                escaped = ESCAPED;
                at = stop + 2;
            }
            _ => return Err(Error::malformed()),
        }
    }
}

/// Number of words to check one by one: most strings are short.
const SHORT_WORDS: usize = 6;
/// Number of bytes that the compiler checks with a few vector instructions.
const BLOCK: usize = 32;

/// Returns the offset of the first quote, backslash or control byte at or after `at`.
fn find_stop(bytes: &[u8], mut at: usize) -> Option<usize> {
    for _ in 0..SHORT_WORDS {
        let Some(word) = bytes.get(at..).and_then(<[u8]>::first_chunk::<WORD>) else {
            break;
        };
        let word = u64::from_le_bytes(*word);
        let found = word::equal(word, b'"') | word::equal(word, b'\\') | word::below(word, b' ');
        if found != 0 {
            return Some(at + word::first(found));
        }
        at += WORD;
    }
    while let Some(block) = bytes.get(at..).and_then(<[u8]>::first_chunk::<BLOCK>) {
        if block.iter().fold(false, |any, &byte| any | is_stop(byte)) {
            break;
        }
        at += BLOCK;
    }
    let found = bytes.get(at..)?.iter().position(|&byte| is_stop(byte));
    found.map(|found| at + found)
}

#[expect(
    clippy::needless_bitwise_bool,
    reason = "avoids a branch for each byte"
)]
fn is_stop(byte: u8) -> bool {
    (byte == b'"') | (byte == b'\\') | (byte < b' ')
}

#[derive(Debug, Clone, Copy)]
enum Class {
    Other,
    Quote,
    Comma,
    Open,
    Close,
}

/// Class of each byte outside strings.
#[expect(clippy::indexing_slicing, reason = "evaluated by the compiler")]
const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    classes[b'"' as usize] = Class::Quote;
    classes[b',' as usize] = Class::Comma;
    classes[b'{' as usize] = Class::Open;
    classes[b'[' as usize] = Class::Open;
    classes[b'}' as usize] = Class::Close;
    classes[b']' as usize] = Class::Close;
    classes
};
