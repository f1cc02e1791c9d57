//! Framing around objects, and operations on bytes without decoding.
//!
//! - `k8s\0` and a `runtime.Unknown` around each response and each watched object: `envelope`.
//! - A list is a message with `metadata = 1` and the repeated `items = 2`: `list`.
//! - A watch is a sequence of frames, each a length of four bytes and a bare `WatchEvent`: `watch`.
//! - `ObjectMeta` is field 1 of each object: `header`, `cut`.

mod cut;
mod envelope;
mod header;
mod list;
mod watch;

pub use self::cut::Cut;
pub use self::envelope::{Envelope, MEDIA_TYPE, PREFIX, WATCH_MEDIA_TYPE};
pub use self::header::{Entries, Header, OwnerReference, OwnerReferences};
pub use self::list::{ListMeta, ListSplitter, SplitError};
pub use self::watch::{BadFrame, Event, EventSplitter};

/// Maximum capacity that is reserved because of a length alone, in bytes.
const MAX_RESERVE: usize = 64 << 10;

#[cfg(test)]
mod tests;
