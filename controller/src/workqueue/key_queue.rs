//! [`KeyQueue`]: a work queue as a target for object keys.

use std::fmt;
use std::sync::Arc;

use informer_runtime::ObjectKey;

use super::item::QueueItem;
use super::priority::LOW_PRIORITY;
use super::reason::ReconcileReason;
use super::work_queue::WorkQueue;

/// Work queue that accepts object keys, whatever the type of its items.
///
/// Created from a `&WorkQueue<ObjectKey>`, or from a queue of other items by
/// [`WorkQueue::map_key`]. Accepted by [`enqueue_into`](super::enqueue_into) and
/// [`enqueue_owner`](super::enqueue_owner). All clones add to the same queue.
#[derive(Clone)]
pub struct KeyQueue {
    pub(super) name: Arc<str>,
    add: Arc<Add>,
    add_all: Arc<AddAll>,
}

type Add = dyn Fn(ObjectKey, i32, ReconcileReason) + Send + Sync;

type AddAll = dyn Fn(&ReconcileReason) + Send + Sync;

// === impl KeyQueue ===

impl KeyQueue {
    pub(super) fn add_because(&self, key: ObjectKey, priority: i32, reason: ReconcileReason) {
        (self.add)(key, priority, reason);
    }

    /// Adds all items that the running controller of the queue knows.
    pub(super) fn add_all_because(&self, reason: &ReconcileReason) {
        (self.add_all)(reason);
    }
}

impl From<&WorkQueue<ObjectKey>> for KeyQueue {
    fn from(queue: &WorkQueue<ObjectKey>) -> Self {
        queue.map_key(|key| key)
    }
}

impl fmt::Debug for KeyQueue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyQueue").field(&self.name).finish()
    }
}

// === impl WorkQueue ===

impl<T: QueueItem> WorkQueue<T> {
    /// Returns a view of the queue that accepts keys. `item` converts each key into an item.
    ///
    /// # Examples
    ///
    /// A controller of several clusters has one queue, and one factory per cluster:
    ///
    /// ```
    /// # use informer_controller::workqueue::{WorkQueue, enqueue_into, enqueue_owner};
    /// # use informer_runtime::{ObjectKey, SharedInformerFactory};
    /// # use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Pod};
    /// # fn doc(east: SharedInformerFactory, west: SharedInformerFactory) -> Result<(), Box<dyn std::error::Error>> {
    /// let queue: WorkQueue<(&'static str, ObjectKey)> = WorkQueue::rate_limited("replicasets");
    /// for (cluster, factory) in [("east", &east), ("west", &west)] {
    ///     let keys = queue.map_key(move |key| (cluster, key));
    ///     factory.informer::<ReplicaSet>().add_event_handler(enqueue_into(keys.clone()))?;
    ///     factory.informer::<Pod>().add_event_handler(enqueue_owner::<ReplicaSet>(keys))?;
    /// }
    /// # Ok(())
    /// # }
    /// ```
    #[must_use]
    pub fn map_key(&self, item: impl Fn(ObjectKey) -> T + Send + Sync + 'static) -> KeyQueue {
        let queue = self.clone();
        let all = self.clone();
        KeyQueue {
            name: self.name().into(),
            add_all: Arc::new(move |reason| {
                for item in all.known() {
                    all.add_prioritized(item, LOW_PRIORITY, reason.clone());
                }
            }),
            add: Arc::new(move |key, priority, reason| {
                queue.add_prioritized(item(key), priority, reason);
            }),
        }
    }
}
