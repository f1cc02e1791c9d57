//! The first pass: where strings end, and how much is in each array and object.

use super::error::Error;
use crate::wire::word::{self, WORD};

/// Set in the mark of a string that has escapes.
const ESCAPED: u32 = 1 << 31;

/// How deep values may be nested: as deep as `serde_json` goes.
pub(super) const MAX_DEPTH: usize = 127;

/// Fills `marks`: of a string the offset of its closing quote, of an array or object the number of
/// commas in it.
///
/// Looks at brackets, commas and strings only. What else there is, the second pass checks.
pub(super) fn survey(bytes: &[u8], marks: &mut Vec<u32>) -> Result<(), Error> {
    if u32::try_from(bytes.len()).is_ok_and(|length| length < ESCAPED) {
        survey_values(bytes, marks)
    } else {
        Err(Error::malformed())
    }
}

/// The end of the string whose mark this is, and whether it has escapes.
pub(super) fn string_end(mark: u32) -> (usize, bool) {
    ((mark & !ESCAPED) as usize, mark & ESCAPED != 0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the text is shorter than 2 GiB"
)]
fn survey_values(bytes: &[u8], marks: &mut Vec<u32>) -> Result<(), Error> {
    // The marks of what is open around the innermost array or object, and their commas so far.
    let mut around: Vec<(usize, u32)> = Vec::with_capacity(MAX_DEPTH);
    let (mut open, mut commas) = (usize::MAX, 0);
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

/// Where the string ends whose text starts at `start`, and [`ESCAPED`] if it is.
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

/// How many words are looked at one by one: most strings are short.
const SHORT_WORDS: usize = 6;
/// What the compiler looks at in a few instructions of many bytes each.
const BLOCK: usize = 32;

/// The offset of the first byte from `at` on that no string holds as it is: a quote, a backslash, a
/// control character.
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
    reason = "without a branch for each byte"
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

/// What each byte means outside strings.
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
