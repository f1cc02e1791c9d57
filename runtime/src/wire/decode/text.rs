//! JSON texts to values, as `serde_json` does it, with the room for each array known beforehand.
//!
//! ```text
//!   bytes ──► survey ──► a mark per string (its end) and per array and object (how many are in it)
//!     └───────► decoder ◄───┘   ──► the type's visitors, which are told sizes and borrow strings
//! ```
//!
//! `serde_json` cannot tell how long an array is: each `Vec` grows from four, is moved on the way, and
//! keeps what it has too much for as long as it lives. A typed Pod is a fifth smaller without that.
//!
//! Gives what `serde_json` gives, with two exceptions: invalid UTF-8 and nesting deeper than 127 are
//! errors even in values that no type reads, and a type that replaces a value which it refuses by
//! another one goes on behind that value, whatever it is.
//!
//! An error knows its path: it is noted while the error is on its way out. So a type's code is compiled
//! for one decoder of JSON.
//!
//! # Invariants
//!
//! 1. Survey and decoder see strings, arrays and objects in the same order: the k-th mark belongs to
//!    the k-th of them, and the decoder takes one for each that it passes.
//! 2. After a part of a value was decoded, the decoder is behind it, although the part's type may have
//!    swallowed an error half-way.

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
use self::error::Error;

/// The largest list of marks that a thread keeps for its next text.
const MAX_KEPT_MARKS: usize = 16 << 10;

thread_local! {
    /// Room for the marks of one text.
    static MARKS: Cell<Vec<u32>> = const { Cell::new(Vec::new()) };
}

/// Decodes a text that is one value.
///
/// # Errors
///
/// The text is not JSON, or a value is none of its type.
pub(super) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Error> {
    let text = str::from_utf8(bytes).map_err(|_| Error::malformed())?;
    // Taken, not borrowed: a type's own code may decode another text meanwhile.
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
    let value = T::deserialize(&mut decoder)?;
    decoder.settle(start)?;
    decoder.finish()?;
    Ok(value)
}

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
#[cfg(test)]
mod tests;
