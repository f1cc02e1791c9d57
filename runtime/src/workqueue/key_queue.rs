//! [`KeyQueue`]: where handlers put keys.

use std::fmt;
use std::sync::Arc;

use super::item::QueueItem;
use super::work_queue::{AddOptions, WorkQueue};
use crate::object::ObjectKey;

/// A work queue that takes the keys of objects, whatever its items are.
///
/// Made from a `&WorkQueue<ObjectKey>`, or from a queue of something else by
/// [`WorkQueue::map_key`]. [`enqueue_into`](super::enqueue_into) and
/// [`enqueue_owner`](super::enqueue_owner) take one. Clones put into the same queue.
#[derive(Clone)]
pub struct KeyQueue {
    name: Arc<str>,
    add: Arc<dyn Fn(ObjectKey, AddOptions) + Send + Sync>,
}

// === impl KeyQueue ===

impl KeyQueue {
    /// Adds what the queue makes of `key`; see [`WorkQueue::add_with`].
    pub fn add_with(&self, key: ObjectKey, options: AddOptions) {
        (self.add)(key, options);
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
    /// Returns the queue as one that takes keys, of which `item` makes items.
    ///
    /// # Examples
    ///
    /// A controller of several clusters has one queue and a factory for each:
    ///
    /// ```
    /// # use informer_runtime::{ObjectKey, SharedInformerFactory, WorkQueue, enqueue_into, enqueue_owner};
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
        KeyQueue {
            name: self.name().into(),
            add: Arc::new(move |key, options| queue.add_with(item(key), options)),
        }
    }
}
