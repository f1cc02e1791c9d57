//! [`Order::Global`](super::Order::Global): one line, nothing merged. Pure.

use std::collections::{HashSet, VecDeque};

use super::delta::{Batch, Delta};

/// Deltas in the order in which they came.
#[derive(Debug)]
pub(super) struct GlobalQueue<H> {
    deltas: VecDeque<Delta<H>>,
    /// The first list has left the queue.
    populated: bool,
}

// === impl GlobalQueue ===

impl<H> GlobalQueue<H> {
    pub(super) fn new() -> Self {
        Self {
            deltas: VecDeque::new(),
            populated: false,
        }
    }

    pub(super) fn push(&mut self, delta: Delta<H>) {
        self.deltas.push_back(delta);
    }

    pub(super) fn len(&self) -> usize {
        self.deltas.len()
    }

    /// Takes up to `max` leading deltas with distinct keys, or one that is about the whole store.
    pub(super) fn pop(&mut self, max: usize) -> Option<Batch<H>> {
        let first = self.deltas.front()?;
        let completes_initial = !self.populated && matches!(first, Delta::ReplacedAll(_));
        self.populated |= completes_initial;
        let count = self.leading(max);
        let deltas = self.deltas.drain(..count).collect();
        Some(Batch {
            deltas,
            is_initial: completes_initial,
            completes_initial,
            resource_version: None,
        })
    }

    /// How many deltas lead the queue, at most `max` but one at least, whose keys are distinct; what
    /// has no key goes alone.
    fn leading(&self, max: usize) -> usize {
        let mut keys = self.deltas.iter().map_while(Delta::key).take(max);
        let Some(first) = keys.next() else {
            return 1;
        };
        // A change that comes alone, or is followed by one of the same key, needs no set.
        let Some(second) = keys.next().filter(|second| *second != first) else {
            return 1;
        };
        let mut seen = HashSet::from([first, second]);
        2 + keys.take_while(|key| seen.insert(key)).count()
    }
}
