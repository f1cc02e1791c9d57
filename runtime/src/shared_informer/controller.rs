//! From the queue into the store, and from there to the handlers: in that order.
//!
//! ```text
//! DeltaFifo ── batch ──► one transaction on the Indexer ──► notifications to the Processor
//!                                          └─► the user's WriteThroughStore, if there is one ─┘
//! ```
//!
//! `apply` compares deltas with the store and says what handlers are to be told; `task` is the
//! loop around it. `mirror` brings a [`WriteThroughStore`] of the user's to where the indexer is, before
//! anybody is told.

mod apply;
mod known;
mod mirror;
mod replay;
mod store;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use self::mirror::Mirror;
pub(crate) use self::replay::SnapshotReplay;
pub(crate) use self::store::{MakeStore, make_store};
pub use self::store::{StoreBatch, WriteThroughStore};
pub(crate) use self::task::Controller;
