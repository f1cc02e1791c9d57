//! Moves batches from the queue into the store, then notifies the handlers.
//!
//! ```text
//! DeltaFifo ── batch ──► one transaction on the Indexer ──► notifications to the Processor
//!                                          └─► the user's WriteThroughStore, if there is one ─┘
//! ```
//!
//! `apply` compares deltas with the store and returns the notifications for the handlers; `task` is
//! the loop around it. `store` brings a user's [`WriteThroughStore`] up to date with the indexer
//! before any handler is notified.

mod apply;
mod first_lists;
mod known;
mod replay;
mod store;
mod task;
#[cfg(test)]
mod tests;

pub(crate) use self::first_lists::FirstLists;
pub(crate) use self::replay::SnapshotReplay;
pub(crate) use self::store::{MakeStore, Mirror, make_store};
pub use self::store::{StoreBatch, WriteThroughStore};
pub(crate) use self::task::Controller;
