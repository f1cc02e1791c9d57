//! [`Queue`]: the interface of both orders.

use super::delta::{Batch, Delta};
use crate::object::ObjectKey;

/// Deltas that wait for the consumer, in one order. Pure.
pub(super) trait Queue: Send {
    /// Adds a delta, and returns the deltas that left the queue unseen.
    fn push(&mut self, delta: Delta) -> Discarded;
    /// Removes and returns up to `max` leading deltas, or one delta that concerns the whole store.
    fn pop(&mut self, max: usize) -> Option<Batch>;
    /// Returns the number of deltas.
    fn len(&self) -> usize;
    /// Returns the size of the objects of all deltas, in bytes.
    fn bytes(&self) -> usize;
}

/// Deltas that left the queue unseen, and rejected compressions. The caller drops and reports them
/// after releasing the lock.
#[derive(Debug, Default)]
pub(super) struct Discarded {
    pub(super) deltas: Vec<Delta>,
    /// Keys with a rejected compression.
    pub(super) refused: Vec<(ObjectKey, Refusal)>,
}

/// Reason for which the result of a compression was rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum Refusal {
    #[error("it returned a delta that is not pending")]
    Invented,
    #[error("it dropped the last state")]
    LostState,
    /// The panic message is omitted, because it may quote the object.
    #[error("it panicked")]
    Panicked,
}
