//! [`Queue`]: the interface of both orders.

use super::delta::{Batch, Delta};

/// Deltas that wait for the consumer, in one order. Pure.
pub(super) trait Queue: Send {
    /// Adds a delta, and returns the deltas that left the queue unseen: the caller drops them after
    /// releasing the lock.
    fn push(&mut self, delta: Delta) -> Vec<Delta>;
    /// Removes and returns up to `max` leading deltas, or one delta that concerns the whole store.
    fn pop(&mut self, max: usize) -> Option<Batch>;
    fn len(&self) -> usize;
    /// Returns the size of the objects of all deltas, in bytes.
    fn bytes(&self) -> usize;
}
