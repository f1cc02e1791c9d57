//! The queue between reflector and controller.
//!
//! ```text
//! reflector ── push ──► [ Added a | Updated b | ReplacedAll | Deleted a | Bookmark ] ── pop ──► controller
//! ```
//!
//! Deltas leave the queue in one of two orders. [`Order::Global`], the default, is the server's
//! order: no delta is merged or dropped. [`Order::PerKey`] is the order of client-go's `DeltaFIFO`:
//! all pending deltas of a key leave together, at the position of the first one, and
//! two consecutive deletions are merged. Only `order` knows which order is in use.
//!
//! The queue is bounded. A full queue makes the reflector wait, which stops reading from the
//! socket. `global` and `per_key` are pure; `delta_fifo` adds the lock and the waiting.

mod arrivals;
mod delta;
mod delta_fifo;
mod global;
mod order;
mod per_key;
mod queue;
#[cfg(test)]
pub(crate) mod tests;

#[doc(hidden)]
pub use self::delta::Part;
pub use self::delta::{Batch, Delta, Listed, Removed, Replacement};
pub use self::delta_fifo::{Capacity, Closed, DeltaFifo};
pub use self::order::Order;
pub use self::per_key::KnownObjects;
