//! Keys that changes of related objects enqueue.

use k8s_openapi::api::core::v1::{Pod, Secret};
use serde_json::{Value, json};

use super::world::{PodInformer, World, drain, key_of, object, pod};
use crate::storage::Typed;
use crate::tests::settled;
use crate::workqueue::WorkQueue;

fn secret(value: &str, annotation: &str) -> Value {
    let mut secret = object("a/tls", "", json!(null));
    secret["metadata"]["annotations"] = json!({ "note": annotation });
    secret["stringData"] = json!({ "value": value });
    secret
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
    world.start().await;
    let changes = [("1", "x", 1), ("1", "y", 0), ("2", "y", 1)];
    for (value, annotation, expected) in changes {
        world.apply::<Secret>(&secret(value, annotation));
        settled().await;
        assert_eq!(drain(&queue).await.len(), expected);
    }
    world.delete::<Secret>(&key_of(&secret("2", "y")));
    settled().await;
    assert_eq!(drain(&queue).await.len(), 1);
}
