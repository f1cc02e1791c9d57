use futures::FutureExt as _;
use tokio::task::JoinSet;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::super::{FreshnessError, MutationCache, MutationCacheOptions};
use super::*;
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;

/// Running informer over an in-memory source.
struct Case {
    source: FakeControllerSource,
    informer: SharedInformer<ConfigMap>,
    cancel: CancellationToken,
    tasks: JoinSet<()>,
}

impl Case {
    async fn start(names: &[&str]) -> Self {
        let source = FakeControllerSource::new();
        for name in names {
            source.add(&object(name, name)).unwrap();
        }
        let informer = SharedInformer::<ConfigMap>::builder(source.clone())
            .build()
            .unwrap();
        let cancel = CancellationToken::new();
        let mut tasks = JoinSet::new();
        let (running, stop) = (informer.clone(), cancel.clone());
        tasks.spawn(async move { running.run(stop).await.unwrap() });
        informer.wait_for_sync().await.unwrap();
        Self {
            source,
            informer,
            cancel,
            tasks,
        }
    }

    async fn stop(mut self) {
        self.cancel.cancel();
        while let Some(ended) = self.tasks.join_next().await {
            ended.unwrap();
        }
    }
}

/// N-01.
#[tokio::test(start_paused = true)]
async fn n01_a_version_that_the_cache_has_is_not_waited_for() {
    let case = Case::start(&["a", "b"]).await;
    for version in ["1", "2"] {
        let version = ResourceVersion::new(version);
        let waited = case.informer.wait_for_resource_version(&version, secs(0));
        assert_eq!(waited.now_or_never().unwrap().unwrap().len(), 2);
    }
    case.stop().await;
}

/// N-01, N-02: after the wait for a write, reads see it.
#[tokio::test(start_paused = true)]
async fn n02_after_the_wait_for_a_write_reads_see_it_or_newer() {
    let case = Case::start(&["a"]).await;
    let lister = case.informer.lister();
    for round in 0..20 {
        let name = format!("b{round}");
        let written = case.source.add(&object(&name, "uid")).unwrap();
        let seen = case
            .informer
            .wait_for_resource_version(&written, secs(5))
            .await
            .unwrap();
        assert!(seen.get(&key(&name)).is_some());
        assert!(lister.namespace("ns").get(&name).is_some());
    }
    case.stop().await;
}

/// N-01.
#[tokio::test(start_paused = true)]
async fn n01_a_version_that_does_not_come_is_a_timeout_that_says_where_the_cache_is() {
    let case = Case::start(&["a"]).await;
    let started = Instant::now();
    let far = ResourceVersion::new("99");
    let error = case.informer.wait_for_resource_version(&far, secs(7)).await;
    let expected = FreshnessError::Timeout {
        after: secs(7),
        stored: ResourceVersion::new("1"),
    };
    assert_eq!(error.err(), Some(expected));
    assert_eq!(started.elapsed().as_secs(), 7);
    case.stop().await;
}

/// N-01.
#[tokio::test(start_paused = true)]
async fn n01_incomparable_versions_are_errors_at_once() {
    let case = Case::start(&["a"]).await;
    for version in ["", "0", "abc"] {
        let version = ResourceVersion::new(version);
        let waited = case.informer.wait_for_resource_version(&version, secs(7));
        let error = waited.now_or_never().unwrap().err().unwrap();
        assert!(matches!(error, FreshnessError::Incomparable(_)), "{error}");
    }
    case.stop().await;
}

/// N-01: a stop of the informer ends all waits.
#[tokio::test(start_paused = true)]
async fn n01_a_stop_ends_every_wait() {
    let case = Case::start(&["a"]).await;
    let mut waiters = JoinSet::new();
    for _ in 0..2 {
        let informer = case.informer.clone();
        waiters.spawn(async move {
            let far = ResourceVersion::new("99");
            let waited = informer.wait_for_resource_version(&far, secs(3600)).await;
            waited.err()
        });
    }
    let informer = case.informer.clone();
    waiters.spawn(async move {
        let waited = informer.wait_for_deletion(&key("a"), &"a".into(), secs(3600));
        waited.await.err()
    });
    tokio::task::yield_now().await;
    let started = Instant::now();
    case.stop().await;
    let ended = waiters.join_all().await;
    assert_eq!(ended, vec![Some(FreshnessError::Stopped); 3]);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// N-02: compared by uid, so that a recreated object is not taken for the old one.
#[tokio::test(start_paused = true)]
async fn n02_a_deletion_is_waited_for_by_uid() {
    let case = Case::start(&["a"]).await;
    let wait = |uid: &str| {
        let informer = case.informer.clone();
        let uid = Uid::new(uid);
        async move { informer.wait_for_deletion(&key("a"), &uid, secs(5)).await }
    };
    let timeout = wait("a").await.err().unwrap();
    assert!(matches!(timeout, FreshnessError::Timeout { .. }));
    let another = wait("another").now_or_never();
    assert!(another.unwrap().is_ok(), "the cache does not hold this uid");

    case.source.delete(&object("a", "a")).unwrap();
    case.source.add(&object("a", "again")).unwrap();
    let seen = wait("a").await.unwrap();
    assert_ne!(
        seen.get(&key("a")).and_then(|a| a.uid.clone()),
        Some("a".into())
    );
    case.stop().await;
}

/// N-02: before the first list, no object counts as deleted.
#[tokio::test(start_paused = true)]
async fn n02_a_cache_that_has_not_synced_does_not_say_that_an_object_is_gone() {
    let informer = SharedInformer::<ConfigMap>::builder(FakeControllerSource::new())
        .build()
        .unwrap();
    let waited = informer.wait_for_deletion(&key("a"), &"a".into(), secs(5));
    let error = waited.await.err().unwrap();
    assert!(matches!(error, FreshnessError::Timeout { .. }), "{error}");
}

/// Z-03: the overlay receives events of a real informer.
#[tokio::test(start_paused = true)]
async fn z03_an_informer_feeds_the_overlay() {
    let case = Case::start(&["a"]).await;
    let options = MutationCacheOptions {
        include_adds: true,
        ..MutationCacheOptions::default()
    };
    let cache = MutationCache::for_informer(&case.informer, options).unwrap();
    cache.mutation(config("b@2/b")).unwrap();
    assert_eq!(
        cache.list().iter().map(text).collect::<Vec<_>>(),
        ["a@1", "b@2"]
    );

    case.source.add(&object("b", "b")).unwrap();
    let deleted = case.source.delete(&object("b", "b")).unwrap();
    case.informer
        .wait_for_resource_version(&deleted, secs(5))
        .await
        .unwrap();
    // The handler runs after the store is written.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    assert!(cache.mutation(config("b@9/b")).is_err());
    assert_eq!(cache.list().iter().map(text).collect::<Vec<_>>(), ["a@1"]);
    case.stop().await;
}
