//! Waits for the cache to reflect a write.

use std::time::Duration;

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::support::{Running, SECOND, informer};
use crate::indexer::FreshnessError;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;

fn key(name: &str) -> ObjectKey {
    ObjectKey::namespaced("ns", name)
}

fn object(name: &str, uid: &str) -> Value {
    json!({"metadata": {"namespace": "ns", "name": name, "uid": uid}})
}

/// Runs an informer over objects whose uids are their names.
async fn synced(names: &[&str]) -> (FakeControllerSource, SharedInformer<ConfigMap>, Running) {
    let source = FakeControllerSource::new();
    for name in names {
        source.add(&object(name, name)).unwrap();
    }
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    (source, informer, running)
}

/// N-01, N-02: after the wait for a write, reads see it.
#[tokio::test(start_paused = true)]
async fn n02_after_the_wait_for_a_write_reads_see_it_or_newer() {
    let (source, informer, running) = synced(&["a"]).await;
    let lister = informer.lister();
    for round in 0..20 {
        let name = format!("b{round}");
        let written = source.add(&object(&name, "uid")).unwrap();
        let waited = informer.wait_for_resource_version(&written, 5 * SECOND);
        assert!(waited.await.unwrap().get(&key(&name)).is_some());
        assert!(lister.namespace("ns").get(&name).is_some());
    }
    running.stop().await;
}

#[tokio::test(start_paused = true)]
async fn n01_a_version_that_does_not_come_is_a_timeout_that_says_where_the_cache_is() {
    let (_source, informer, running) = synced(&["a"]).await;
    let started = Instant::now();
    let far = ResourceVersion::new("99");
    let error = informer.wait_for_resource_version(&far, 7 * SECOND).await;
    let expected = FreshnessError::Timeout {
        after: 7 * SECOND,
        stored: ResourceVersion::new("1"),
    };
    assert_eq!(error.err(), Some(expected));
    assert_eq!(started.elapsed(), 7 * SECOND);
    running.stop().await;
}

/// N-01: a stop of the informer ends all waits.
#[tokio::test(start_paused = true)]
async fn n01_a_stop_ends_every_wait() {
    let (_source, informer, running) = synced(&["a"]).await;
    let mut waiters = JoinSet::new();
    let far = ResourceVersion::new("99");
    for _ in 0..2 {
        let waited = informer.wait_for_resource_version(&far, 3600 * SECOND);
        waiters.spawn(async move { waited.await.err() });
    }
    let waited = informer.wait_for_deletion(&key("a"), &"a".into(), 3600 * SECOND);
    waiters.spawn(async move { waited.await.err() });
    tokio::task::yield_now().await;
    let started = Instant::now();
    running.stop().await;
    let ended = waiters.join_all().await;
    assert_eq!(ended, vec![Some(FreshnessError::Stopped); 3]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// N-02: compared by uid, so that a recreated object is not taken for the old one.
#[tokio::test(start_paused = true)]
async fn n02_a_deletion_is_waited_for_by_uid() {
    let (source, informer, running) = synced(&["a"]).await;
    let wait = |uid: &str| informer.wait_for_deletion(&key("a"), &Uid::new(uid), 5 * SECOND);
    let timeout = wait("a").await.err().unwrap();
    assert!(matches!(timeout, FreshnessError::Timeout { .. }));
    let another = wait("another").now_or_never();
    assert!(another.unwrap().is_ok(), "the cache does not hold this uid");

    source.delete(&object("a", "a")).unwrap();
    source.add(&object("a", "again")).unwrap();
    let seen = wait("a").await.unwrap();
    assert_ne!(
        seen.entry(&key("a")).and_then(|a| a.uid.clone()),
        Some("a".into())
    );
    running.stop().await;
}

/// N-02: before the first list, no object counts as deleted.
#[tokio::test(start_paused = true)]
async fn n02_a_cache_that_has_not_synced_does_not_say_that_an_object_is_gone() {
    let informer = informer(FakeControllerSource::new());
    let waited = informer.wait_for_deletion(&key("a"), &"a".into(), 5 * SECOND);
    let error = waited.await.err().unwrap();
    assert!(matches!(error, FreshnessError::Timeout { .. }), "{error}");
}
