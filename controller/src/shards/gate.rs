//! [`ShardGate`]: lets a controller reconcile only the keys of slices that this replica owns.

use std::collections::{BTreeMap, HashMap};

use super::board::{Call, Turn};
use super::handle::Shards;
use super::slices::ShardBy;
use crate::base::sync::Mutex;
use crate::engine;
use crate::object::ObjectKey;
use crate::shared_informer::GenericInformer;
use crate::workqueue::{Action, LOW_PRIORITY, Outcome, ReconcileReason, WorkQueue};

/// Keys of a controller whose slices this replica owns, and those that wait until it does.
pub(crate) struct ShardGate {
    shards: Shards,
    informer: GenericInformer,
    by: ShardBy,
    queue: WorkQueue<ObjectKey>,
    /// Slices that were open before the first key, with the numbers of their slots.
    known: BTreeMap<u16, u64>,
    /// Locked before the board, so that a change of the board finds each key that waits.
    waiting: Mutex<HashMap<ObjectKey, (i32, ReconcileReason)>>,
}

// === impl ShardGate ===

impl ShardGate {
    pub(crate) fn new(
        shards: Shards,
        informer: GenericInformer,
        queue: WorkQueue<ObjectKey>,
    ) -> Self {
        let mut known = BTreeMap::new();
        shards.board().gained(&mut known);
        Self {
            known,
            by: shards.scope().by(informer.resource()),
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
    pub(crate) fn begin(
        &self,
        key: &ObjectKey,
        reason: &ReconcileReason,
        priority: i32,
    ) -> Result<Call, Outcome> {
        let slice = self.slice_of(key);
        let mut waiting = self.waiting.lock();
        match self.shards.board().begin(slice) {
            Turn::Run(call) => Ok(call),
            Turn::Foreign => Err(Outcome::Succeeded(Action::Done)),
            Turn::Wait => {
                let waits = waiting.entry(key.clone());
                let (known, _) = waits.or_insert((priority, reason.clone()));
                *known = priority.max(*known);
                Err(Outcome::PutBack)
            }
        }
    }

    /// Returns the key of a dropped call to the queue, from where it is dropped if its slice is not
    /// owned any more.
    pub(crate) fn put_back(&self, key: ObjectKey, reason: ReconcileReason, priority: i32) {
        self.queue.return_item(key, priority, reason);
    }

    /// Queues keys when their slices change, for ever: those that wait, and those of the objects in
    /// the cache, whose keys were dropped while the slice was another replica's.
    pub(crate) async fn run(&self) {
        let board = self.shards.board();
        let (mut changes, mut known) = (board.changes(), self.known.clone());
        // What has changed before counts too.
        changes.mark_changed();
        // The sender belongs to the shards.
        while changes.changed().await.is_ok() {
            let mut ready = Vec::new();
            self.waiting.lock().retain(|key, waits| {
                let still = board.waits(self.slice_of(key));
                if !still {
                    ready.push((key.clone(), waits.clone()));
                }
                still
            });
            for (key, (priority, reason)) in ready {
                self.put_back(key, reason, priority);
            }
            let gained = board.gained(&mut known);
            if gained.is_empty() {
                continue;
            }
            for key in self.informer.keys() {
                if self
                    .slice_of(&key)
                    .is_some_and(|slice| gained.contains(&slice))
                {
                    self.put_back(key, ReconcileReason::default(), LOW_PRIORITY);
                }
            }
        }
    }

    /// Returns the slice of a key; `None` if the uid decides, and the object is not in the cache.
    fn slice_of(&self, key: &ObjectKey) -> Option<u16> {
        let uid = match self.by {
            ShardBy::Namespace => None,
            ShardBy::Uid => engine::entry(&self.informer, key).0?.uid.clone(),
        };
        self.shards.scope().slice_of(self.by, key, uid.as_ref())
    }
}
