//! Properties of every reader of bytes, for any input.
//!
//! Each function takes the input of one fuzz target and panics if a property is violated. The
//! targets of `fuzz/` run the functions under libFuzzer, which sets `cfg(fuzzing)`; [`tests`] runs
//! them on the committed corpora and on random inputs. This module is not part of the published
//! crate.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a violated property panics, and properties match few variants of large enums"
)]

mod answer;
mod document;
mod mark;
mod object;
mod packed;
mod speller;
mod split;
mod text;

pub use self::answer::{api_status, discovery};
pub use self::object::{envelope_object, json_object};
#[cfg(test)]
pub(crate) use self::object::{remove, scalars};
pub use self::packed::packed;
pub(crate) use self::speller::Speller;
pub use self::split::{envelope_list, envelope_watch, json_list, json_watch};
pub use self::text::{
    drop_fields, field_path, field_selector, label_selector, object_key, versions,
};
pub use crate::source::fuzzing::gzip;
pub use crate::wire::fuzzing::{json_decode, json_scan};

/// Memory that a reader may allocate in addition to a multiple of its input, in bytes: buffers of
/// fixed size.
pub(crate) const MEMORY: usize = 512 << 10;

/// Returns the peak of the bytes that `work` has allocated at one time.
pub(crate) fn peak_memory(work: impl FnOnce()) -> usize {
    let peak = allocation_counter::measure(work).bytes_max;
    usize::try_from(peak).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
