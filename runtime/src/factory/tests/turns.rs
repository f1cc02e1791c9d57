//! Bound on the first lists of a factory.

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};

use super::support::{Answer, SECOND, Server};
use crate::factory::{SharedInformerFactory, SharedInformerFactoryBuilder};
use crate::reflector::WatchListMode;
use crate::shared_informer::{InformerOptions, SyncError};

/// Starts this many informers, whose lists take a second each, and returns the largest number of
/// lists at the same time.
async fn most_lists(
    informers: usize,
    set: impl FnOnce(SharedInformerFactoryBuilder) -> SharedInformerFactoryBuilder,
) -> usize {
    let server = Server::default();
    let factory = set(server.factory()).build().unwrap();
    for number in 0..informers {
        let path = format!("/api/v1/namespaces/n{number}/configmaps");
        server.on(&path, Answer::After(SECOND));
        let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
        let _informer = factory.informer_with(options);
    }
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    let lists = server.requests().into_iter();
    let lists = lists.filter(|request| request.starts_with("LIST"));
    assert_eq!(lists.count(), informers);
    factory.shutdown().await;
    server.most_lists()
}

/// F-04, F-08: no more first lists than the bound are in flight, and all informers sync.
#[tokio::test(start_paused = true)]
async fn f04_first_lists_are_bounded() {
    assert_eq!(most_lists(200, |builder| builder).await, 16, "the default");
    assert_eq!(
        most_lists(20, |builder| builder.max_first_lists(3)).await,
        3
    );
    let unbounded = |builder: SharedInformerFactoryBuilder| builder.max_first_lists(0);
    assert_eq!(most_lists(40, unbounded).await, 40);
}

/// Returns a factory that runs one first list at a time.
fn one_at_a_time(server: &Server) -> SharedInformerFactory {
    server.factory().max_first_lists(1).build().unwrap()
}

/// F-07: an informer that backs off after a failed list does not hold its turn.
#[tokio::test(start_paused = true)]
async fn f07_a_forbidden_type_does_not_delay_the_others() {
    let server = Server::default();
    server.on("/api/v1/pods", Answer::Status(403));
    let factory = one_at_a_time(&server);
    let pods = factory.informer::<Pod>();
    factory.start().unwrap();
    assert!(matches!(
        pods.wait_for_sync().await.unwrap_err(),
        SyncError::Forbidden { .. }
    ));
    let (configs, nodes) = (factory.informer::<ConfigMap>(), factory.informer::<Node>());
    tokio::time::sleep(60 * SECOND).await;
    assert!(configs.has_synced() && nodes.has_synced());
    assert!(!pods.has_synced());

    server.on("/api/v1/pods", Answer::List(&["x"]));
    tokio::time::sleep(60 * SECOND).await;
    assert!(pods.has_synced());
    assert_eq!(server.most_lists(), 1);
    factory.shutdown().await;
}

/// F-07: informers whose first lists are not answered do not hold their turns.
#[tokio::test(start_paused = true)]
async fn f07_silent_lists_do_not_delay_the_others() {
    for mode in [WatchListMode::Never, WatchListMode::Auto] {
        let server = Server::default();
        let factory = server.factory().watch_list(mode).build().unwrap();
        for number in 0..16 {
            let path = format!("/api/v1/namespaces/n{number}/configmaps");
            server.on(&path, Answer::Silence);
            let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
            let _informer = factory.informer_with(options);
        }
        factory.start().unwrap();
        tokio::time::sleep(SECOND).await;
        let started = tokio::time::Instant::now();
        let nodes = factory.informer::<Node>();
        server.on("/api/v1/nodes", Answer::Streams);
        nodes.wait_for_sync().await.unwrap();
        assert!(started.elapsed() < 5 * SECOND, "{:?}", started.elapsed());
        factory.shutdown().await;
    }
}

/// F-12, L-15: a stop ends the wait for a turn. The turn of a stopped informer is free.
#[tokio::test(start_paused = true)]
async fn f12_a_stopped_informer_leaves_its_turn() {
    let server = Server::default();
    server.on("/api/v1/pods", Answer::Silence);
    let factory = one_at_a_time(&server);
    factory.start().unwrap();
    let silent = factory.informer::<Pod>();
    tokio::time::sleep(SECOND).await;
    let (waiting, other) = (factory.informer::<Node>(), factory.informer::<ConfigMap>());
    tokio::time::sleep(SECOND).await;
    assert!(!waiting.has_synced() && !other.has_synced());
    assert_eq!(server.requests(), ["LIST /api/v1/pods"]);
    waiting.stop();
    waiting.wait_until_stopped().await;
    silent.stop();
    tokio::time::sleep(SECOND).await;
    assert!(other.has_synced());
    factory.shutdown().await;
}

/// L-09: a streaming list holds its turn until its closing bookmark, or until the list that
/// replaces it.
#[tokio::test(start_paused = true)]
async fn l09_a_streaming_list_counts_until_its_end() {
    let server = Server::default();
    let factory = server.factory().watch_list(WatchListMode::Auto);
    let factory = factory.max_first_lists(1).build().unwrap();
    let (pods, nodes) = (factory.informer::<Pod>(), factory.informer::<Node>());
    factory.start().unwrap();
    tokio::time::sleep(4 * SECOND).await;
    let [first] = &*server.requests() else {
        panic!("{:?}", server.requests());
    };
    assert!(first.starts_with("WATCH"), "{first}");
    pods.wait_for_sync().await.unwrap();
    nodes.wait_for_sync().await.unwrap();
    factory.shutdown().await;
}
