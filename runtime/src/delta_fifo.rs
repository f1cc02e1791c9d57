//! The queue between reflector and controller.
//!
//! ```text
//! reflector ── push ──► [ Added a | Updated b | ReplacedAll | Deleted a | Bookmark ] ── pop ──► controller
//! ```
//!
//! Deltas leave the queue in one of two orders. [`Order::Global`], the default, is the server's
//! order: no delta is merged or dropped. [`Order::PerKey`] is the order of client-go's `DeltaFIFO`:
//! all pending deltas of a key leave together, at the position of the first one, and a
//! [`Compression`] reduces them while they wait.
//!
//! The queue is bounded. A full queue makes the reflector wait, which stops reading from the
//! socket. `per_key` and `compression` are pure; `delta_fifo` adds the lock and the waiting.

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
pub use self::delta_fifo::{Capacity, Closed, DeltaFifo};
