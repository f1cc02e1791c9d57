//! Keys that changes of related objects enqueue.

use std::collections::BTreeSet;

use k8s_openapi::api::apps::v1::ReplicaSet;
use k8s_openapi::api::core::v1::{Pod, Secret, Service};
use serde_json::{Value, json};

use super::world::{
    PodInformer, ReplicaSetInformer, ServiceInformer, World, drain, object, owned_by, pod, settled,
};
use crate::storage::Typed;
use crate::workqueue::WorkQueue;

fn keys(keys: &[&str]) -> BTreeSet<String> {
    keys.iter().copied().map(str::to_owned).collect()
}

fn secret(key: &str, value: &str, annotation: &str) -> Value {
    let mut secret = object(key, "", json!(null));
    secret["metadata"]["annotations"] = json!({ "note": annotation });
    secret["stringData"] = json!({ "value": value });
    secret
}

/// G-09.
#[tokio::test(start_paused = true)]
async fn a_referenced_object_enqueues_its_referrers_before_it_exists_and_after_it_is_deleted() {
    let world: World<Typed> = World::new();
    let pods = PodInformer::new(&world);
    let graph = pods.related(&world);
    let queue = WorkQueue::new("pods");
    graph.enqueue_into(&queue).unwrap();
    world.apply::<Pod>(&pod("a/web", "", "", &["tls"]));
    world.apply::<Pod>(&pod("a/db", "", "", &["tls", "registry"]));
    world.start(&pods).await;
    world.start(graph.secrets().informer()).await;
    world.start(graph.nodes().informer()).await;
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web", "a/db"]));

    world.apply::<Secret>(&secret("a/tls", "1", ""));
    world.apply::<Secret>(&secret("b/tls", "1", ""));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web", "a/db"]));
    world.apply::<Secret>(&secret("a/registry", "1", ""));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/db"]));
    world.delete::<Secret>(&secret("a/tls", "1", ""));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web", "a/db"]));

    // A referrer that drops its reference is enqueued by its own change only.
    world.apply::<Pod>(&pod("a/web", "", "", &[]));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.apply::<Secret>(&secret("a/tls", "2", ""));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/db"]));
    world.stop().await;
}

/// G-10.
#[tokio::test(start_paused = true)]
async fn changes_that_no_referrer_reads_can_be_ignored() {
    let world: World<Typed> = World::new();
    let pods = PodInformer::new(&world);
    let secrets = pods.references_to::<Secret, _>(&world);
    let queue = WorkQueue::new("pods");
    secrets
        .enqueue_changes(&queue, |old, new| old.string_data != new.string_data)
        .unwrap();
    world.apply::<Pod>(&pod("a/web", "", "", &["tls"]));
    world.start(&pods).await;
    world.start(secrets.informer()).await;
    world.apply::<Secret>(&secret("a/tls", "1", "x"));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.apply::<Secret>(&secret("a/tls", "1", "y"));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&[]));
    world.apply::<Secret>(&secret("a/tls", "2", "y"));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.delete::<Secret>(&secret("a/tls", "1", ""));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.stop().await;
}

/// G-09.
#[tokio::test(start_paused = true)]
async fn an_owned_object_enqueues_its_old_and_its_new_owner() {
    let world: World<Typed> = World::new();
    let sets = ReplicaSetInformer::new(&world);
    let graph = sets.related(&world);
    let queue = WorkQueue::new("sets");
    graph.enqueue_into(&queue).unwrap();
    world.start(&sets).await;
    world.start(graph.pods().informer()).await;
    world.apply::<Pod>(&owned_by(pod("a/1", "", "", &[]), "old"));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/old"]));
    world.apply::<Pod>(&owned_by(pod("a/1", "", "", &[]), "new"));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/old", "a/new"]));
    let mut foreign = owned_by(pod("a/1", "", "", &[]), "new");
    foreign["metadata"]["ownerReferences"][0]["apiVersion"] = "example.com/v1".into();
    world.apply::<Pod>(&foreign);
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/new"]));
    world.apply::<ReplicaSet>(&object("a/web", "", json!({"selector": {}})));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.stop().await;
}

/// G-09.
#[tokio::test(start_paused = true)]
async fn a_selected_object_enqueues_what_selects_its_old_and_its_new_labels() {
    let world: World<Typed> = World::new();
    let services = ServiceInformer::new(&world);
    let graph = services.related(&world);
    let queue = WorkQueue::new("services");
    graph.enqueue_into(&queue).unwrap();
    for app in ["web", "db"] {
        let spec = json!({"selector": {"app": app}});
        world.apply::<Service>(&object(&format!("a/{app}"), "", spec));
    }
    world.start(&services).await;
    world.start(graph.pods().informer()).await;
    settled().await;
    drain(&queue).await;
    world.apply::<Pod>(&pod("a/1", "app=web", "", &[]));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web"]));
    world.apply::<Pod>(&pod("a/1", "app=db", "", &[]));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/web", "a/db"]));
    world.delete::<Pod>(&pod("a/1", "app=db", "", &[]));
    settled().await;
    assert_eq!(drain(&queue).await, keys(&["a/db"]));
    world.stop().await;
}
