//! Objects that stay readable for a time after their deletion.

use std::sync::Arc;

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Running, SECOND, config, source_with, value};
use crate::object::ObjectKey;
use crate::shared_informer::{InformerConfig, SharedInformer};
use crate::source::{FakeControllerSource, SourceError};
use crate::wire::ApiStatus;

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("ns", name)
}

async fn synced(source: &FakeControllerSource) -> (SharedInformer<ConfigMap>, Running) {
    let informer = SharedInformer::builder(source.clone())
        .config(InformerConfig::new().retain_deleted(60 * SECOND))
        .build()
        .unwrap();
    let running = Running::synced(&informer).await;
    (informer, running)
}

/// Waits until the cache has no object of this name, and checks that this state retains it.
async fn gone(informer: &SharedInformer<ConfigMap>, name: &'static str) {
    let is_gone = informer
        .indexer()
        .wait_until(move |snapshot| snapshot.get(&key(name)).is_none());
    let retained = is_gone.await.get_retained(&key(name));
    assert!(retained.is_some(), "{name} is in neither place");
}

#[tokio::test(start_paused = true)]
async fn a_deleted_object_is_readable_for_the_period_and_then_freed() {
    let source = source_with(&["a", "b"]);
    let (informer, running) = synced(&source).await;
    let lister = informer.lister();
    assert!(
        lister.get_retained(&key("a")).is_some(),
        "an object that exists"
    );
    assert!(
        lister.get_retained(&key("c")).is_none(),
        "one that never existed"
    );

    source.delete(&config("a", "1")).unwrap();
    gone(&informer, "a").await;
    tokio::time::sleep(30 * SECOND).await;
    source.delete(&config("b", "1")).unwrap();
    gone(&informer, "b").await;
    let held = Arc::downgrade(&lister.get_retained(&key("a")).unwrap());
    tokio::time::sleep(29 * SECOND).await;
    assert!(lister.get_retained(&key("a")).is_some());
    assert_eq!(
        (informer.len(), informer.metrics().retained_objects),
        (0, 2)
    );
    let with_both = informer.held_bytes();
    tokio::time::sleep(2 * SECOND).await;
    assert!(lister.get_retained(&key("a")).is_none());
    assert!(
        held.upgrade().is_none(),
        "the last version is freed without another change"
    );
    assert!(
        lister.get_retained(&key("b")).is_some(),
        "each has a period of its own"
    );
    assert_eq!(informer.metrics().retained_objects, 1);
    let with_one = informer.held_bytes();
    tokio::time::sleep(30 * SECOND).await;
    assert!(lister.get_retained(&key("b")).is_none());
    assert_eq!(informer.metrics().retained_objects, 0);
    // Memory is counted for as long as it is held.
    let empty = informer.held_bytes();
    assert!(with_both > with_one && with_one > empty);
    running.stop().await;
}

/// A deletion that a relist reveals is a deletion like others.
#[tokio::test(start_paused = true)]
async fn an_object_that_a_relist_does_not_find_is_retained() {
    let source = source_with(&["a", "b"]);
    let (informer, running) = synced(&source).await;
    source.lose_next_event();
    source.delete(&config("a", "1")).unwrap();
    let expired = ApiStatus::new(410, "Expired", "");
    source.watch_error(SourceError::from(expired));
    source.reset_watch();
    gone(&informer, "a").await;
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn an_object_that_came_back_is_the_new_one_whatever_was_retained() {
    let source = source_with(&["a"]);
    let (informer, running) = synced(&source).await;
    let lister = informer.lister();
    for round in 0..3 {
        source.delete(&config("a", "1")).unwrap();
        gone(&informer, "a").await;
        tokio::time::sleep(25 * SECOND).await;
        let version = source.add(&config("a", &round.to_string())).unwrap();
        informer
            .wait_for_resource_version(&version, SECOND)
            .await
            .unwrap();
        let found = lister.get_retained(&key("a")).unwrap();
        assert_eq!(value(&found), round.to_string());
    }
    // The third deletion is younger than the periods of the first two.
    source.delete(&config("a", "2")).unwrap();
    gone(&informer, "a").await;
    tokio::time::sleep(59 * SECOND).await;
    assert!(lister.get_retained(&key("a")).is_some());
    tokio::time::sleep(2 * SECOND).await;
    assert!(lister.get_retained(&key("a")).is_none());
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn nothing_is_retained_unless_it_is_asked_for() {
    let source = source_with(&["a"]);
    let informer = super::support::informer(source.clone());
    let running = Running::synced(&informer).await;
    let version = source.delete(&config("a", "1")).unwrap();
    informer
        .wait_for_resource_version(&version, SECOND)
        .await
        .unwrap();
    assert!(informer.lister().get_retained(&key("a")).is_none());
    running.stop().await;
}

/// Returns an object with this uid, and its value.
fn with_uid(name: &str, value: &str, uid: &str) -> serde_json::Value {
    let mut object = config(name, value);
    object["metadata"]["uid"] = uid.into();
    object
}

/// I-19. The old object is found while the new one has its name, and both expire on their own.
#[tokio::test(start_paused = true)]
async fn i19_a_deleted_object_is_found_by_uid_and_by_index_while_its_name_is_taken() {
    let source = FakeControllerSource::new();
    source.add(&with_uid("a", "1", "first")).unwrap();
    let (informer, running) = synced(&source).await;
    let uid = |map: &ConfigMap| map.metadata.uid.clone();
    informer.add_index("uid", uid).unwrap();
    let lister = informer.lister();
    let found = |uid: &str| {
        let by_uid = lister.get_retained_by_uid(&uid.into());
        let by_index = lister.by_index_retained("uid", uid).unwrap();
        assert_eq!(by_uid.clone().into_iter().collect::<Vec<_>>(), by_index);
        by_uid.map(|object| value(&object))
    };
    source.delete(&with_uid("a", "1", "first")).unwrap();
    gone(&informer, "a").await;
    let version = source.add(&with_uid("a", "2", "second")).unwrap();
    informer
        .wait_for_resource_version(&version, SECOND)
        .await
        .unwrap();
    assert_eq!(found("first").as_deref(), Some("1"));
    assert_eq!(found("second").as_deref(), Some("2"));
    assert_eq!(found("third"), None);
    assert!(lister.by_index("uid", "first").unwrap().is_empty());
    let in_namespace = lister.by_index_retained("namespace", "ns").unwrap();
    assert_eq!(in_namespace.len(), 2);
    assert_eq!(value(&lister.get_retained(&key("a")).unwrap()), "2");

    // Made again in a gap of the watch: the cache sees one object replace the other.
    source.lose_next_event();
    source.delete(&with_uid("a", "2", "second")).unwrap();
    source.lose_next_event();
    source.add(&with_uid("a", "3", "third")).unwrap();
    source.watch_error(SourceError::from(ApiStatus::new(410, "Expired", "")));
    source.reset_watch();
    tokio::time::sleep(30 * SECOND).await;
    assert_eq!(found("third").as_deref(), Some("3"));
    assert_eq!(found("second").as_deref(), Some("2"));
    assert_eq!(informer.metrics().retained_objects, 2);
    tokio::time::sleep(61 * SECOND).await;
    assert_eq!((found("first"), found("second")), (None, None));
    assert_eq!(informer.metrics().retained_objects, 0);
    running.stop().await;
}
