//! Ready-made predicates, over each storage.

use informer_runtime::source::FakeControllerSource;
use informer_runtime::{ObjectKey, Packed, Storage, Tiered, Typed};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;

use super::*;
use crate::tests::running::Running;

/// Returns the stored form of an object with this metadata.
async fn stored<S: Storage<ConfigMap> + Default>(
    metadata: &serde_json::Value,
) -> Arc<<S as Storage<ConfigMap>>::Object> {
    let running = Running::<S>::new(&[]);
    let mut object = json!({ "metadata": { "namespace": "a", "name": "x" } });
    let members = metadata.as_object().unwrap().clone();
    object["metadata"].as_object_mut().unwrap().extend(members);
    let source: &FakeControllerSource = &running.source;
    source.add(&object).unwrap();
    let mut running = running;
    running.start();
    running.informer.wait_for_sync().await.unwrap();
    let key = ObjectKey::namespaced("a", "x");
    let found = running.informer.lister().get_by_key(&key).unwrap();
    running.stop().await;
    found
}

async fn each_predicate_sees_its_part_alone<S>()
where
    S: Storage<ConfigMap, Object: HasController> + Default,
{
    let old = stored::<S>(&json!({ "generation": 1, "labels": { "a": "1" } })).await;
    let cases = [
        (
            "nothing",
            json!({ "generation": 1, "labels": { "a": "1" } }),
            [false; 4],
        ),
        (
            "generation",
            json!({ "generation": 2, "labels": { "a": "1" } }),
            [true, false, false, false],
        ),
        (
            "label",
            json!({ "generation": 1, "labels": { "a": "2" } }),
            [false, true, false, false],
        ),
        (
            "annotation",
            json!({ "generation": 1, "labels": { "a": "1" }, "annotations": { "a": "2" } }),
            [false, false, true, false],
        ),
        (
            "deletion",
            json!({ "generation": 1, "labels": { "a": "1" }, "deletionTimestamp": "2026-01-01T00:00:00Z" }),
            [false, false, false, true],
        ),
        (
            "no generation",
            json!({ "labels": { "a": "1" } }),
            [true, false, false, false],
        ),
    ];
    for (part, new, expected) in cases {
        let new = stored::<S>(&new).await;
        let found = [
            generation_changed(&*old, &*new),
            label_changed(&*old, &*new),
            annotation_changed(&*old, &*new),
            or_deletion(|_: &S::Object, _: &S::Object| false)(&old, &new),
        ];
        assert_eq!(found, expected, "{part}");
        let joined = or(generation_changed, label_changed)(&*old, &*new);
        assert_eq!(joined, expected[0] || expected[1], "{part}");
    }
}

/// K-34.
#[tokio::test(start_paused = true)]
async fn k34_predicates_read_metadata_in_every_storage() {
    each_predicate_sees_its_part_alone::<Typed>().await;
    each_predicate_sees_its_part_alone::<Packed>().await;
    each_predicate_sees_its_part_alone::<Tiered>().await;
}
