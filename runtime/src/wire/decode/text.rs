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
//! What is an error, and which, is for `serde_json` to say. Here an error is a refusal without a
//! reason, and whoever gets one asks `serde_json`. So what is rare may be refused even if it is right
//! (strings that nobody reads, of invalid UTF-8; nesting deeper than 127), but nothing that
//! `serde_json` refuses may pass, nor anything come out otherwise.
//!
//! # Invariants
//!
//! 1. Survey and decoder see strings, arrays and objects in the same order: the k-th mark belongs to
//!    the k-th of them, and the decoder takes one for each that it passes.
//! 2. A value counts only if no part of it was refused. A type may swallow an error and go on; where
//!    in the text it goes on then is `serde_json`'s own affair.

mod access;
mod decoder;
mod escape;
mod key;
mod number;
mod skip;
mod survey;

use std::cell::Cell;

use serde::de::DeserializeOwned;

use self::decoder::Decoder;

/// A text that is not decoded here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Refused;

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
/// Nothing is known but that `serde_json` is to be asked.
pub(super) fn from_slice<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, Refused> {
    let text = str::from_utf8(bytes).map_err(|_| Refused)?;
    // Taken, not borrowed: a type's own code may decode another text meanwhile.
    let mut marks = MARKS.take();
    let value = decode(text, &mut marks);
    if marks.capacity() <= MAX_KEPT_MARKS {
        MARKS.set(marks);
    }
    value
}

fn decode<T: DeserializeOwned>(text: &str, marks: &mut Vec<u32>) -> Result<T, Refused> {
    marks.clear();
    survey::survey(text.as_bytes(), marks)?;
    let mut decoder = Decoder::new(text, marks);
    let value = T::deserialize(&mut decoder)?;
    decoder.finish()?;
    Ok(value)
}

// === impl Refused ===

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("to be decoded otherwise")
    }
}

impl std::error::Error for Refused {}

impl serde::de::Error for Refused {
    fn custom<T: std::fmt::Display>(_: T) -> Self {
        Self
    }
}

#[cfg(any(test, fuzzing))]
pub(crate) mod fuzzing;
#[cfg(test)]
mod tests;
