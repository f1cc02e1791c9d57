//! [`Order::Global`](super::Order::Global): one line, nothing merged. Pure.

use std::collections::{HashSet, VecDeque};

use super::delta::{Batch, Delta};
use crate::ObjectKey;

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
        let first_key = first.key().cloned();
        let mut deltas = vec![first];
        if let Some(first_key) = first_key {
            self.take_distinct(first_key, &mut deltas, max);
        }
        Some(Batch {
            deltas,
            is_initial: completes_initial,
            completes_initial,
            resource_version: None,
        })
    }

    /// Moves what leads the queue behind `deltas`, whose one has this key, as long as keys are
    /// distinct.
    fn take_distinct(&mut self, first_key: ObjectKey, deltas: &mut Vec<Delta<H>>, max: usize) {
        // A change that comes alone, or is followed by one of the same key, needs no set.
        let second_key = self.deltas.front().and_then(Delta::key);
        if second_key.is_none_or(|key| *key == first_key) {
            return;
        }
        let mut keys = HashSet::from([first_key]);
        while deltas.len() < max {
            let front = self.deltas.front().and_then(Delta::key);
            let joins = front.is_some_and(|key| keys.insert(key.clone()));
            let Some(next) = joins.then(|| self.deltas.pop_front()).flatten() else {
                return;
            };
            deltas.push(next);
        }
    }
}
