//! Faults of a server and of a network in a watch, as the facade reports them.

use std::time::Duration;

use informer::status::InformerState;
use informer::{ReflectorError, WatchListMode};
use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::ConfigMap;

use crate::support::{
    Cluster, ENCODINGS, Failures, MODES, Recorder, chain, config_map, quick, until_cached, within,
};

fn status(code: u16, reason: &str) -> Fault {
    Fault::Status {
        code,
        reason: reason.to_owned(),
        message: "on purpose".to_owned(),
        retry_after: None,
    }
}

fn of_maps(verb: Verb) -> Matcher {
    Matcher::any().resource("configmaps").verb(verb)
}

#[tokio::test]
async fn l06_a_refused_streaming_list_is_replaced_by_a_list_and_remembered() {
    for encoding in ENCODINGS {
        let cluster = Cluster::start_in(encoding).await;
        cluster.create("a", "1");
        cluster.control.refuse_watch_list(true);
        let failures = Failures::default();
        let factory = cluster
            .builder()
            .config(quick().error_handler(failures.handler()))
            .build()
            .unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        until_cached(&maps, "a=1").await;
        let texts = failures.texts();
        assert_eq!(texts.len(), 1, "{texts:?}");
        assert!(
            texts[0].starts_with("streaming list refused, listing instead: "),
            "{texts:?}"
        );
        assert!(texts[0].ends_with("(HTTP 422, Invalid)"), "{texts:?}");

        // The next relist does not try streaming again.
        cluster.control.refuse_watch_list(false);
        within("a watch", cluster.control.await_watches("configmaps", 1)).await;
        cluster
            .control
            .fail_next(1, of_maps(Verb::Watch), status(410, "Expired"));
        cluster.control.disconnect_watches();
        cluster.update("a", "2");
        until_cached(&maps, "a=2").await;
        let requests = cluster.control.requests();
        let streamed = requests
            .iter()
            .filter(|one| one.query.contains("sendInitialEvents"));
        assert_eq!(streamed.count(), 1);
        // Two lists, and a probe after the lost connection.
        assert_eq!(cluster.control.count(Verb::List, "configmaps"), 3);
        factory.shutdown().await;
    }
}

#[tokio::test]
async fn l09_a_streaming_list_without_its_end_is_replaced_by_a_list() {
    for encoding in ENCODINGS {
        let cluster = Cluster::start_in(encoding).await;
        for name in ["a", "b", "c"] {
            cluster.create(name, "1");
        }
        // The first event, or half of it, and then silence.
        cluster
            .control
            .fail_next(1, of_maps(Verb::Watch), Fault::StallAfter(400));
        let failures = Failures::default();
        let config = quick()
            .initial_events_deadline(Duration::from_millis(100))
            .error_handler(failures.handler());
        let factory = cluster.builder().config(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        within("sync", factory.wait_for_cache_sync()).await.unwrap();
        until_cached(&maps, "a=1 b=1 c=1").await;
        assert_eq!(
            failures.texts(),
            ["streaming list got no closing bookmark for 0.1 s, listing instead"]
        );
        assert_eq!(cluster.control.count(Verb::List, "configmaps"), 1);
        factory.shutdown().await;
    }
}

/// R-06, L-10.
#[tokio::test]
async fn r06_a_watch_that_ends_is_resumed_without_a_list() {
    for encoding in ENCODINGS {
        for mode in MODES {
            let cluster = Cluster::start_in(encoding).await;
            cluster.create("a", "1");
            let failures = Failures::default();
            let config = quick().watch_list(mode).error_handler(failures.handler());
            let factory = cluster.builder().config(config).build().unwrap();
            let maps = factory.informer::<ConfigMap>();
            let recorder = Recorder::new();
            maps.add_event_handler(recorder.handler()).unwrap();
            factory.start().unwrap();
            until_cached(&maps, "a=1").await;
            within("a watch", cluster.control.await_watches("configmaps", 1)).await;
            cluster.create("b", "1");
            until_cached(&maps, "a=1 b=1").await;
            let last = cluster.control.current_resource_version();
            let watches = cluster.control.count(Verb::Watch, "configmaps");
            cluster.control.close_watches();
            let resumed = cluster
                .control
                .await_nth_request(of_maps(Verb::Watch), usize::try_from(watches).unwrap() + 1);
            let resumed = within("another watch", resumed).await;
            assert_eq!(resumed.parameter("resourceVersion"), Some(last.to_string()));
            assert_eq!(resumed.parameter("sendInitialEvents"), None);

            // A broken connection is resumed as well, and reported.
            cluster.control.disconnect_watches();
            cluster.update("a", "2");
            cluster.delete("b");
            until_cached(&maps, "a=2").await;
            let lists = u64::from(mode == WatchListMode::Never);
            let probes = 1;
            assert_eq!(
                cluster.control.count(Verb::List, "configmaps"),
                lists + probes
            );
            assert_eq!(maps.metrics().lists, 1);
            recorder.until_events(4).await;
            assert_eq!(
                recorder.events()[1..],
                [
                    "add default/b live",
                    "update default/a live",
                    "delete default/b live"
                ]
            );
            assert!(maps.has_synced());
            factory.shutdown().await;
        }
    }
}

/// B-02, T-01, C-09, E-10.
#[tokio::test]
async fn r13_an_expired_version_leads_to_a_relist_that_finds_what_was_missed() {
    for encoding in ENCODINGS {
        for mode in MODES {
            for in_the_stream in [false, true] {
                let cluster = Cluster::start_in(encoding).await;
                for name in ["gone", "kept", "moved"] {
                    cluster.create(name, "1");
                }
                let failures = Failures::default();
                let config = quick().watch_list(mode).error_handler(failures.handler());
                let factory = cluster.builder().config(config).build().unwrap();
                let maps = factory.informer::<ConfigMap>();
                let recorder = Recorder::new();
                maps.add_event_handler(recorder.handler()).unwrap();
                factory.start().unwrap();
                recorder.until_events(3).await;
                within("a watch", cluster.control.await_watches("configmaps", 1)).await;

                // All changes happen at once: the informer sees none of them before its next
                // request.
                cluster.control.disconnect_watches();
                cluster.delete("gone");
                cluster.delete("moved");
                cluster.create("moved", "2");
                cluster.create("new", "1");
                if in_the_stream {
                    cluster.control.compact();
                } else {
                    cluster
                        .control
                        .fail_next(1, of_maps(Verb::Watch), status(410, "Expired"));
                }
                until_cached(&maps, "kept=1 moved=2 new=1").await;
                recorder.until_events(7).await;
                assert_eq!(
                    recorder.events()[3..],
                    [
                        "delete default/gone relist",
                        "delete default/moved relist",
                        "add default/moved relist",
                        "add default/new relist",
                    ]
                );
                recorder.read(|notes| assert_eq!(notes.illegal, [""; 0]));
                let expired = failures
                    .all()
                    .into_iter()
                    .filter(|failure| failure.status().is_some_and(|status| status.code == 410));
                assert!(expired.count() >= 1, "{:?}", failures.texts());
                factory.shutdown().await;
            }
        }
    }
}

/// R-15, E-03, N-06.
#[tokio::test]
async fn r15_cached_objects_stay_readable_during_an_outage() {
    for encoding in ENCODINGS {
        let cluster = Cluster::start_in(encoding).await;
        cluster.create("a", "1");
        let failures = Failures::default();
        let factory = cluster
            .builder()
            .config(quick().error_handler(failures.handler()))
            .build()
            .unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        until_cached(&maps, "a=1").await;
        within("a watch", cluster.control.await_watches("configmaps", 1)).await;
        let any = Matcher::any().resource("configmaps");
        cluster
            .control
            .fail_next(usize::MAX, any, status(503, "ServiceUnavailable"));
        cluster.control.disconnect_watches();
        cluster.delete("a");
        cluster.create("b", "1");
        failures
            .until("a failed list", |failure| {
                matches!(failure, ReflectorError::List(_))
            })
            .await;
        assert_eq!(crate::support::cached(&maps), "a=1");
        assert!(maps.has_synced());
        let mut states = maps.status_changes();
        let degraded = states.wait_for(|status| {
            matches!(&status.state, InformerState::Degraded { cause } if chain(&**cause).contains("503"))
        });
        within("the status to report it", degraded).await.unwrap();
        cluster.control.clear_faults();
        until_cached(&maps, "b=1").await;
        let synced = states.wait_for(|status| matches!(status.state, InformerState::Synced));
        within("the status to report it", synced).await.unwrap();
        factory.shutdown().await;
    }
}

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
                    let factory = cluster
                        .builder()
                        .config(quick().watch_list(mode))
                        .build()
                        .unwrap();
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
            factory.start().unwrap();
            within("sync", factory.wait_for_cache_sync()).await.unwrap();
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
