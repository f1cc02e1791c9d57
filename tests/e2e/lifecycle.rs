//! Starting, stopping, and late users.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use futures::StreamExt as _;
use informer::factory::RunError;
use informer::handler::AddHandlerError;
use informer::{Event, HandlerOptions, Selector, StartError, SyncError, WhenFull, async_handler};
use informer_apiserver::Verb;
use k8s_openapi::api::core::v1::{ConfigMap, Secret};
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, Recorder, cached, key, until_cached, within};

/// F-04, F-05, F-14.
#[tokio::test]
async fn f05_a_second_start_is_harmless_and_one_after_the_shutdown_is_an_error() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    for _ in 0..3 {
        factory.start().unwrap();
    }
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    factory.start().unwrap();
    let again = maps.run(CancellationToken::new()).await.unwrap_err();
    assert_eq!(again, RunError::AlreadyStarted("configmaps.v1".into()));
    assert_eq!(
        again.to_string(),
        "informer `configmaps.v1` has been started before: an informer runs once"
    );
    cluster.create("b", "1");
    until_cached(&maps, "a=1 b=1").await;
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 1);

    within("the shutdown", factory.shutdown()).await;
    assert_eq!(factory.start().unwrap_err(), StartError::ShutDown);
    assert_eq!(
        StartError::ShutDown.to_string(),
        "the factory was shut down: build a new one"
    );
    // A request after the shutdown returns an error, and does not hang.
    let late = factory.informer::<Secret>();
    let error = within("the late informer's error", late.wait_for_sync())
        .await
        .unwrap_err();
    assert_eq!(error.to_string(), "cannot run: the factory was shut down");
    let recorder = Recorder::new();
    let refused = late.add_event_handler(recorder.handler());
    assert_eq!(refused.unwrap_err(), AddHandlerError::Stopped);
    // A new factory starts over.
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    until_cached(&maps, "a=1 b=1").await;
    factory.shutdown().await;
}

/// F-04.
#[tokio::test]
async fn f04_an_informer_that_is_asked_for_later_starts_by_itself() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let factory = cluster.factory();
    factory.start().unwrap();
    within("an immediate sync", factory.wait_for_cache_sync())
        .await
        .unwrap();
    let maps = factory.informer::<ConfigMap>();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    assert_eq!(cached(&maps), "a=1");
    factory.shutdown().await;
}

/// F-12, F-10.
#[tokio::test]
async fn f12_a_shutdown_works_in_any_order() {
    let cluster = Cluster::start().await;
    // A factory that never started: waiters get an error.
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    within("the shutdown", factory.shutdown()).await;
    let error = within("an answer", maps.wait_for_sync()).await.unwrap_err();
    assert!(
        matches!(error, SyncError::Stopped | SyncError::Refused(_)),
        "{error}"
    );
    assert!(maps.is_stopped());
    let error = within("an answer", factory.wait_for_cache_sync())
        .await
        .unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("failed to sync all caches; configmaps.v1: ")
    );

    // A shutdown immediately after the start.
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    within("the shutdown", factory.shutdown()).await;
    within("an answer", maps.wait_for_sync()).await.unwrap_err();
    assert!(maps.is_stopped() && !maps.has_synced());

    // Stopped one by one, then again, and by two callers at once.
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    within("sync", maps.wait_for_sync()).await.unwrap();
    maps.stop();
    within("the informer's end", maps.wait_until_stopped()).await;
    let twice = async { tokio::join!(factory.shutdown(), factory.shutdown()) };
    within("the shutdown", twice).await;
    assert!(maps.has_synced(), "a synced informer stays synced");
}

/// F-10, F-08.
#[tokio::test]
async fn f10_all_waiters_for_a_sync_learn_of_the_stop() {
    let cluster = Cluster::start().await;
    let stalled = informer_apiserver::Matcher::any().resource("configmaps");
    cluster
        .control
        .fail_next(usize::MAX, stalled, informer_apiserver::Fault::Stall);
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let recorder = Recorder::new();
    let registration = maps.add_event_handler(recorder.handler()).unwrap();
    factory.start().unwrap();
    let any = informer_apiserver::Matcher::any().resource("configmaps");
    let stopping = async {
        cluster.control.await_request(any).await;
        factory.shutdown().await;
    };
    let waiting = async {
        tokio::join!(
            maps.wait_for_sync(),
            maps.wait_for_sync(),
            factory.wait_for_cache_sync(),
            registration.wait_for_sync(),
            stopping
        )
    };
    let (first, second, all, handler, ()) = within("the answers", waiting).await;
    assert_eq!(
        first.unwrap_err().to_string(),
        "stopped before it had synced"
    );
    assert_eq!(
        second.unwrap_err().to_string(),
        "stopped before it had synced"
    );
    assert_eq!(
        all.unwrap_err().to_string(),
        "failed to sync all caches; configmaps.v1: stopped before it had synced"
    );
    assert_eq!(
        handler.unwrap_err().to_string(),
        "the informer stopped before the handler had seen the initial state"
    );
    assert!(!maps.has_synced());
}

/// F-11, H-15.
#[tokio::test]
async fn f11_a_shutdown_waits_for_the_call_that_runs_and_drops_what_is_pending() {
    let cluster = Cluster::start().await;
    for name in ["a", "b", "c"] {
        cluster.create(name, "1");
    }
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let (entered, gate) = (Arc::new(Semaphore::new(0)), Arc::new(Semaphore::new(0)));
    let (calls, ended) = (
        Arc::new(AtomicUsize::new(0)),
        Arc::new(AtomicBool::new(false)),
    );
    let handler = {
        let (entered, gate) = (Arc::clone(&entered), Arc::clone(&gate));
        let (calls, ended) = (Arc::clone(&calls), Arc::clone(&ended));
        async_handler(move |_: Event<Arc<ConfigMap>>| {
            let (entered, gate) = (Arc::clone(&entered), Arc::clone(&gate));
            let (calls, ended) = (Arc::clone(&calls), Arc::clone(&ended));
            async move {
                calls.fetch_add(1, Ordering::SeqCst);
                entered.add_permits(1);
                gate.acquire().await.unwrap().forget();
                ended.store(true, Ordering::SeqCst);
            }
        })
    };
    let registration = maps.add_event_handler(handler).unwrap();
    factory.start().unwrap();
    within("a call", entered.acquire()).await.unwrap().forget();
    let shutting_down = factory.shutdown();
    let opening = async {
        // The reflector has ended, but the handler's call has not.
        cluster.control.await_watches("configmaps", 0).await;
        assert!(!maps.is_stopped());
        gate.add_permits(1);
    };
    within("the shutdown", async {
        tokio::join!(shutting_down, opening)
    })
    .await;
    assert!(ended.load(Ordering::SeqCst) && maps.is_stopped());
    assert_eq!(calls.load(Ordering::SeqCst), 1);
    // No owner of the handler is left.
    assert_eq!(Arc::strong_count(&calls), 1);

    let recorder = Recorder::new();
    let error = maps.add_event_handler(recorder.handler()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the handler was not added because the informer has stopped already"
    );
    within("a removal", registration.remove()).await;
}

/// F-13.
#[tokio::test]
async fn f13_a_dropped_factory_ends_its_informers_and_leaves_their_caches() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let lister = maps.lister();
    let mut stream = maps.events(HandlerOptions::new()).unwrap();
    let clone = factory.clone();
    factory.start().unwrap();
    until_cached(&maps, "a=1").await;
    drop(factory);
    // A clone keeps the factory alive.
    cluster.create("b", "1");
    until_cached(&maps, "a=1 b=1").await;
    drop(clone);
    within(
        "the watch's end",
        cluster.control.await_watches("configmaps", 0),
    )
    .await;
    within("the informer's end", maps.wait_until_stopped()).await;
    within("the stream's end", async {
        while stream.next().await.is_some() {}
    })
    .await;
    assert_eq!(lister.list(&Selector::everything()).len(), 2);
    assert_eq!(maps.status().state.to_string(), "stopped");
    assert!(maps.has_synced());
}

/// F-13, F-10.
#[tokio::test]
async fn f13_a_factory_dropped_before_its_start_blocks_no_waiter() {
    let cluster = Cluster::start().await;
    let maps = cluster.factory().informer::<ConfigMap>();
    within("an answer", maps.wait_for_sync()).await.unwrap_err();
    assert!(maps.is_stopped());
}

/// H-06, H-07, H-02.
#[tokio::test]
async fn h06_a_late_handler_starts_from_one_snapshot_and_stalls_no_other() {
    const N: usize = 2_000;
    let cluster = Cluster::start().await;
    for index in 0..N {
        cluster.create(&format!("c-{index:04}"), "1");
    }
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();

    let gate = Arc::new(Semaphore::new(1));
    let late = Recorder::new();
    let handler = {
        let (gate, late) = (Arc::clone(&gate), late.clone());
        async_handler(move |event: Event<Arc<ConfigMap>>| {
            let (gate, late) = (Arc::clone(&gate), late.clone());
            async move {
                gate.acquire().await.unwrap().forget();
                late.note(event);
            }
        })
    };
    let capacity = NonZeroUsize::new(4).unwrap();
    let options = HandlerOptions::new()
        .capacity(capacity)
        .when_full(WhenFull::Coalesce);
    let registration = maps.add_event_handler_with(handler, options).unwrap();
    late.until_events(1).await;
    // The handler is blocked in its second call. The cache and other handlers continue.
    for round in 0..10 {
        cluster.update("c-1999", &round.to_string());
    }
    cluster.delete("c-0005");
    cluster.create("new", "1");
    let other = Recorder::new();
    maps.add_event_handler(other.handler()).unwrap();
    other
        .until("the new object", |notes| {
            notes.objects.contains_key(&key("new"))
        })
        .await;
    assert!(!registration.has_synced());
    assert_eq!(late.events().len(), 1);

    gate.add_permits(Semaphore::MAX_PERMITS / 2);
    within("its sync", registration.wait_for_sync())
        .await
        .unwrap();
    late.until("the new object", |notes| {
        notes.objects.contains_key(&key("new"))
    })
    .await;
    late.read(|notes| {
        assert_eq!(notes.illegal, [""; 0]);
        let initial = notes
            .events
            .iter()
            .filter(|event| event.ends_with(" initial"))
            .count();
        assert_eq!(initial, N);
        assert!(
            notes.events[..N]
                .iter()
                .all(|event| event.ends_with(" initial")),
            "the existing objects come first"
        );
    });
    let snapshot = maps.snapshot();
    late.until("the cache", |notes| {
        notes.objects.len() == snapshot.len()
            && snapshot.iter().all(|entry| {
                let held = notes.objects.get(&entry.key);
                held.is_some_and(|object| Arc::ptr_eq(object, &entry.handle))
            })
    })
    .await;
    factory.shutdown().await;
}

/// H-10, H-18.
#[tokio::test]
async fn h10_a_removed_handler_is_not_called_and_a_dropped_registration_is_no_removal() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    let (kept, removed) = (Recorder::new(), Recorder::new());
    drop(maps.add_event_handler(kept.handler()).unwrap());
    let registration = maps.add_event_handler(removed.handler()).unwrap();
    factory.start().unwrap();
    cluster.create("a", "1");
    removed.until_events(1).await;
    within("the removal", registration.remove()).await;
    cluster.create("b", "1");
    kept.until_events(2).await;
    assert_eq!(removed.events().len(), 1);
    factory.shutdown().await;
}
