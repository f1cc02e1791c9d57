//! Keys of a controller that wait until the caches show their writes.

use std::io;
use std::sync::Arc;

use informer_runtime::ObjectKey;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use kube::ResourceExt as _;
use kube::api::DeleteParams;
use parking_lot::Mutex;
use serde_json::json;
use tokio::task::JoinSet;

use super::world::{World, child, map, object};
use crate::controller::{Controller, ControllerHandle};
use crate::logged;
use crate::session::Session;
use crate::tests::{ms, secs, settled};
use crate::workqueue::{Action, Failure, Outcome, RecordedCall};

type Seen = Mutex<Vec<String>>;

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("a", name)
}

/// Runs a controller of config maps, one key at a time. `reconcile` notes the keys, and creates a
/// Secret for the map `writer` at each call.
fn run(world: &World, session: Option<&Session>) -> (ControllerHandle, Arc<Seen>, JoinSet<()>) {
    let _secrets = world.factory.informer::<Secret>();
    let secrets = session.unwrap_or(&world.session).api::<Secret>("a");
    let mut controller = Controller::new("maps", &world.factory.informer::<ConfigMap>());
    if let Some(session) = session {
        controller = controller.session(session);
    }
    let (handle, seen) = (controller.handle(), Arc::new(Seen::default()));
    let reconcile = move |map: Arc<ConfigMap>, seen: Arc<Seen>| {
        let secrets = secrets.clone();
        async move {
            seen.lock().push(map.name_any());
            if map.name_any() == "writer" {
                let meta = json!({ "generateName": "x-", "namespace": "a" });
                let secret: Secret = object(json!({ "metadata": meta }));
                secrets.create(&secret).await.map_err(io::Error::other)?;
            }
            Ok::<_, io::Error>(Action::Done)
        }
    };
    let run = controller.run(Arc::clone(&seen), reconcile);
    let mut tasks = JoinSet::new();
    tasks.spawn(async move { run.await.unwrap() });
    (handle, seen, tasks)
}

fn put(world: &World, name: &str) {
    world.server.put("configmaps", &key(name), Some(json!({})));
}

/// K-01. One worker; the key with an unseen write waits without it, and other keys overtake.
#[tokio::test(start_paused = true)]
async fn n02_a_key_with_unseen_writes_is_put_back_and_others_overtake() {
    let world = World::new();
    let secrets = world.factory.informer::<Secret>();
    let (handle, seen, mut tasks) = run(&world, Some(&world.session));
    put(&world, "writer");
    put(&world, "other");
    world.start().await;
    settled().await;
    seen.lock().clear();
    world.session.read(&secrets).await.unwrap();
    world.server.hold("secrets");
    for name in ["writer", "other", "writer", "other"] {
        handle.queue().add(key(name));
        settled().await;
    }
    // Twice put back, and held once.
    assert_eq!(*seen.lock(), ["writer", "other", "other"]);
    assert_eq!(handle.queue().metrics().put_back, 1);
    handle.queue().add(key("writer"));
    settled().await;
    assert_eq!(handle.queue().metrics().put_back, 2);
    assert_eq!(world.session.unseen().len(), 1);
    world.server.release();
    settled().await;
    // It has written again, and all of its writes are shown.
    assert_eq!(*seen.lock(), ["writer", "other", "other", "writer"]);
    assert_eq!(world.server.objects("secrets").len(), 3);
    tasks.shutdown().await;
}

/// The write concerns the written object, its controlling owner, and the cause; no other key.
#[tokio::test(start_paused = true)]
async fn n02_a_write_concerns_the_object_its_owner_and_its_cause() {
    let world = World::new();
    let api = world.session.api::<Secret>("a");
    let (handle, seen, mut tasks) = run(&world, Some(&world.session));
    for name in ["owner", "self", "other"] {
        put(&world, name);
    }
    world.start().await;
    settled().await;
    let owner = world.api.kube().get("owner").await.unwrap();
    let secret = child(&owner, &json!({ "name": "x", "namespace": "a" }));
    let held = async |expected: &[&str]| {
        seen.lock().clear();
        for name in ["owner", "self", "other"] {
            handle.queue().add(key(name));
        }
        settled().await;
        let mut free = seen.lock().clone();
        free.sort_unstable();
        assert_eq!(free, expected);
        world.server.release();
        settled().await;
        assert_eq!(seen.lock().len(), 3);
    };
    world.server.hold("secrets");
    api.create(&secret).await.unwrap();
    held(&["other", "self"]).await;
    world.server.hold("configmaps");
    world.api.replace(&map("self", "2")).await.unwrap();
    held(&["other", "owner"]).await;
    // The answer to a deletion names no owner; the cache does.
    world.server.hold("secrets");
    api.delete("x", &DeleteParams::default()).await.unwrap();
    held(&["other", "self"]).await;
    tasks.shutdown().await;
}

/// K-12. After the time limit, the key fails with the error by name, and is retried with backoff.
#[tokio::test(start_paused = true)]
async fn k12_a_watch_that_never_delivers_is_a_failure_with_backoff() {
    let world = World::new();
    let session = world.session.clone().within(secs(2));
    let (handle, seen, mut tasks) = run(&world, Some(&session));
    put(&world, "writer");
    world.start().await;
    settled().await;
    seen.lock().clear();
    world.server.hold("secrets");
    handle.queue().add(key("writer"));
    settled().await;
    let log = logged::capture("informer_controller");
    let failures = Arc::new(Seen::default());
    let noted = Arc::clone(&failures);
    let recorder = move |key: &ObjectKey, run: &RecordedCall<'_>| {
        if let Outcome::Failed(Failure::Returned(error), _) = run.outcome {
            let (reasons, waited) = (run.reasons, run.waited.as_secs());
            noted
                .lock()
                .push(format!("{key}: {reasons}: {waited} s: {error}"));
        }
    };
    handle.queue().record(Some(Arc::new(recorder)));
    handle.queue().add(key("writer"));
    tokio::time::sleep(ms(9_600)).await;
    assert_eq!(*seen.lock(), ["writer"]);
    // At 2 s, then after 0.1 s, 0.2 s, and 0.4 s, each with the limit of 2 s.
    let metrics = handle.queue().metrics();
    assert_eq!(
        (metrics.failures, metrics.retries, metrics.put_back),
        (4, 4, 5)
    );
    let text = log.text();
    let error = "writes of the session are not in the cache after 2 s: create of secrets";
    assert_eq!(text.matches(error).count(), 4, "{text}");
    let failures = failures.lock().clone();
    let reasons = ["added by the program"]
        .into_iter()
        .chain(["retry after error"; 3]);
    for (failure, reason) in failures.iter().zip(reasons) {
        let expected = format!("a/writer: {reason}: 2 s: {error}");
        assert!(failure.starts_with(&expected), "{failure}");
    }
    assert_eq!(failures.len(), 4, "{failures:?}");
    world.server.release();
    settled().await;
    assert_eq!(*seen.lock(), ["writer", "writer"]);
    tasks.shutdown().await;
}

/// Lets the controller write a Secret that no watch delivers, and queues its key again.
async fn write_unseen(world: &World, handle: &ControllerHandle) {
    put(world, "writer");
    world.server.hold("secrets");
    world.start().await;
    settled().await;
    handle.queue().add(key("writer"));
    settled().await;
}

/// K-23. Keys that are held back are dropped with the controller, as delayed keys are.
#[tokio::test(start_paused = true)]
async fn k23_a_controller_ends_while_keys_are_held_back() {
    let world = World::new();
    let (handle, seen, mut tasks) = run(&world, Some(&world.session));
    write_unseen(&world, &handle).await;
    handle.queue().shut_down();
    tasks.join_next().await.unwrap().unwrap();
    assert_eq!(*seen.lock(), ["writer"]);
}

/// Without a session, the same controller acts on the stale cache.
#[tokio::test(start_paused = true)]
async fn without_a_session_no_key_is_put_back() {
    let world = World::new();
    let (handle, seen, mut tasks) = run(&world, None);
    write_unseen(&world, &handle).await;
    assert_eq!(*seen.lock(), ["writer", "writer"]);
    tasks.shutdown().await;
}
