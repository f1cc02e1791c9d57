//! Handlers of an informer: their initial state and their events.

use k8s_openapi::api::core::v1::ConfigMap;

use super::support::{Running, SECOND, config, informer, recorder, source_with};
use crate::event::Event;

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
