//! The queue between reflector and controller.
//!
//! ```text
//! reflector ── push ──► [ Added a | Updated b | ReplacedAll | Deleted a | Bookmark ] ── pop ──► controller
//! ```
//!
//! Deltas leave in one of two orders. [`Order::Global`], the default, is the server's: nothing is
//! merged or dropped. [`Order::PerKey`] is the classic `DeltaFIFO`: all that waits for a key leaves
//! together, at the place of the first, and is made fewer by a [`Compression`] while it waits.
//!
//! The queue is bounded: a full one makes the reflector wait, which stops reading from the socket.
//! `per_key` and `compression` are pure; `delta_fifo` adds the lock and the waiting.

mod arrivals;
mod compression;
mod delta;
mod delta_fifo;
mod per_key;
mod reached;
#[cfg(test)]
pub(crate) mod tests;

pub use self::compression::{Compression, DedupDeltas};
pub use self::delta::{Batch, Delta, KnownObjects, Listed, Order, Removed, Replacement};
pub use self::delta_fifo::{Closed, DeltaFifo};
