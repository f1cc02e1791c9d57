//! First states that are cut, and a server that is replaced. `answers.rs` has the other faults.

use informer::ReflectorError;
use informer_apiserver::{ApiServer, Fault, Matcher};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::support::{
    Cluster, ENCODINGS, Failures, MODES, Recorder, config_map, quick, sync, until_cached, within,
};

/// W-16, L-02, L-08.
#[tokio::test]
async fn w16_a_first_state_that_is_cut_applies_nothing() {
    for encoding in ENCODINGS {
        for mode in MODES {
            for bytes in [1, 700, 20_000] {
                for clean in [false, true] {
                    let cluster = Cluster::start_in(encoding).await;
                    for index in 0..100 {
                        cluster.create(&format!("c-{index:03}"), "1");
                    }
                    let fault = if clean {
                        Fault::TruncateAfter(bytes)
                    } else {
                        Fault::CutAfter(bytes)
                    };
                    let any = Matcher::any().resource("configmaps");
                    cluster.control.fail_next(1, any, fault);
                    let factory = cluster.factory_in(mode);
                    let maps = factory.informer::<ConfigMap>();
                    let recorder = Recorder::new();
                    maps.add_event_handler(recorder.handler()).unwrap();
                    factory.start().unwrap();
                    let first = maps.indexer().wait_until(|snapshot| !snapshot.is_empty());
                    let first = within("objects", first).await;
                    assert_eq!(first.len(), 100, "{mode:?} {bytes} {clean}");
                    assert!(first.is_synced());
                    recorder.until_events(100).await;
                    recorder.read(|notes| assert_eq!(notes.illegal, [""; 0]));
                    factory.shutdown().await;
                }
            }
        }
    }
}

/// N-05, R-09, R-15.
#[tokio::test]
async fn n05_a_server_that_comes_back_with_older_versions_is_followed() {
    for encoding in ENCODINGS {
        for mode in MODES {
            let cluster = Cluster::start_in(encoding).await;
            for round in 0..50 {
                cluster.create(&format!("old-{round}"), "1");
            }
            cluster.create("kept", "1");
            let failures = Failures::default();
            let factory = cluster
                .builder()
                .config(quick().watch_list(mode).error_handler(failures.handler()))
                .build()
                .unwrap();
            let maps = factory.informer::<ConfigMap>();
            let recorder = Recorder::new();
            maps.add_event_handler(recorder.handler()).unwrap();
            sync(&factory).await;
            recorder.until_events(51).await;
            let address = cluster.server.address();
            cluster.server.shutdown().await;

            // Another server at the same address, whose versions start over.
            let server = ApiServer::builder()
                .bind(address)
                .object(&config_map("kept", "restored"))
                .start()
                .await
                .unwrap();
            // The server accepts a watch from a future version, and stays silent. After such
            // watches end, a list or a probe detects the rollback, whichever comes first.
            let noticed = failures.until("a server with older versions", went_back);
            let ending_watches = async {
                loop {
                    server.control().await_watches("configmaps", 1).await;
                    server.control().disconnect_watches();
                    tokio::task::yield_now().await;
                }
            };
            tokio::select! {
                () = noticed => {}
                () = ending_watches => {}
            }
            until_cached(&maps, "kept=restored").await;
            server
                .control()
                .create_direct(config_map("new", "1"))
                .unwrap();
            until_cached(&maps, "kept=restored new=1").await;
            recorder
                .until("the cache", |notes| notes.objects.len() == 2)
                .await;
            recorder.read(|notes| assert_eq!(notes.illegal, [""; 0]));
            let reports = failures.all().iter().filter(|one| went_back(one)).count();
            assert_eq!(reports, 1, "{:?}", failures.texts());
            factory.shutdown().await;
            server.shutdown().await;
        }
    }
}

fn went_back(failure: &ReflectorError) -> bool {
    matches!(failure, ReflectorError::WentBack { .. })
}
