//! From the queue into the store, and from there to the handlers: in that order.
//!
//! ```text
//! DeltaFifo ── batch ──► one transaction on the Indexer ──► notifications to the Processor
//! ```
//!
//! `apply` compares deltas with the store and says what handlers are to be told; `task` is the
//! loop around it.

mod apply;
mod replay;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use self::replay::SnapshotReplay;
pub(crate) use self::task::Controller;
