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
        let first = self.deltas.pop_front()?;
        let completes_initial = !self.populated && matches!(first, Delta::ReplacedAll(_));
        self.populated |= completes_initial;
        let alone = first.key().is_none();
        let mut keys = HashSet::new();
        keys.extend(first.key().cloned());
        let mut deltas = vec![first];
        while !alone && deltas.len() < max {
            let joins = self
                .deltas
                .front()
                .and_then(Delta::key)
                .is_some_and(|key| keys.insert(key.clone()));
            let Some(next) = joins.then(|| self.deltas.pop_front()).flatten() else {
                break;
            };
            deltas.push(next);
        }
        Some(Batch {
            deltas,
            is_initial: completes_initial,
            completes_initial,
            resource_version: None,
        })
    }
}
