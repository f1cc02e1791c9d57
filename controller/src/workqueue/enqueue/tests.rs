use std::sync::Arc;

use informer_runtime::{Deleted, Updated};
use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Node, Pod};
use serde_json::json;

use super::*;
use crate::workqueue::{PriorityOrder, WorkQueue, enqueue_mapped};

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
        (Origin::Reshard, -100),
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
    let left = || {
        Event::Deleted(Deleted {
            key: "a/p".parse().unwrap(),
            object: pod(&ours()),
            final_state_unknown: true,
            origin: Origin::Reshard,
        })
    };
    enqueue_into(&queue).on_event(left()).await;
    enqueue_owner::<ReplicaSet>(&queue).on_event(left()).await;
    let keys = |key: &ObjectKey, _: &Pod| vec![key.clone()];
    enqueue_mapped(&queue, keys).on_event(left()).await;
    assert!(queue.is_empty(), "its other replica has it");
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

async fn enqueued<O: Object<DynamicType = ()>>(event: Event<Pod>) -> Vec<String> {
    let queue = WorkQueue::new("test");
    enqueue_owner::<O>(&queue).on_event(event).await;
    queue.shut_down();
    let mut keys = Vec::new();
    while let Some(key) = queue.get().await {
        keys.push(key.to_string());
    }
    keys
}

fn updated(old: &serde_json::Value, new: &serde_json::Value) -> Event<Pod> {
    let key = ObjectKey::namespaced("a", "p");
    Event::Updated(Updated {
        key,
        old: pod(old),
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

/// K-33. Each side of an update is mapped, whichever of them panics; the panic is the handler's.
#[tokio::test]
async fn k33_what_a_mapper_returns_is_enqueued_although_it_panics_for_the_other_object() {
    let old = owner("ReplicaSet", "apps/v1", "old", true);
    let new = owner("ReplicaSet", "apps/v1", "new", true);
    for (broken, expected) in [("old", "a/new"), ("new", "a/old")] {
        let queue = WorkQueue::new("test");
        let mut mapped = enqueue_mapped(&queue, move |_: &ObjectKey, pod: &Pod| {
            let name = pod.controller().unwrap().name.clone();
            assert_ne!(name, broken, "cannot map this");
            [ObjectKey::namespaced("a", &name)]
        });
        let call = informer_runtime::engine::catch(|| drop(mapped.on_event(updated(&old, &new))));
        assert!(call.is_err(), "counted and logged with the handler's name");
        queue.shut_down();
        let known = queue.get().await.map(|key| key.to_string());
        assert_eq!(known.as_deref(), Some(expected));
    }
}
