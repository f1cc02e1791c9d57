//! Event handlers that add keys to a work queue.

use std::fmt;
use std::future::{self, Future};
use std::marker::PhantomData;
use std::sync::Arc;

use k8s_openapi::apimachinery::pkg::apis::meta::v1::OwnerReference;
use kube::Resource;

use super::key_queue::KeyQueue;
use super::priority::LOW_PRIORITY;
use super::work_queue::AddOptions;
use crate::event::{Event, Origin};
use crate::object::{Object, ObjectKey, ResourceScope, Scope};
use crate::processor::{EventHandler, Handle};
#[cfg(feature = "packed")]
use crate::storage::PackedObject;

/// Handle that provides its object's controlling owner without decoding the object.
pub trait HasController: Handle {
    /// Returns the owner reference of the object's controller. Go's counterpart is
    /// `metav1.GetControllerOf`.
    fn controller(&self) -> Option<&OwnerReference>;
}

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
/// # use informer_runtime::{SharedInformer, ObjectKey, enqueue_into, workqueue::WorkQueue};
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
/// # use informer_runtime::{SharedInformer, ObjectKey, enqueue_owner, workqueue::WorkQueue};
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
        low_priority: LOW_PRIORITY,
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
    low_priority: i32,
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

impl<H: Handle> EventHandler<H> for EnqueueInto {
    fn on_event(&mut self, event: Event<H>) -> impl Future<Output = ()> + Send {
        let options = options(event.origin(), self.low_priority);
        self.queue.add_with(event.key().clone(), options);
        future::ready(())
    }
}

// === impl EnqueueOwner ===

impl<O: Object<DynamicType = ()>> EnqueueOwner<O> {
    /// Sets the priority of initial lists and resyncs; see [`EnqueueInto::low_priority`].
    #[must_use]
    pub fn low_priority(mut self, priority: i32) -> Self {
        self.low_priority = priority;
        self
    }

    fn enqueue<H: HasController>(&self, key: &ObjectKey, object: &H, origin: Origin) {
        let Some(reference) = object.controller().filter(|owner| is_of::<O>(owner)) else {
            return;
        };
        let namespace = match <O::Scope as ResourceScope>::SCOPE {
            Some(Scope::Cluster) => None,
            // A namespaced owner is in the namespace of its dependents.
            Some(Scope::Namespaced) | None => key.namespace(),
        };
        let owner = ObjectKey::new(namespace, &reference.name);
        self.queue
            .add_with(owner, options(origin, self.low_priority));
    }
}

impl<O: Object<DynamicType = ()>, H: HasController> EventHandler<H> for EnqueueOwner<O> {
    fn on_event(&mut self, event: Event<H>) -> impl Future<Output = ()> + Send {
        if let Event::Updated(updated) = &event {
            self.enqueue(&updated.key, &updated.old, updated.origin);
        }
        self.enqueue(event.key(), event.object(), event.origin());
        future::ready(())
    }
}

/// Returns the options for an event of this origin. An event from a relist is a change like any
/// other.
pub(super) fn options(origin: Origin, low_priority: i32) -> AddOptions {
    let priority = match origin {
        Origin::Initial | Origin::Resync => low_priority,
        Origin::Live | Origin::Relist => 0,
    };
    AddOptions {
        priority,
        ..AddOptions::default()
    }
}

/// Reports whether a reference is to an `O`, of any version: an object is served in several
/// versions.
pub(crate) fn is_of<O: Resource<DynamicType = ()>>(owner: &OwnerReference) -> bool {
    let group = owner
        .api_version
        .split_once('/')
        .map_or("", |(group, _)| group);
    owner.kind == O::kind(&()) && group == O::group(&())
}

impl<O> fmt::Debug for EnqueueOwner<O> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EnqueueOwner")
            .field("queue", &self.queue)
            .field("low_priority", &self.low_priority)
            .finish_non_exhaustive()
    }
}

// === impl HasController ===

#[cfg(feature = "packed")]
impl<K: Object> HasController for PackedObject<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        Self::controller(self)
    }
}

impl<K: Resource + Send + Sync + 'static> HasController for Arc<K> {
    fn controller(&self) -> Option<&OwnerReference> {
        let owners = self.meta().owner_references.as_deref().unwrap_or_default();
        owners.iter().find(|owner| owner.controller == Some(true))
    }
}

#[cfg(test)]
mod tests {
    use k8s_openapi::api::apps::v1::ReplicaSet;
    use k8s_openapi::api::core::v1::{Node, Pod};
    use serde_json::json;

    use super::*;
    use crate::event::{Deleted, Updated};
    use crate::object::Footprint;
    use crate::workqueue::{PriorityOrder, WorkQueue};

    /// K-18.
    #[tokio::test]
    async fn k18_initial_lists_and_resyncs_have_a_low_priority() {
        let queue: WorkQueue<ObjectKey> = WorkQueue::builder("test")
            .order(PriorityOrder::new())
            .build();
        let event = |origin| {
            let mut event = updated(&ours(), &ours());
            if let Event::Updated(updated) = &mut event {
                updated.origin = origin;
            }
            event
        };
        let origins = [
            (Origin::Initial, -100),
            (Origin::Resync, -100),
            (Origin::Live, 0),
            (Origin::Relist, 0),
        ];
        for (origin, expected) in origins {
            enqueue_into(&queue).on_event(event(origin)).await;
            assert_eq!(queue.get().await.unwrap().priority(), expected, "{origin}");
            let mut owner = enqueue_owner::<ReplicaSet>(&queue);
            owner.on_event(event(origin)).await;
            assert_eq!(queue.get().await.unwrap().priority(), expected, "{origin}");
        }
        let mut equal = enqueue_into(&queue).low_priority(0);
        equal.on_event(event(Origin::Initial)).await;
        assert_eq!(queue.get().await.unwrap().priority(), 0);
    }

    fn ours() -> serde_json::Value {
        owner("ReplicaSet", "apps/v1", "web", true)
    }

    fn pod(owner: &serde_json::Value) -> Arc<Pod> {
        let metadata = json!({"name": "p", "namespace": "a", "ownerReferences": [owner]});
        Arc::new(serde_json::from_value(json!({"metadata": metadata})).unwrap())
    }

    fn owner(kind: &str, api_version: &str, name: &str, controller: bool) -> serde_json::Value {
        json!({
            "kind": kind, "apiVersion": api_version, "name": name, "uid": "u", "controller": controller,
        })
    }

    async fn enqueued<O: Object<DynamicType = ()>>(event: Event<Arc<Pod>>) -> Vec<String> {
        let queue = WorkQueue::new("test");
        enqueue_owner::<O>(&queue).on_event(event).await;
        queue.shut_down();
        let mut keys = Vec::new();
        while let Some(key) = queue.get().await {
            keys.push(key.to_string());
        }
        keys
    }

    fn updated(old: &serde_json::Value, new: &serde_json::Value) -> Event<Arc<Pod>> {
        let key = ObjectKey::namespaced("a", "p");
        Event::Updated(Updated {
            key,
            old: pod(old),
            old_footprint: Footprint::default(),
            new: pod(new),
            origin: Origin::Live,
        })
    }

    #[tokio::test]
    async fn only_the_controlling_owner_of_the_kind_is_enqueued_whatever_its_version() {
        let ours = owner("ReplicaSet", "apps/v1beta2", "web", true);
        let foreign = owner("ReplicaSet", "example.com/v1", "web", true);
        let not_controller = owner("ReplicaSet", "apps/v1", "web", false);
        assert_eq!(
            enqueued::<ReplicaSet>(updated(&ours, &ours)).await,
            ["a/web"]
        );
        assert!(
            enqueued::<ReplicaSet>(updated(&foreign, &not_controller))
                .await
                .is_empty()
        );
    }

    #[tokio::test]
    async fn an_object_that_changes_hands_enqueues_both_owners() {
        let old = owner("ReplicaSet", "apps/v1", "old", true);
        let new = owner("ReplicaSet", "apps/v1", "new", true);
        assert_eq!(
            enqueued::<ReplicaSet>(updated(&old, &new)).await,
            ["a/old", "a/new"]
        );
    }

    /// T-02, T-06.
    #[tokio::test]
    async fn t02_deletions_enqueue_too_and_a_cluster_scoped_owner_has_no_namespace() {
        let deleted = |final_state_unknown| {
            Event::Deleted(Deleted {
                key: ObjectKey::namespaced("a", "p"),
                object: pod(&owner("Node", "v1", "n1", true)),
                footprint: Footprint::default(),
                final_state_unknown,
                origin: Origin::Live,
            })
        };
        for final_state_unknown in [false, true] {
            let deleted = || deleted(final_state_unknown);
            assert_eq!(enqueued::<Node>(deleted()).await, ["n1"]);
            let queue = WorkQueue::new("test");
            enqueue_into(&queue).on_event(deleted()).await;
            assert_eq!(queue.get().await.unwrap().to_string(), "a/p");
        }
    }

    #[tokio::test]
    async fn a_queue_of_other_items_takes_keys_by_a_function() {
        let queue: WorkQueue<(&str, ObjectKey)> = WorkQueue::new("test");
        for cluster in ["east", "west"] {
            let keys = queue.map_key(move |key| (cluster, key));
            let event = || updated(&ours(), &ours());
            enqueue_into(keys.clone()).on_event(event()).await;
            enqueue_owner::<ReplicaSet>(keys).on_event(event()).await;
        }
        queue.shut_down();
        let mut items = Vec::new();
        while let Some(item) = queue.get().await {
            items.push(format!("{}: {}", item.0, item.1));
        }
        assert_eq!(
            items,
            ["east: a/p", "east: a/web", "west: a/p", "west: a/web"]
        );
    }
}
