//! Handlers of an informer: their initial state, their sync, and their events.

use std::sync::Arc;

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use tokio::sync::{Notify, Semaphore};

use super::support::{Running, SECOND, Waiter, config, informer, recorder, source_with};
use crate::event::{Event, Origin};
use crate::processor::{HandlerOptions, async_handler};

/// T-01, C-09, H-20: events over a complete life cycle, with the origin of each.
#[tokio::test(start_paused = true)]
async fn h20_each_notification_names_what_brought_it() {
    let source = source_with(&["a", "b"]);
    let informer = informer(source.clone());
    let (handler, mut seen) = recorder();
    informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    assert_eq!(
        seen.take(2).await,
        ["add ns/a=1 initial", "add ns/b=1 initial"]
    );
    source.modify(&config("a", "2")).unwrap();
    source.delete(&config("b", "3")).unwrap();
    source.add(&config("b", "4")).unwrap();
    assert_eq!(
        seen.take(3).await,
        [
            "update ns/a=1>2 live",
            "delete ns/b=3 live",
            "add ns/b=4 live"
        ]
    );
    source.lose_next_event();
    source.delete(&config("a", "9")).unwrap();
    source.lose_next_event();
    source.modify(&config("b", "5")).unwrap();
    source.lose_next_event();
    source.add(&config("c", "1")).unwrap();
    source.reset_watch();
    assert_eq!(
        seen.take(3).await,
        [
            "delete ns/a=2? relist",
            "update ns/b=4>5 relist",
            "add ns/c=1 relist"
        ]
    );
    running.stop().await;
}

/// H-06, H-07: a late handler receives one snapshot, then later events, without gap or repetition.
#[tokio::test(start_paused = true)]
async fn h06_a_late_handler_starts_from_the_cache_and_goes_on() {
    let source = source_with(&["a", "b"]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    source.modify(&config("b", "2")).unwrap();
    let version = source.resource_version();
    informer.indexer().wait_for_in("", &version).await.unwrap();

    let (handler, mut seen) = recorder();
    let registration = informer.add_event_handler(handler).unwrap();
    source.modify(&config("a", "2")).unwrap();
    source.add(&config("c", "1")).unwrap();
    assert_eq!(
        seen.take(4).await,
        [
            "add ns/a=1 initial",
            "add ns/b=2 initial",
            "update ns/a=1>2 live",
            "add ns/c=1 live"
        ]
    );
    assert!(registration.has_synced());
    assert!(seen.within(60 * SECOND).await.is_empty());
    running.stop().await;
}

/// H-06: objects change concurrently on several threads. Replaying the events of each handler
/// yields the cache (C-14).
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn h06_late_handlers_under_load_see_neither_gap_nor_repetition() {
    let source = source_with(&[]);
    let informer = informer(source.clone());
    let running = Running::synced(&informer).await;
    let writer = source.clone();
    let mut tasks = tokio::task::JoinSet::new();
    tasks.spawn(async move {
        for round in 0..200 {
            let name = format!("o{}", round % 7);
            let object = config(&name, &round.to_string());
            let exists = writer.keys().iter().any(|key| key.name() == name);
            match round % 3 {
                0 if exists => writer.delete(&object).unwrap(),
                _ if exists => writer.modify(&object).unwrap(),
                _ => writer.add(&object).unwrap(),
            };
            tokio::task::yield_now().await;
        }
        writer.add(&config("end", "end")).unwrap();
    });
    let mut replayed = Vec::new();
    for _ in 0..20 {
        let options = HandlerOptions::default();
        let mut events = informer.events(options).unwrap();
        replayed.push(async move {
            let mut cache = std::collections::BTreeMap::new();
            while let Some(event) = events.next().await {
                let key = event.key().clone();
                let is_end = key.name() == "end";
                match event {
                    Event::Added(added) => {
                        assert!(cache.insert(key, added.object).is_none(), "twice");
                    }
                    Event::Updated(updated) => {
                        let old = cache.insert(key, updated.new).expect("an add before");
                        assert!(Arc::ptr_eq(&old, &updated.old), "a gap");
                    }
                    Event::Deleted(deleted) => {
                        assert!(cache.remove(&deleted.key).is_some(), "an add before");
                    }
                }
                if is_end {
                    break;
                }
            }
            cache.into_values().collect::<Vec<_>>()
        });
        tokio::task::yield_now().await;
    }
    let replayed = futures::future::join_all(replayed).await;
    let cached = informer.indexer().list();
    for objects in replayed {
        assert_eq!(objects.len(), cached.len());
        let mut pairs = objects.iter().zip(&cached);
        assert!(pairs.all(|(seen, cached)| Arc::ptr_eq(seen, cached)));
    }
    tasks.join_all().await;
    running.stop().await;
}

/// H-07, H-08.
#[tokio::test(start_paused = true)]
async fn h07_a_registration_is_synced_once_its_handler_has_returned_from_all_initial_adds() {
    let source = source_with(&["a", "b"]);
    let informer = informer(source);
    let calls = Arc::new(Semaphore::new(0));
    let permits = Arc::clone(&calls);
    let slow = async_handler(move |_: Event<ConfigMap>| {
        let permits = Arc::clone(&permits);
        async move { permits.acquire().await.unwrap().forget() }
    });
    let slow = informer.add_event_handler(slow).unwrap();
    let (handler, _seen) = recorder();
    let quick = informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    quick.wait_for_sync().await.unwrap();
    assert!(
        informer.has_synced(),
        "the informer's sync says nothing about handlers"
    );
    assert!(!slow.has_synced());
    let mut waiters = [
        Waiter::new(slow.wait_for_sync()),
        Waiter::new(slow.wait_for_sync()),
    ];
    calls.add_permits(1);
    let (handler, _seen) = recorder();
    informer
        .add_event_handler(handler)
        .unwrap()
        .wait_for_sync()
        .await
        .unwrap();
    assert!(!slow.has_synced(), "one add is left");
    calls.add_permits(1);
    slow.wait_for_sync().await.unwrap();
    assert!(waiters.iter().all(Waiter::is_woken));
    assert!(waiters.iter_mut().all(|waiter| waiter.poll().is_ready()));
    running.stop().await;
}

/// H-07: with an empty store, a registration syncs at once, before and after the informer's sync.
#[tokio::test(start_paused = true)]
async fn h07_with_an_empty_store_a_registration_is_synced_at_once() {
    let informer = informer(source_with(&[]));
    let early = informer.add_event_handler(|_| {}).unwrap();
    assert!(!early.has_synced());
    let running = Running::synced(&informer).await;
    early.wait_for_sync().await.unwrap();
    let late = informer.add_event_handler(|_| {}).unwrap();
    late.wait_for_sync().await.unwrap();
    running.stop().await;
}

/// C-02, H-02: a handler reads the state of its event or a newer state. A blocked handler does not
/// delay the others.
#[tokio::test(start_paused = true)]
async fn c02_the_cache_is_never_behind_the_notification() {
    let source = source_with(&["a"]);
    let informer = informer(source.clone());
    let stuck = Arc::new(Semaphore::new(0));
    let forever = Arc::clone(&stuck);
    let handler = async_handler(move |_: Event<ConfigMap>| {
        let forever = Arc::clone(&forever);
        async move { assert!(forever.acquire().await.is_err(), "closed at the end") }
    });
    informer.add_event_handler(handler).unwrap();
    let lister = informer.lister();
    let checked = Arc::new(Mutex::new(0));
    let count = Arc::clone(&checked);
    let done = Arc::new(Notify::new());
    let finished = Arc::clone(&done);
    informer
        .add_event_handler(move |event: Event<ConfigMap>| {
            let cached = lister
                .get_by_key(event.key())
                .expect("the object is cached");
            let version = |object: &ConfigMap| {
                let version = object.metadata.resource_version.clone();
                version.unwrap().parse::<u64>().unwrap()
            };
            assert!(version(&cached) >= version(event.object()));
            *count.lock() += 1;
            if event.origin() == Origin::Live && version(event.object()) == 51 {
                finished.notify_one();
            }
        })
        .unwrap();
    let running = Running::synced(&informer).await;
    for number in 0..50 {
        source.modify(&config("a", &number.to_string())).unwrap();
    }
    done.notified().await;
    assert_eq!(*checked.lock(), 51);
    stuck.close();
    running.stop().await;
}

/// A handler that stops its own informer does not deadlock.
#[tokio::test(start_paused = true)]
async fn a_handler_may_stop_its_informer() {
    let informer = informer(source_with(&["a"]));
    let own = informer.clone();
    informer
        .add_event_handler(move |_: Event<ConfigMap>| own.stop())
        .unwrap();
    let mut running = Running::start(&informer);
    running.ended().await.unwrap();
    assert!(informer.is_stopped());
}
