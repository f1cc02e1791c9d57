//! [`Order::Global`](super::Order::Global): deltas leave in the order of arrival. Pure.

use std::collections::{HashSet, VecDeque};

use foldhash::fast::RandomState;

use super::delta::{Batch, Delta};
use super::queue::Queue;

/// Deltas in the order of arrival.
#[derive(Debug, Default)]
pub(super) struct GlobalQueue {
    deltas: VecDeque<Delta>,
    /// Size of the objects of all deltas.
    bytes: usize,
}

// === impl GlobalQueue ===

impl Queue for GlobalQueue {
    fn push(&mut self, delta: Delta) -> Vec<Delta> {
        self.bytes += delta.bytes();
        self.deltas.push_back(delta);
        Vec::new()
    }

    fn len(&self) -> usize {
        self.deltas.len()
    }

    fn bytes(&self) -> usize {
        self.bytes
    }

    fn pop(&mut self, max: usize) -> Option<Batch> {
        let count = self.leading(max);
        let deltas: Vec<Delta> = self.deltas.drain(..count).collect();
        self.bytes -= deltas.iter().map(Delta::bytes).sum::<usize>();
        let reached = Vec::new();
        (!deltas.is_empty()).then_some(Batch { deltas, reached })
    }
}

impl GlobalQueue {
    /// Returns the number of leading deltas with distinct keys, at least one and at most `max`. A
    /// delta without a key counts alone.
    fn leading(&self, max: usize) -> usize {
        let mut keys = self.deltas.iter().map_while(Delta::key).take(max);
        let Some(first) = keys.next() else {
            return self.deltas.len().min(1);
        };
        // Fast path without a set: a single delta, or two deltas with the same key.
        let Some(second) = keys.next().filter(|second| *second != first) else {
            return 1;
        };
        let mut seen = HashSet::<_, RandomState>::from_iter([first, second]);
        2 + keys.take_while(|key| seen.insert(key)).count()
    }
}
