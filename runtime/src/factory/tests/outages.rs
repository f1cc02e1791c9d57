//! Server that comes back after an outage, with many informers.

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{SECOND, Server};
use crate::shared_informer::InformerOptions;

/// N-05: after an outage, one informer of a factory asks for the server's version. If the server
/// went back, all of them list again at once.
#[tokio::test(start_paused = true)]
async fn n05_one_informer_of_a_factory_asks_after_an_outage() {
    let server = Server::default();
    server.restart_at(7);
    let factory = server.factory().build().unwrap();
    let informers: Vec<_> = (0..10)
        .map(|number| {
            let options = InformerOptions::<ConfigMap>::new().namespace(format!("n{number}"));
            factory.informer_with(options)
        })
        .collect();
    factory.start().unwrap();
    factory.wait_for_cache_sync().await.unwrap();
    tokio::time::sleep(SECOND).await;
    let (lists, watches, probes) = server.counts();
    assert_eq!((lists, watches, probes), (10, 10, 0));

    server.restart_at(9);
    tokio::time::sleep(SECOND).await;
    assert_eq!(server.counts(), (10, 20, 1));

    // The second loss within 10 s is retried after 0.8 to 1.6 s.
    server.restart_at(4);
    tokio::time::sleep(3 * SECOND).await;
    for informer in &informers {
        assert_eq!(informer.last_sync_resource_version().to_string(), "4");
    }
    // Each one verifies the answer to another.
    assert_eq!(server.counts(), (20, 30, 11));
    factory.shutdown().await;
}
