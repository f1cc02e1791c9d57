//! What must hold for every reader of bytes, whatever the bytes.
//!
//! Each function takes the input of one fuzz target and panics where a property is violated. The targets
//! of `fuzz/` run them under libFuzzer, which sets `cfg(fuzzing)`; [`tests`] runs them for the committed
//! corpora and for random inputs. Neither is part of the crate that users get.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a property that is violated panics, and is of few forms of many"
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

/// What a reader may hold beside a multiple of its input, in bytes: buffers of a fixed size.
pub(crate) const MEMORY: usize = 512 << 10;

/// The most that `work` holds at once of what it allocates, in bytes.
pub(crate) fn peak_memory(work: impl FnOnce()) -> usize {
    let peak = allocation_counter::measure(work).bytes_max;
    usize::try_from(peak).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
