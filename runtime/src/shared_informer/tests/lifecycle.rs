//! Start and stop of an informer, and its state in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::Poll;

use k8s_openapi::api::core::v1::{ConfigMap, Node, Pod};
use kube::core::DynamicObject;
use tokio::sync::Notify;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use super::support::{Running, SECOND, Waiter, config, informer, raw, script, source_with};
use crate::event::Event;
use crate::object::ResourceInfo;
use crate::processor::{AddHandlerError, HandlerOptions, HandlerSyncError, async_handler};
use crate::shared_informer::{ConfigError, RunError, SharedInformer, SyncError};
use crate::source::{ListAnswer, WatchAnswer};
use crate::wire::ListMeta;

/// F-11, R-02: observed through a handler's call that blocks.
#[tokio::test(start_paused = true)]
async fn f11_the_watch_ends_first_then_handlers_then_it_is_stopped() {
    let source = script();
    let (watch, answer) = WatchAnswer::controlled();
    let objects = [raw(config("a", "1"), "1"), raw(config("b", "1"), "2")];
    source.on_list(ListAnswer::items(objects, ListMeta::at("2")));
    source.on_watch(answer);
    let informer = informer(source);
    let (entered, release) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let finished = Arc::new(AtomicBool::new(false));
    let handler = {
        let (entered, release) = (Arc::clone(&entered), Arc::clone(&release));
        let finished = Arc::clone(&finished);
        async_handler(move |event: Event<ConfigMap>| {
            let (entered, release) = (Arc::clone(&entered), Arc::clone(&release));
            let finished = Arc::clone(&finished);
            async move {
                assert_eq!(event.key().name(), "a", "what was pending is dropped");
                entered.notify_one();
                release.notified().await;
                finished.store(true, Ordering::SeqCst);
            }
        })
    };
    let registration = informer.add_event_handler(handler).unwrap();
    let mut running = Running::start(&informer);
    entered.notified().await;

    running.cancel();
    watch.dropped().await;
    assert!(running.is_running().await);
    assert!(!informer.is_stopped());
    assert!(!finished.load(Ordering::SeqCst));

    release.notify_one();
    running.ended().await.unwrap();
    assert!(finished.load(Ordering::SeqCst));
    assert!(informer.is_stopped());
    assert_eq!(registration.stats().delivered, 1);
    assert_eq!(informer.lister().len(), 2, "the cache stays readable");
}

/// F-05, F-14.
#[tokio::test(start_paused = true)]
async fn f05_a_second_run_is_an_error_during_and_after_the_first() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let again = informer.run(CancellationToken::new()).await;
    assert_eq!(again, Err(RunError::AlreadyStarted("configmaps.v1".into())));
    assert!(!informer.is_stopped(), "the failed attempt ends nothing");
    running.stop().await;

    let requests = source.requests().len();
    let again = informer.run(CancellationToken::new()).await;
    assert_eq!(
        again.unwrap_err().to_string(),
        "informer `configmaps.v1` has been started before: an informer runs once"
    );
    assert_eq!(source.requests().len(), requests);
    assert!(informer.is_stopped());
}

/// F-05: the call claims the run, so the second of two unpolled runs fails.
#[tokio::test(start_paused = true)]
async fn f05_of_two_runs_that_nobody_polled_yet_the_first_counts() {
    let informer = informer(source_with(&["a"]));
    let cancel = CancellationToken::new();
    let first = informer.run(cancel.clone());
    assert!(informer.has_started());
    let second = informer.run(cancel.clone());
    assert!(second.await.is_err());
    cancel.cancel();
    assert_eq!(first.await, Ok(()));
}

#[tokio::test(start_paused = true)]
async fn r01_cancelled_before_the_start_nothing_is_asked() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let cancel = CancellationToken::new();
    cancel.cancel();
    assert_eq!(informer.run(cancel).await, Ok(()));
    assert!(informer.is_stopped());
    assert_eq!(source.requests(), []);
}

/// F-10, H-15.
#[tokio::test(start_paused = true)]
async fn f10_stop_before_the_run_ends_it_at_once_and_for_good() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let registration = informer.add_event_handler(|_| {}).unwrap();
    let mut waiter = Waiter::new(informer.wait_for_sync());
    let mut of_handler = Waiter::new(registration.wait_for_sync());
    informer.stop();

    assert!(informer.is_stopped());
    assert!(waiter.is_woken() && of_handler.is_woken());
    assert!(matches!(
        waiter.poll(),
        Poll::Ready(Err(SyncError::Stopped))
    ));
    assert!(of_handler.poll().is_ready());
    let late = informer.add_event_handler(|_| {});
    assert_eq!(late.unwrap_err(), AddHandlerError::Stopped);

    // A caller that has spawned the run just before the stop gets no error.
    assert_eq!(informer.run(CancellationToken::new()).await, Ok(()));
    assert!(informer.run(CancellationToken::new()).await.is_err());
    assert_eq!(source.requests(), []);
}

/// F-11, F-13.
#[tokio::test(start_paused = true)]
async fn f11_a_dropped_run_aborts_every_task_and_stops_the_informer() {
    let source = script();
    let (watch, answer) = WatchAnswer::controlled();
    source.on_list(ListAnswer::items(
        [raw(config("a", "1"), "1")],
        ListMeta::at("1"),
    ));
    source.on_watch(answer);
    let informer = informer(source);
    let stuck = Arc::new(());
    let alive = Arc::downgrade(&stuck);
    let handler = async_handler(move |_: Event<ConfigMap>| {
        let stuck = Arc::clone(&stuck);
        async move {
            std::future::pending::<()>().await;
            drop(stuck);
        }
    });
    let registration = informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    running.abort().await;

    assert!(informer.is_stopped());
    assert_eq!(
        registration.wait_for_sync().await,
        Err(HandlerSyncError::Stopped)
    );
    timeout(SECOND, registration.remove()).await.unwrap();
    watch.dropped().await;
    assert!(alive.upgrade().is_none(), "the handler is gone");
    assert!(informer.add_event_handler(|_| {}).is_err());
    assert!(informer.has_synced(), "what was synced stays so");
}

/// F-11, H-15: the run was never polled.
#[tokio::test(start_paused = true)]
async fn f11_a_run_that_is_dropped_before_its_first_poll_stops_the_informer() {
    let informer = informer(source_with(&["a"]));
    let registration = informer.add_event_handler(|_| {}).unwrap();
    drop(informer.run(CancellationToken::new()));
    assert!(informer.is_stopped());
    assert!(informer.add_event_handler(|_| {}).is_err());
    assert!(registration.wait_for_sync().await.is_err());
    assert!(matches!(
        informer.wait_for_sync().await,
        Err(SyncError::Stopped)
    ));
}

/// F-05: an informer that its factory refuses.
#[tokio::test(start_paused = true)]
async fn f05_a_refused_informer_says_why_to_all_who_ask() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    informer.refuse("of no use");
    informer.refuse("a second reason");
    let error = informer.wait_for_sync().await.unwrap_err();
    assert_eq!(error.to_string(), "cannot run: of no use");
    let error = informer.run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "informer `configmaps.v1` cannot run: of no use"
    );
    assert!(informer.is_stopped() && !informer.has_started());
    assert!(informer.add_event_handler(|_| {}).is_err());
    assert!(informer.events(HandlerOptions::default()).is_err());
    assert_eq!(source.requests(), []);
}

/// F-20, Q-17.
#[tokio::test(start_paused = true)]
async fn q17_settings_that_do_not_go_together_are_values() {
    let of = |builder: crate::shared_informer::SharedInformerBuilder<Pod>| builder.build().err();
    assert_eq!(
        of(SharedInformer::builder(script()).queue_capacity(0)),
        Some(ConfigError::EmptyQueue)
    );
    let dynamic = SharedInformer::<DynamicObject>::builder(script()).build();
    assert_eq!(dynamic.err(), Some(ConfigError::ResourceUnknown));
    let pods = ResourceInfo::of::<Pod>(&()).unwrap();
    let dynamic = SharedInformer::<DynamicObject>::builder(script()).resource(pods);
    assert_eq!(dynamic.build().unwrap().name(), "pods.v1");
    let nodes = SharedInformer::<Node>::builder(script()).namespace("ns");
    assert_eq!(
        nodes.build().err(),
        Some(ConfigError::NamespaceOfClusterScoped)
    );
}
