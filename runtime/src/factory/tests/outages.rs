//! Server that comes back after an outage, with many informers.

use std::time::Duration;

use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::{Instant, sleep};

use super::support::{Answer, SECOND, Server};
use crate::factory::SharedInformerFactory;
use crate::shared_informer::{InformerOptions, SharedInformer};
use crate::status::InformerState;

/// Starts this many informers, and waits until they watch.
async fn watching(
    server: &Server,
    count: usize,
) -> (SharedInformerFactory, Vec<SharedInformer<ConfigMap>>) {
    let factory = server.factory().build().unwrap();
    let informers = (0..count).map(|number| {
        let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
        factory.informer_with(options)
    });
    let informers = informers.collect();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    sleep(SECOND).await;
    (factory, informers)
}

fn is_synced(informer: &SharedInformer<ConfigMap>) -> bool {
    matches!(informer.status().state, InformerState::Synced)
}

/// E-04: informers that lose their watches together come back one after the other. One alone comes
/// back at once.
#[tokio::test(start_paused = true)]
async fn e04_the_informers_of_a_factory_do_not_come_back_together() {
    for (count, within) in [(1, 100), (200, 2100), (1000, 5100)] {
        let server = Server::default();
        let (factory, informers) = watching(&server, count).await;
        sleep(10 * SECOND).await;
        let start = Instant::now();
        server.restart_at(2);
        sleep(10 * SECOND).await;
        let times = server.times_since(start);
        // A probe and a watch each.
        assert_eq!(times.len(), 2 * count);
        let within = Duration::from_millis(within);
        assert!(times.iter().all(|time| *time <= within), "{times:?}");
        for window in 0..50 {
            let start = window * SECOND / 10;
            let of_window = |time: &&Duration| **time >= start && **time < start + SECOND / 10;
            let requests = times.iter().filter(of_window).count();
            assert!(requests <= count / 10 + 25, "{requests} at {start:?}");
        }
        assert!(informers.iter().all(is_synced));
        factory.shutdown().await;
    }
}

/// E-09: one `Retry-After` holds back all informers of a factory, and a server that is overloaded
/// for 20 s is asked a few times only. Then all come back within the spread.
#[tokio::test(start_paused = true)]
async fn e09_a_retry_after_holds_for_all_informers_of_a_factory() {
    let server = Server::default();
    let (factory, informers) = watching(&server, 200).await;
    sleep(10 * SECOND).await;
    let start = Instant::now();
    server.on_all(Answer::TooMany(5));
    server.restart_at(2);
    sleep(20 * SECOND).await;
    let times = server.times_since(start);
    assert!((4..10).contains(&times.len()), "{times:?}");

    server.on_all(None);
    sleep(12 * SECOND).await;
    let times = server.times_since(start + 20 * SECOND);
    // A probe and a watch each, and a few probes that were refused.
    assert!(times.len() <= 420, "{} requests", times.len());
    for informer in &informers {
        assert!(is_synced(informer), "{:?}", informer.status());
    }
    factory.shutdown().await;
}

/// E-16: a resource whose every request is answered by a `Retry-After` does not stop the informers
/// of others.
#[tokio::test(start_paused = true)]
async fn e16_a_resource_that_is_always_refused_does_not_stop_the_others() {
    let server = Server::default();
    server.on("/api/v1/namespaces/refused/configmaps", Answer::TooMany(40));
    let factory = server.factory().build().unwrap();
    factory.start().unwrap();
    let refused = factory.informer_with(InformerOptions::<ConfigMap>::new().namespace("refused"));
    sleep(SECOND).await;
    for number in 0..5 {
        let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
        let start = Instant::now();
        factory
            .informer_with(options)
            .wait_for_sync()
            .await
            .unwrap();
        assert!(start.elapsed() < 31 * SECOND, "{:?}", start.elapsed());
    }
    assert!(!refused.has_synced());
    factory.shutdown().await;
}

/// E-16: a backend that is unavailable, such as the webhook of one group, delays no other group.
#[tokio::test(start_paused = true)]
async fn e16_a_group_that_has_to_wait_delays_no_other() {
    let server = Server::default();
    server.on("/apis/apps/v1/deployments", Answer::TooMany(30));
    let factory = server.factory().build().unwrap();
    let refused = factory.informer::<Deployment>();
    factory.start().unwrap();
    sleep(SECOND).await;
    let start = Instant::now();
    let maps = factory.informer::<ConfigMap>();
    maps.wait_for_sync().await.unwrap();
    assert!(start.elapsed() < SECOND, "{:?}", start.elapsed());
    assert!(!refused.has_synced());
    factory.shutdown().await;
}

/// N-05: after an outage, each informer asks for the server's version before it watches: another
/// resource may have another history. If the server went back, all of them list again at once.
#[tokio::test(start_paused = true)]
async fn n05_each_informer_of_a_factory_asks_after_an_outage() {
    let server = Server::default();
    server.restart_at(7);
    let (factory, informers) = watching(&server, 10).await;
    assert_eq!(server.counts(), (10, 10, 0));

    server.restart_at(9);
    sleep(SECOND).await;
    assert_eq!(server.counts(), (10, 20, 10));

    // The second loss within 10 s is retried after 0.8 to 1.6 s.
    server.restart_at(4);
    sleep(3 * SECOND).await;
    for informer in &informers {
        assert_eq!(informer.last_sync_resource_version().to_string(), "4");
    }
    assert_eq!(server.counts(), (20, 30, 20));
    factory.shutdown().await;
}

/// N-05: a restored server that refuses the first probes, as a kube-apiserver that has not loaded
/// its roles, shows the lost history to nobody: no informer is synced before it has proof.
#[tokio::test(start_paused = true)]
async fn n05_a_restored_server_that_refuses_probes_is_not_believed() {
    for code in [401, 403, 429, 500, 503] {
        let server = Server::default();
        server.restart_at(9);
        let (factory, informers) = watching(&server, 10).await;

        server.on_all(Answer::Status(code));
        server.restart_at(4);
        sleep(20 * SECOND).await;
        assert!(!informers.iter().any(is_synced), "{code}");
        assert_eq!(server.counts().1, 10, "no watch is opened after {code}");

        server.on_all(None);
        sleep(60 * SECOND).await;
        for informer in &informers {
            assert_eq!(informer.last_sync_resource_version().to_string(), "4");
            assert!(is_synced(informer), "{:?}", informer.status());
        }
        factory.shutdown().await;
    }
}
