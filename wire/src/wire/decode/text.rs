//! Decodes JSON texts as `serde_json` does, with exact capacities for arrays.
//!
//! ```text
//!   bytes ──► survey ──► a mark per string (its end) and per array and object (its number of parts)
//!     └───────► decoder ◄───┘   ──► the type's visitors, which receive sizes and borrow strings
//! ```
//!
//! `serde_json` does not know the length of an array in advance. Each `Vec` therefore grows step by
//! step, is moved on the way, and keeps its spare capacity for its whole life. Exact capacities
//! make decoded objects notably smaller.
//!
//! The results are those of `serde_json`, with two exceptions. Invalid UTF-8 and nesting deeper
//! than 127 are errors even in values that no type reads. If a type replaces a value that it
//! rejects by another value, decoding continues after the rejected value, whatever that value is.
//!
//! An error carries its path, which is recorded while the error propagates. A second
//! deserialization for the path is not needed, so the code of a type is compiled for one JSON
//! decoder.
//!
//! # Invariants
//!
//! 1. Survey and decoder see strings, arrays and objects in the same order: the k-th mark belongs
//!    to the k-th of them, and the decoder consumes one mark for each that it passes.
//! 2. After decoding a part of a value, the decoder is positioned after that part, even if the
//!    part's type swallowed an error half-way.

mod access;
mod decoder;
mod error;
mod escape;
mod key;
mod number;
mod skip;
mod survey;

use std::cell::Cell;

use serde::de::DeserializeOwned;

use self::decoder::Decoder;
pub(super) use self::error::Error;

/// Maximum capacity of the marks that a thread keeps for its next text.
const MAX_KEPT_MARKS: usize = 16 << 10;

thread_local! {
    /// Reusable buffer for the marks of one text.
    static MARKS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Decodes a text that is one value.
///
/// # Errors
///
/// Fails if the text is not JSON, or if a value is not valid for its type.
pub(super) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let text = str::from_utf8(bytes).map_err(|_| Error::malformed())?;
    // The buffer is taken, not borrowed, because user code of a type may decode another text
    // meanwhile.
    let mut marks = MARKS.take();
    let value = decode(text, &mut marks);
    if marks.capacity() <= MAX_KEPT_MARKS {
        MARKS.set(marks);
    }
    value
}

fn decode<T: DeserializeOwned>(text: &str, marks: &mut Vec<u32>) -> Result<T, Error> {
    marks.clear();
    survey::survey(text.as_bytes(), marks)?;
    let mut decoder = Decoder::new(text, marks);
    let start = decoder.position();
    let mut value = T::deserialize(&mut decoder);
    if value.is_ok()
        && let Err(error) = decoder.settle(start).and_then(|()| decoder.finish())
    {
        value = Err(error);
    }
    value
}

#[cfg(test)]
mod tests;
