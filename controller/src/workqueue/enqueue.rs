//! Event handlers that add keys to a work queue.

use std::fmt;
use std::future::{self, Future};
use std::marker::PhantomData;

use informer_runtime::engine::{Panicked, catch, resume};
use informer_runtime::storage::HasController;
use informer_runtime::{Event, EventHandler, Object, ObjectKey, Origin};

use super::key_queue::KeyQueue;
use super::predicate::Changed;
use super::priority::LOW_PRIORITY;
use super::reason::{ReconcileReason, RelationName};
use crate::base::names::owner_of_type;

/// Enqueues the key of every object that is added, updated, deleted or resynced.
///
/// The queue's items are keys, or other values that are made from keys: see
/// [`WorkQueue::map_key`](crate::WorkQueue::map_key).
///
/// Objects of the initial list and of resyncs are enqueued with [`LOW_PRIORITY`], as in
/// controller-runtime. Only a [`PriorityOrder`](crate::workqueue::PriorityOrder) uses this
/// priority; see [`EnqueueInto::low_priority`]. A delayed key is queued at once (see
/// [`WorkQueue::add_with`](crate::WorkQueue::add_with)).
///
/// # Examples
///
/// ```
/// # use informer_controller::workqueue::{WorkQueue, enqueue_into};
/// # use informer_runtime::{SharedInformer, ObjectKey};
/// # use k8s_openapi::api::core::v1::Pod;
/// # fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let queue: WorkQueue<ObjectKey> = WorkQueue::rate_limited("pods");
/// pods.add_event_handler(enqueue_into(&queue))?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn enqueue_into(queue: impl Into<KeyQueue>) -> EnqueueInto {
    EnqueueInto {
        queue: queue.into(),
        low_priority: LOW_PRIORITY,
    }
}

/// Enqueues the key of the `O` that controls the object of each event. Ignores objects that are not
/// controlled by an `O`. When the controlling owner of an object changes, both owners are enqueued.
/// Priorities are the same as in [`enqueue_into`].
///
/// # Examples
///
/// ```
/// # use informer_controller::workqueue::{WorkQueue, enqueue_owner};
/// # use informer_runtime::{SharedInformer, ObjectKey};
/// # use k8s_openapi::api::{apps::v1::ReplicaSet, core::v1::Pod};
/// # fn doc(pods: SharedInformer<Pod>) -> Result<(), Box<dyn std::error::Error>> {
/// let queue: WorkQueue<ObjectKey> = WorkQueue::rate_limited("replicasets");
/// pods.add_event_handler(enqueue_owner::<ReplicaSet>(&queue))?;
/// # Ok(())
/// # }
/// ```
#[must_use]
pub fn enqueue_owner<O>(queue: impl Into<KeyQueue>) -> EnqueueOwner<O>
where
    O: Object<DynamicType = ()>,
{
    EnqueueOwner {
        queue: queue.into(),
        related: RelationName::new("owned", "object"),
        owner: PhantomData,
    }
}

/// Event handler returned by [`enqueue_into`].
#[derive(Clone, Debug)]
pub struct EnqueueInto {
    queue: KeyQueue,
    low_priority: i32,
}

/// Event handler returned by [`enqueue_owner`].
pub struct EnqueueOwner<O> {
    queue: KeyQueue,
    related: RelationName,
    owner: PhantomData<fn() -> O>,
}

// === impl EnqueueInto ===

impl EnqueueInto {
    /// Sets the priority of objects of the initial list and of resyncs. Default: [`LOW_PRIORITY`].
    /// With 0, they have the same priority as changes.
    #[must_use]
    pub fn low_priority(mut self, priority: i32) -> Self {
        self.low_priority = priority;
        self
    }
}

impl<T: Send + Sync + 'static> EventHandler<T> for EnqueueInto {
    fn on_event(&mut self, event: Event<T>) -> impl Future<Output = ()> + Send {
        if !has_left(&event) {
            let reason = ReconcileReason::object(&event);
            self.queue.add_because(
                event.key().clone(),
                priority_of(event.origin(), self.low_priority),
                reason,
            );
        }
        future::ready(())
    }
}

// === impl EnqueueOwner ===

impl<O: Object<DynamicType = ()>, T: HasController> EventHandler<T> for EnqueueOwner<O> {
    fn on_event(&mut self, event: Event<T>) -> impl Future<Output = ()> + Send {
        let owner = |key: &ObjectKey, object: &T| -> Vec<ObjectKey> {
            let Some(reference) = object.controller() else {
                return Vec::new();
            };
            let owner = owner_of_type::<O>(reference, key.namespace());
            owner.into_iter().collect()
        };
        let mapped = enqueue_related(&self.queue, &self.related, &event, owner);
        resume(mapped);
        future::ready(())
    }
}

/// Enqueues the keys that `keys` returns for the object of an event: for an update, for the old and for
/// the new object.
///
/// # Errors
///
/// Fails if `keys` panicked. Which keys the event concerns is then unknown: those of the other object
/// are enqueued as usual, and all others that the queue's controller knows with a low priority.
pub(super) fn enqueue_related<T>(
    queue: &KeyQueue,
    related: &RelationName,
    event: &Event<T>,
    mut keys: impl FnMut(&ObjectKey, &T) -> Vec<ObjectKey>,
) -> Result<(), Panicked> {
    if has_left(event) {
        return Ok(());
    }
    let old = match event {
        Event::Updated(updated) => catch(|| keys(&updated.key, &updated.old)),
        Event::Added(_) | Event::Deleted(_) => Ok(Vec::new()),
    };
    let new = catch(|| keys(event.key(), event.object()));
    let reason = ReconcileReason::related(related.clone(), event);
    let mut mapped = Ok(());
    for keys in [old, new] {
        match keys {
            Ok(keys) => {
                for key in keys {
                    queue.add_because(
                        key,
                        priority_of(event.origin(), LOW_PRIORITY),
                        reason.clone(),
                    );
                }
            }
            Err(panicked) => mapped = Err(panicked),
        }
    }
    if mapped.is_err() {
        queue.add_all_because(&reason);
    }
    mapped
}

/// Reports whether the event is an update that `changed` does not count as a change. Resyncs count.
///
/// # Errors
///
/// Fails if `changed` panicked. The event then counts as a change.
pub(crate) fn is_ignored<T>(
    event: &Event<T>,
    changed: Option<&Changed<T>>,
) -> Result<bool, Panicked> {
    match (event, changed) {
        (Event::Updated(updated), Some(changed)) if !updated.is_resync() => {
            catch(|| !changed(&updated.old, &updated.new))
        }
        _ => Ok(false),
    }
}

/// Reports whether the object now belongs to another replica, whose queue has it.
fn has_left<T>(event: &Event<T>) -> bool {
    matches!(event, Event::Deleted(deleted) if deleted.origin == Origin::Reshard)
}

/// Returns the priority of an event of this origin. An event from a relist is a change like any
/// other.
fn priority_of(origin: Origin, low_priority: i32) -> i32 {
    match origin {
        Origin::Initial | Origin::Reshard | Origin::Resync => low_priority,
        Origin::Live | Origin::Relist | Origin::Filter => 0,
    }
}

impl<O> fmt::Debug for EnqueueOwner<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueueOwner")
            .field("queue", &self.queue)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
