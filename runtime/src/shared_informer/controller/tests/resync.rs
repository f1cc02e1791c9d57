//! Resyncs that pass through the queue.

use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::Semaphore;

use crate::delta_fifo::Order;
use crate::event::Event;
use crate::processor::{HandlerOptions, HandlerRegistration};
use crate::reflector::ExponentialBackoff;
use crate::reflector::tests::support::{event, failure, play, raws};
use crate::reflector::tests::world::{Log, Whole, event_text, listing, pass};
use crate::shared_informer::InformerConfig;
use crate::source::{ListAnswer, WatchAnswer};
use crate::wire::ListMeta;

/// Adds a handler with a resync period.
fn add(whole: &Whole, seconds: u64) -> Log {
    let log = Log::default();
    let added = whole
        .informer
        .add_event_handler_with(log.clone(), every(seconds));
    added.unwrap();
    log
}

/// Adds a handler with resyncs that records each event, then waits for a permit of `gate`.
fn add_gated(whole: &Whole, gate: &Arc<Semaphore>) -> (Log, HandlerRegistration) {
    let log = Log::default();
    let added = whole
        .informer
        .add_event_handler_with(log.gated(gate), every(3600));
    (log, added.unwrap())
}

fn every(seconds: u64) -> HandlerOptions {
    HandlerOptions::new().resync_period(Duration::from_secs(seconds))
}

/// Y-01, Y-06, Y-08, Q-10: the cached handles, once per period, without a request or a decoding.
#[tokio::test(start_paused = true)]
async fn y06_a_resync_shows_every_object_once_a_period() {
    let whole = Whole::empty(listing(), |builder| builder);
    let same = Log::default();
    let seen = same.clone();
    let handler = move |event: Event<ConfigMap>| {
        if let Event::Updated(updated) = &event {
            let same = Arc::ptr_eq(&updated.old, &updated.new);
            seen.add(format!("{} {same}", event_text(&event)));
        }
    };
    whole
        .informer
        .add_event_handler_with(handler, every(2))
        .unwrap();
    play(&whole.source, "list 5 b@1 a@2 | watch");
    pass(5).await;
    assert_eq!(
        same.text(),
        "s~a@2>2 true s~b@1>1 true s~a@2>2 true s~b@1>1 true"
    );
    assert_eq!(whole.requests(), "list 0 limit=500, watch 5");
    assert_eq!(whole.informer.metrics().decoded_objects, 2);
    assert_eq!(whole.seen.text(), "i+b@1 i+a@2");
    whole.stop().await;
}

/// C-06, I-13: a live event with the stored version is a resync event for handlers with resyncs,
/// and no event for others. The stored allocation stays.
#[tokio::test(start_paused = true)]
async fn c06_an_event_with_the_stored_version_is_told_to_those_with_resyncs_only() {
    let whole = Whole::empty(listing(), |builder| builder);
    let resynced = add(&whole, 3600);
    play(
        &whole.source,
        "list 5 a@1 b@2 | watch ~a@1 +b@2 ~a@1#other ~b@6",
    );
    whole.at("6").await;
    assert_eq!(
        resynced.text(),
        "i+a@1 i+b@2 s~a@1>1 s~b@2>2 ?a@1 +a@1 ~b@2>6"
    );
    assert_eq!(whole.seen.text(), "i+a@1 i+b@2 ?a@1 +a@1 ~b@2>6");
    whole.stop().await;
}

#[tokio::test(start_paused = true)]
async fn y02_each_handler_has_its_own_period() {
    let whole = Whole::empty(listing(), |builder| builder);
    let two = add(&whole, 2);
    let three = add(&whole, 3);
    play(&whole.source, "list 5 a@1 | watch");
    tokio::time::sleep(Duration::from_millis(12_100)).await;
    assert_eq!(two.text(), format!("i+a@1{}", " s~a@1>1".repeat(6)));
    assert_eq!(three.text(), format!("i+a@1{}", " s~a@1>1".repeat(4)));
    assert_eq!(whole.seen.text(), "i+a@1");
    whole.stop().await;
}

/// Y-04: a late handler whose period is shorter than all others.
#[tokio::test(start_paused = true)]
async fn y04_a_late_handler_has_its_period_too() {
    let whole = Whole::start(listing(), "list 5 a@1 | watch");
    let slow = add(&whole, 100);
    pass(10).await;
    let late = add(&whole, 3);
    tokio::time::sleep(Duration::from_millis(9100)).await;
    assert_eq!(late.text(), "i+a@1 s~a@1>1 s~a@1>1 s~a@1>1");
    assert_eq!(slow.text(), "i+a@1");
    whole.stop().await;
}

/// Y-05, Y-10: relists, even within a period, neither delay a resync nor cause one.
#[tokio::test(start_paused = true)]
async fn y05_relists_do_not_restart_the_timer() {
    let soon = || ExponentialBackoff::new(Duration::from_millis(500), Duration::from_secs(1));
    let whole = Whole::empty(listing().backoff(soon), |builder| builder);
    let resynced = add(&whole, 3);
    // Each list has another version of the object, so its event is a change.
    for version in 1..40 {
        let list = format!("list {version} a@{version} | watch error:410");
        play(&whole.source, &list);
    }
    tokio::time::sleep(Duration::from_millis(18_100)).await;
    assert!(whole.informer.metrics().lists > 9);
    assert_eq!(resynced.text().matches("s~a@").count(), 6);
    whole.stop().await;
}

/// Y-05, Y-10: a watch that breaks every second neither delays a resync nor is ended by one.
#[tokio::test(start_paused = true)]
async fn y05_reconnects_do_not_restart_the_timer() {
    let whole = Whole::empty(listing(), |builder| builder);
    let resynced = add(&whole, 3);
    play(&whole.source, "list 5 a@1");
    for version in 6..15 {
        let (watch, answer) = WatchAnswer::controlled();
        whole.source.on_watch(answer);
        pass(1).await;
        watch.send(event(&format!("b@{version}"))).await.unwrap();
        watch.close();
    }
    whole.source.on_watch(WatchAnswer::stays_open([]));
    pass(1).await;
    assert_eq!(resynced.text(), "i+a@1 s~a@1>1 s~a@1>1 s~a@1>1");
    assert_eq!(whole.source.requests().len(), 11);
    whole.stop().await;
}

/// Y-09, C-05: for any number of batches, even while the handler is in a call. H-08: the informer's
/// sync does not wait for that call.
#[tokio::test(start_paused = true)]
async fn y09_a_relist_of_any_size_shows_every_unchanged_object() {
    for order in [Order::Global, Order::PerKey] {
        for count in [999, 1000, 1001, 2500] {
            let whole = Whole::empty(listing(), |builder| {
                builder.config(InformerConfig::new().order(order))
            });
            let gate = Arc::new(Semaphore::new(count - 1));
            let (log, registration) = add_gated(&whole, &gate);
            for version in ["3000", "4000"] {
                let list = ListAnswer::items(raws(count), ListMeta::at(version));
                whole.source.on_list(list);
                if version == "3000" {
                    whole.source.on_watch(WatchAnswer::error(failure("410")));
                }
            }
            whole.source.on_watch(WatchAnswer::stays_open([]));
            whole.at("4000").await;
            assert_eq!(log.len(), count, "held in the last of the initial adds");
            assert!(whole.informer.has_synced() && !registration.has_synced());
            gate.add_permits(count + 1);
            pass(1).await;
            let unchanged = log.text().matches("s~").count();
            assert_eq!(unchanged, count, "{order:?}");
            assert_eq!(registration.stats().resyncs_skipped, 0);
            assert_eq!(
                whole.seen.len(),
                count,
                "no resync for handlers without one"
            );
            whole.stop().await;
        }
    }
}
