//! [`ShardGate`]: lets a controller reconcile only the keys of slices that this replica owns.

use std::collections::BTreeSet;

use informer_runtime::engine;
use informer_runtime::{GenericInformer, ObjectKey};

use super::board::{Call, Moves, Turn};
use super::handle::Shards;
use crate::base::sync::Mutex;
use crate::workqueue::{
    Action, HeldKeys, LOW_PRIORITY, Outcome, Reasons, ReconcileReason, WorkQueue,
};

/// Keys of a controller whose slices this replica owns, and those that wait until it does.
pub(crate) struct ShardGate {
    shards: Shards,
    informer: GenericInformer,
    queue: WorkQueue<ObjectKey>,
    /// Moves of slices before the first key.
    before: Moves,
    /// Locked before the board, so that a change of the board finds each key that waits.
    waiting: Mutex<HeldKeys>,
}

// === impl ShardGate ===

impl ShardGate {
    pub(crate) fn new(
        shards: Shards,
        informer: GenericInformer,
        queue: WorkQueue<ObjectKey>,
    ) -> Self {
        Self {
            before: shards.board().moved(Moves::default()).until,
            shards,
            informer,
            queue,
            waiting: Mutex::default(),
        }
    }

    /// Begins a call for a key.
    ///
    /// # Errors
    ///
    /// Returns the outcome for a key that is not reconciled now: a key of another replica is dropped,
    /// and a key of a slice that the caches do not show completely yet returns to the queue later.
    pub(crate) fn begin(&self, key: &ObjectKey, priority: i32) -> Result<Call, Outcome> {
        let slice = self.slice_of(key);
        let mut waiting = self.waiting.lock();
        match self.shards.board().begin(slice) {
            Turn::Run(call) => Ok(call),
            Turn::Foreign => Err(Outcome::Succeeded(Action::Done)),
            Turn::Wait => {
                waiting.hold(key, priority);
                Err(Outcome::PutBack)
            }
        }
    }

    /// Returns a key to the queue, unless its slice is another replica's by now.
    pub(crate) fn put_back(&self, key: ObjectKey, priority: i32, reasons: Reasons) {
        if self.shards.board().has(self.slice_of(&key)) {
            self.queue.add_prioritized(key, priority, reasons);
        }
    }

    /// Follows the moves of slices, for ever. Queues the keys that wait, and those of the objects in
    /// the cache, whose keys were dropped while the slice was another replica's. The queue forgets the
    /// keys of slices that are given away or lost, and `forget` is called for them.
    pub(crate) async fn run(&self, forget: impl Fn(&ObjectKey)) {
        let board = self.shards.board();
        let mut changes = board.changes();
        let mut seen = self.before;
        // What has changed before counts too.
        changes.mark_changed();
        // The sender belongs to the shards.
        while changes.changed().await.is_ok() {
            let is_ready = |key: &_| !board.waits(self.slice_of(key));
            let ready = self.waiting.lock().take(is_ready);
            for (key, held) in ready {
                self.put_back(key, held.priority, held.reasons);
            }
            let moved = board.moved(seen);
            seen = moved.until;
            if moved.has_lost {
                let left = self.queue.retain(|key| board.has(self.slice_of(key)));
                left.iter().for_each(&forget);
            }
            if !moved.gained.is_empty() {
                self.queue_cached(&moved.gained);
            }
        }
    }

    /// Queues the keys of the cached objects of slices.
    fn queue_cached(&self, slices: &BTreeSet<u16>) {
        for key in self.informer.keys() {
            let Some(slice) = self.slice_of(&key) else {
                continue;
            };
            if slices.contains(&slice) {
                self.put_back(key, LOW_PRIORITY, ReconcileReason::default().into());
            }
        }
    }

    /// Returns the slice of a key; `None` if the uid decides, and the object is not in the cache: it is
    /// another replica's, or deleted.
    fn slice_of(&self, key: &ObjectKey) -> Option<u16> {
        let cached = self.shards.cached();
        if let Some(slice) = cached.slice_of(key, None) {
            return Some(slice);
        }
        let (entry, _) = engine::entry(&self.informer, key);
        cached.slice_of(key, entry?.uid.as_ref())
    }
}
