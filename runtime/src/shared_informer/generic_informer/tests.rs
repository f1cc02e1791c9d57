use std::sync::Arc;

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use parking_lot::Mutex;

use super::*;
use crate::reflector::tests::world::Running;
use crate::shared_informer::SharedInformer;
use crate::source::{
    FakeControllerSource, ListAnswer, ListPart, ScriptedListerWatcher, WatchAnswer,
};
use crate::status::InformerState;
use crate::storage::{Typed, decoded_bytes};
use crate::wire::{ListMeta, RawObject};

fn config_map(name: &str) -> ConfigMap {
    let mut object = ConfigMap::default();
    object.metadata.name = Some(name.to_owned());
    object.metadata.namespace = Some("default".to_owned());
    object
}

/// The objects of a list that is not complete, values of indices and waiting notifications count as
/// memory that the informer holds.
#[tokio::test(start_paused = true)]
async fn a_list_indices_and_mailboxes_count_as_held() {
    let source = ScriptedListerWatcher::new();
    source.set_supports_watch_list(false);
    let (list, answer) = ListAnswer::controlled();
    let (_events, watch) = WatchAnswer::controlled();
    source.on_list(answer).on_watch(watch);
    let objects = (0..5000).map(|number| {
        let object = config_map(&format!("c{number}"));
        RawObject::from_value(&object)
    });
    list.send(ListPart::Items(objects.collect())).await.unwrap();
    let informer = SharedInformer::<ConfigMap>::builder(source)
        .build()
        .unwrap();
    let mut stream = informer.events(HandlerOptions::new()).unwrap();
    let cancel = CancellationToken::new();
    let follow = async {
        while informer.held_bytes() == 0 {
            tokio::task::yield_now().await;
        }
        assert!(informer.is_empty());
        list.send(ListPart::End(ListMeta::at("1"))).await.unwrap();
        informer.wait_for_sync().await.unwrap();
        let objects =
            decoded_bytes::<ConfigMap>(5000, informer.state().bytes()) + 5000 * ENTRY_BYTES;
        let unindexed = objects + 5000 * WAITING_BYTES;
        while informer.held_bytes() != unindexed {
            tokio::task::yield_now().await;
        }
        let names = |object: &ConfigMap| object.metadata.name.clone();
        informer.add_index("name", names).unwrap();
        let indexed = informer.held_bytes();
        assert!(indexed >= unindexed + 5000 * 64, "{indexed}, {unindexed}");
        for _ in 0..5000 {
            stream.next().await.unwrap();
        }
        assert_eq!(informer.held_bytes(), indexed - 5000 * WAITING_BYTES);
        cancel.cancel();
    };
    tokio::join!(informer.run(cancel.clone()), follow)
        .0
        .unwrap();
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
