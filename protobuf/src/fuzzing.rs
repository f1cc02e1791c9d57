//! What must hold for every reader and writer of this crate, whatever the bytes.
//!
//! Each function takes the input of one fuzz target and panics where a property is violated. The targets
//! of `fuzz/` run them under libFuzzer, which sets `cfg(fuzzing)`; `tests` runs them for the committed
//! corpora and for random inputs. Neither is part of the crate that users get.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a property that is violated panics, and is of few forms of many"
)]

mod decode;
mod frames;

pub use self::decode::{protobuf_decode, protobuf_encode};
pub use self::frames::protobuf_frames;
pub use crate::wire::fuzzing::protobuf_records;

/// What a reader may hold beside a multiple of its input, in bytes: buffers of a fixed size.
const MEMORY: usize = 256 << 10;

/// The most that `work` holds at once of what it allocates, in bytes.
fn peak_memory(work: impl FnOnce()) -> usize {
    let peak = allocation_counter::measure(work).bytes_max;
    usize::try_from(peak).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests;
