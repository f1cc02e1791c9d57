//! Keys that changes of related objects enqueue.

use informer_runtime::{Object, ObjectKey, SharedInformer, Typed};
use k8s_openapi::api::core::v1::{Pod, Secret, Service};
use serde_json::{Value, json};

use super::world::{PODS, SECRETS, World, drain, key_of, object, owned_by, pod};
use crate::relations::{EnqueueRelated, ReferencedCache, ReferencedObjects, SelectedObjects};
use crate::tests::settled;
use crate::workqueue::{WorkQueue, predicate};

fn secret(value: &str, annotation: &str) -> Value {
    let mut secret = object("a/tls", "", json!(null));
    secret["metadata"]["annotations"] = json!({ "note": annotation });
    secret["stringData"] = json!({ "value": value });
    secret
}

/// Changes of one related object, and the number of keys that each enqueues.
async fn each_enqueues<K: Object<DynamicType = ()>>(
    world: &World<Typed>,
    queue: &WorkQueue<ObjectKey>,
    changes: impl IntoIterator<Item = (Value, usize)>,
) {
    let mut key = None;
    for (object, expected) in changes {
        world.apply::<K>(&object);
        settled().await;
        assert_eq!(drain(queue).await.len(), expected, "{object}");
        key = Some(key_of(&object));
    }
    world.delete::<K>(&key.unwrap());
    settled().await;
    assert_eq!(drain(queue).await.len(), 1, "a deletion is never ignored");
}

/// A new object, a change that does not matter, and two that do: the last one begins a deletion.
fn secret_changes() -> [(Value, usize); 4] {
    let mut deleted = secret("2", "z");
    deleted["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
    [
        (secret("1", "x"), 1),
        (secret("1", "y"), 0),
        (secret("2", "y"), 1),
        (deleted, 1),
    ]
}

/// G-10.
#[tokio::test(start_paused = true)]
async fn g10_changes_that_no_referrer_reads_can_be_ignored() {
    let world: World<Typed> = World::new();
    let secrets = ReferencedObjects::new(&world.informer(), SECRETS, &world);
    let queue = WorkQueue::new("pods");
    secrets
        .changed(|old, new| old.string_data != new.string_data)
        .enqueue_into(&queue)
        .unwrap();
    world.apply::<Pod>(&pod("a/web", "", "", &["tls"]));
    world.start().await;
    each_enqueues::<Secret>(&world, &queue, secret_changes()).await;
}

/// G-10.
#[tokio::test(start_paused = true)]
async fn g10_changes_in_a_cache_of_referenced_objects_can_be_ignored() {
    let world: World<Typed> = World::new();
    let pods: SharedInformer<Pod> = world.informer();
    let cache = ReferencedCache::builder(&world.factory, &pods, SECRETS);
    let cache = cache.build().unwrap();
    let queue = WorkQueue::new("pods");
    let secrets = cache.changed(|old, new| old.string_data != new.string_data);
    EnqueueRelated::<Pod>::enqueue_related(&secrets, &(&queue).into());
    world.apply::<Pod>(&pod("a/web", "", "", &["tls"]));
    world.start().await;
    each_enqueues::<Secret>(&world, &queue, secret_changes()).await;
}

/// Returns a Service that selects the Pods with its name as `app`.
fn service(name: &str) -> Value {
    let spec = json!({ "selector": { "app": name } });
    object(&format!("a/{name}"), "", spec)
}

fn pod_of(phase: &str, app: &str) -> Value {
    let mut pod = pod("a/web", app, "", &[]);
    pod["status"] = json!({ "phase": phase });
    pod
}

/// G-10: a change of labels decides who selects a Pod, and is never ignored.
#[tokio::test(start_paused = true)]
async fn g10_changes_of_selected_objects_can_be_ignored() {
    let world: World<Typed> = World::new();
    let queue = WorkQueue::new("services");
    SelectedObjects::new(&world.informer(), PODS, &world)
        .changed(predicate::annotation_changed)
        .enqueue_into(&queue)
        .unwrap();
    world.apply::<Service>(&service("web"));
    world.apply::<Service>(&service("other"));
    world.start().await;
    let changes = [
        (pod_of("Pending", "app=web"), 1),
        (pod_of("Running", "app=web"), 0),
        (pod_of("Running", "app=other"), 2),
    ];
    each_enqueues::<Pod>(&world, &queue, changes).await;
}

/// G-10: a change of the owner is never ignored.
#[tokio::test(start_paused = true)]
async fn g10_changes_of_owned_objects_can_be_ignored() {
    let world: World<Typed> = World::new();
    let queue = WorkQueue::new("sets");
    world
        .pods_of_sets()
        .changed(predicate::or(
            predicate::label_changed,
            predicate::annotation_changed,
        ))
        .enqueue_into(&queue)
        .unwrap();
    world.start().await;
    let owned = |phase, app, owner| owned_by(pod_of(phase, app), owner);
    let changes = [
        (owned("Pending", "app=web", "one"), 1),
        (owned("Running", "app=web", "one"), 0),
        (owned("Running", "app=other", "one"), 1),
        (owned("Running", "app=other", "two"), 2),
    ];
    each_enqueues::<Pod>(&world, &queue, changes).await;
}
