//! Properties of every reader and writer of this crate, for all inputs.
//!
//! Each function takes the input of one fuzz target and panics if a property is violated. The
//! targets of `fuzz/` run them under libFuzzer, which sets `cfg(fuzzing)`; `tests` runs them for
//! the committed corpora and for random inputs. Neither is part of the published crate.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a violated property panics, and each property handles few variants"
)]

mod decode;
mod frames;

pub use self::decode::{protobuf_decode, protobuf_encode};
pub use self::frames::protobuf_frames;
pub use crate::wire::fuzzing::protobuf_records;

/// Memory that a reader may hold in addition to a multiple of its input, in bytes: buffers of a
/// fixed size.
const MEMORY: usize = 256 << 10;

/// Returns the peak of the memory that `work` allocates, in bytes.
fn peak_memory(work: impl FnOnce()) -> usize {
    let peak = allocation_counter::measure(work).bytes_max;
    usize::try_from(peak).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
