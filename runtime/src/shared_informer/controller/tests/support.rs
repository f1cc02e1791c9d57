//! Support for tests: applies batches to a store, and formats the events.

use std::cell::RefCell;
use std::sync::Arc;

use crate::coverage::Coverage;
use crate::delta_fifo::tests::support::{Version, delta};
use crate::delta_fifo::{Batch, DeltaFifo, Order};
use crate::event::Event;
use crate::indexer::Indexer;
use crate::object::Scope;
pub(super) use crate::processor::tests::support::text as event_text;
use crate::shared_informer::controller::FirstLists;
use crate::shared_informer::controller::apply::Apply;
use crate::storage::Entry;

/// Store, and its first lists.
pub(super) struct World {
    pub(super) store: Indexer<Version>,
    pub(super) first_lists: RefCell<FirstLists>,
    /// Part of the objects that one of several replicas caches.
    coverage: Coverage,
}

impl World {
    pub(super) fn new() -> Self {
        Self {
            store: Indexer::new(Scope::Cluster),
            first_lists: RefCell::new(FirstLists::new(vec![None])),
            coverage: Coverage::default(),
        }
    }

    /// Returns the world of a replica that owns all slices.
    pub(super) fn sharded() -> Self {
        Self {
            coverage: Coverage::part(|_, _| true),
            ..Self::new()
        }
    }

    /// Returns a queue in front of the store.
    pub(super) fn queue(&self, order: Order) -> DeltaFifo {
        DeltaFifo::new(order, usize::MAX, Arc::new((*self.store).clone()))
    }

    /// Applies deltas one by one; the first list is the initial one. Returns the events.
    pub(super) fn apply(&self, script: &str) -> String {
        let mut texts = Vec::new();
        for word in script.split_whitespace() {
            texts.extend(self.delta(word).iter().map(event_text));
        }
        texts.join(" ")
    }

    /// Applies one delta.
    pub(super) fn delta(&self, word: &str) -> Vec<Event<Entry>> {
        self.batch(Batch {
            deltas: vec![delta(word)],
            reached: Vec::new(),
        })
    }

    pub(super) fn batch(&self, batch: Batch) -> Vec<Event<Entry>> {
        let first_lists = &mut self.first_lists.borrow_mut();
        self.store.transaction(|store| {
            let mut apply = Apply::new(store, first_lists, true, &self.coverage);
            for delta in batch.deltas {
                apply.delta(delta);
            }
            apply.finish(batch.reached)
        })
    }

    /// Formats the stored objects, the undecodable marks, and the version: `a@1 b@2 !c@3 at 5`.
    pub(super) fn stored(&self) -> String {
        let snapshot = self.store.snapshot();
        let stored = snapshot
            .entries()
            .map(|entry| format!("{}@{} ", entry.key, entry.typed::<Version>()));
        let undecodable = snapshot
            .undecodable_all()
            .map(|object| format!("!{}@{} ", object.key, object.resource_version));
        let text: String = stored.chain(undecodable).collect();
        format!("{text}at {}", snapshot.resource_version())
    }
}
