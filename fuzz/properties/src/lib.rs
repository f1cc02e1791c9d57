//! Properties of every reader of bytes that come from a network or from files of strangers, for any
//! input.
//!
//! Each function takes the input of one fuzz target and panics if a property is violated. The
//! targets of `fuzz/` run the functions under libFuzzer. The tests of this package run them on the
//! committed corpora, on random inputs that resemble the entries, and on generated documents.

#![expect(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    clippy::panic,
    clippy::wildcard_enum_match_arm,
    reason = "a violated property panics, and properties match few variants of large enums"
)]

mod answer;
mod document;
mod generator;
pub mod hostile;
mod mark;
mod object;
mod protobuf;
mod server;
mod speller;
mod split;

pub use self::answer::{api_status, discovery};
pub use self::generator::{gen_declaration, gen_index, gen_manifest, gen_source, in_file};
pub use self::hostile::gen_hostile;
pub use self::object::{envelope_object, json_object};
pub use self::protobuf::{protobuf_decode, protobuf_encode};
pub use self::server::server;
pub use self::split::{envelope_list, envelope_watch, json_list, json_watch};

/// Memory that a reader may allocate in addition to a multiple of its input, in bytes: buffers of
/// fixed size.
const MEMORY: usize = 512 << 10;

/// Returns the peak of the bytes that `work` has allocated at one time.
fn peak_memory(work: impl FnOnce()) -> usize {
    let peak = allocation_counter::measure(work).bytes_max;
    usize::try_from(peak).unwrap_or(usize::MAX)
}
