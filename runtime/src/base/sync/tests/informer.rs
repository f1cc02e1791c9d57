//! A complete informer: its sync and its shutdown.

use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::event::Event;
use crate::reflector::WatchListMode;
use crate::shared_informer::{InformerConfig, SharedInformer, SyncError};
use crate::source::FakeControllerSource;
use informer_test_harness::schedules::{check, spawn};

fn source() -> FakeControllerSource {
    let source = FakeControllerSource::new();
    for name in ["a", "b"] {
        source.add(&object(name)).unwrap();
    }
    source
}

fn object(name: &str) -> serde_json::Value {
    json!({"metadata": {"namespace": "ns", "name": name}})
}

fn informer(source: &FakeControllerSource, mode: WatchListMode) -> SharedInformer<ConfigMap> {
    let reflector = InformerConfig::new().watch_list(mode);
    let builder = SharedInformer::builder(source.clone()).config(reflector);
    builder.build().unwrap()
}

const MODES: [WatchListMode; 2] = [WatchListMode::Auto, WatchListMode::Never];

/// F-08: a task that has waited for sync reads the complete first state.
#[test]
fn f08_a_wait_for_sync_is_followed_by_the_first_state() {
    for mode in MODES {
        check(move || async move {
            let source = source();
            let informer = informer(&source, mode);
            let cancel = CancellationToken::new();
            let run = spawn(informer.run(cancel.clone()));
            let waiters = [0, 1].map(|_| {
                let informer = informer.clone();
                spawn(async move {
                    informer.wait_for_sync().await.unwrap();
                    assert!(informer.snapshot().len() >= 2 && informer.has_synced());
                })
            });
            let version = source.add(&object("c")).unwrap();
            let reached = informer.indexer().wait_for_in("", &version).await.unwrap();
            assert_eq!(reached.len(), 3);
            for waiter in waiters {
                waiter.await.unwrap();
            }
            cancel.cancel();
            run.await.unwrap().unwrap();
        });
    }
}

/// Ways to end an informer.
#[derive(Debug, Clone, Copy)]
enum End {
    Cancel,
    Stop,
    Abort,
}

/// F-11, F-10, H-15: an informer that ends at any moment, in any way, releases all waiters and
/// calls no handler afterwards.
#[test]
fn f11_an_informer_can_be_ended_at_any_moment() {
    for end in [End::Cancel, End::Stop, End::Abort] {
        check(move || async move {
            let source = source();
            let informer = informer(&source, WatchListMode::Never);
            let ended = CancellationToken::new();
            let is_over = ended.clone();
            let handler = move |_: Event<_>| assert!(!is_over.is_cancelled());
            let registration = informer.add_event_handler(handler).unwrap();
            let cancel = CancellationToken::new();
            let run = spawn(informer.run(cancel.clone()));
            let waiters = [0, 1].map(|_| {
                let informer = informer.clone();
                spawn(async move {
                    let synced = informer.wait_for_sync().await;
                    assert!(matches!(synced, Ok(()) | Err(SyncError::Stopped)));
                    informer.wait_until_stopped().await;
                })
            });
            source.add(&object("c")).unwrap();
            match end {
                End::Cancel => cancel.cancel(),
                End::Stop => informer.stop(),
                End::Abort => run.abort(),
            }
            match run.await {
                Ok(run) => {
                    run.unwrap();
                    ended.cancel();
                }
                Err(_aborted) => assert!(matches!(end, End::Abort)),
            }
            for waiter in waiters {
                waiter.await.unwrap();
            }
            // The handler has ended, or was never started.
            registration.remove().await;
            let _synced_or_not = registration.wait_for_sync().await;
            assert!(informer.is_stopped());
            assert!(informer.add_event_handler(|_: Event<_>| {}).is_err());
        });
    }
}

/// F-05, F-14: of concurrent runs of one informer exactly one succeeds, even if the informer is
/// stopped meanwhile.
#[test]
fn f05_an_informer_runs_once() {
    check(|| async {
        let informer = informer(&source(), WatchListMode::Never);
        let runs = [0, 1].map(|_| {
            let informer = informer.clone();
            spawn(async move { informer.run(CancellationToken::new()).await.is_ok() })
        });
        informer.stop();
        let mut ran = 0;
        for run in runs {
            ran += usize::from(run.await.unwrap());
        }
        assert_eq!(ran, 1);
        informer.wait_until_stopped().await;
    });
}
