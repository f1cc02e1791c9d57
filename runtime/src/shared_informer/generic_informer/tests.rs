use std::sync::Arc;

use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use parking_lot::Mutex;

use super::*;
use crate::reflector::tests::world::Running;
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;
use crate::status::InformerState;
use crate::storage::Typed;

fn config_map(name: &str) -> ConfigMap {
    let mut object = ConfigMap::default();
    object.metadata.name = Some(name.to_owned());
    object.metadata.namespace = Some("default".to_owned());
    object
}

/// A generic informer gives the same answers as the typed one.
#[tokio::test(start_paused = true)]
async fn a_generic_informer_answers_as_the_typed_one() {
    let source = FakeControllerSource::new();
    source.add(&config_map("a")).unwrap();
    let informer = SharedInformer::<ConfigMap>::builder(source.clone())
        .name("maps")
        .build()
        .unwrap();
    let generic = GenericInformer::from(informer.clone());
    assert_eq!(generic.name(), "maps");
    assert_eq!(generic.resource().to_string(), "configmaps.v1");
    assert!(generic.namespaces().is_empty());
    assert!(matches!(generic.status().state, InformerState::Pending));
    assert!(generic.is_empty() && !generic.has_synced());

    let seen = Arc::new(Mutex::new(Vec::new()));
    let sink = Arc::clone(&seen);
    let registration = generic
        .on_change(move |key| sink.lock().push(key.to_string()))
        .unwrap();
    let running = Running::synced(&informer).await;
    registration.wait_for_sync().await.unwrap();
    running.stop().await;

    assert_eq!(generic.len(), 1);
    assert_eq!(generic.keys(), [ObjectKey::namespaced("default", "a")]);
    assert_eq!(*seen.lock(), ["default/a"]);
    assert_eq!(generic.metrics(), informer.metrics());
    assert_eq!(generic.metrics().decoded_objects, 1);
    assert!(matches!(
        generic.status().state,
        InformerState::Stopped { .. }
    ));
}

#[tokio::test]
async fn downcasts_succeed_only_with_the_right_type() {
    let informer = SharedInformer::<ConfigMap>::builder(FakeControllerSource::new())
        .build()
        .unwrap();
    let generic = GenericInformer::from(informer);
    assert!(generic.typed::<ConfigMap, Typed>().is_some());
    assert!(generic.typed::<Secret, Typed>().is_none());
}
