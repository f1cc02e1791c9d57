//! Resyncs that pass through the queue.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::sync::Semaphore;

use crate::delta_fifo::Order;
use crate::event::Event;
use crate::processor::{HandlerOptions, HandlerRegistration, async_handler};
use crate::reflector::ExponentialBackoff;
use crate::reflector::tests::support::{event, failure, play, raws};
use crate::reflector::tests::world::{Log, Whole, event_text, listing, pass, until};
use crate::shared_informer::InformerConfig;
use crate::source::{ListAnswer, WatchAnswer};
use crate::wire::ListMeta;

/// Adds a handler with a resync period.
fn add(whole: &Whole, seconds: u64) -> Log {
    let log = Log::default();
    let seen = log.clone();
    let handler = move |event: Event<ConfigMap>| seen.add(event_text(&event));
    whole
        .informer
        .add_event_handler_with(handler, every(seconds))
        .unwrap();
    log
}

/// Adds a handler that records each event, then waits for a permit of `gate`.
fn add_gated(
    whole: &Whole,
    options: HandlerOptions,
    gate: &Arc<Semaphore>,
) -> (Log, HandlerRegistration) {
    let log = Log::default();
    let (seen, gate) = (log.clone(), Arc::clone(gate));
    let handler = async_handler(move |event: Event<ConfigMap>| {
        seen.add(event_text(&event));
        let gate = Arc::clone(&gate);
        async move { gate.acquire().await.unwrap().forget() }
    });
    let added = whole.informer.add_event_handler_with(handler, options);
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
    let options = HandlerOptions::new().resync_period(Duration::from_secs(2));
    let handler = move |event: Event<ConfigMap>| {
        if let Event::Updated(updated) = &event {
            let same = std::sync::Arc::ptr_eq(&updated.old, &updated.new);
            seen.add(format!("{} {same}", event_text(&event)));
        }
    };
    whole
        .informer
        .add_event_handler_with(handler, options)
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

/// Y-07: a resync neither overtakes an earlier change nor delays a later one.
#[tokio::test(start_paused = true)]
async fn y07_a_resync_keeps_its_place_among_the_changes() {
    for order in [Order::Global, Order::PerKey] {
        let whole = Whole::empty(listing(), |builder| {
            builder.config(InformerConfig::new().order(order))
        });
        let log = add(&whole, 2);
        play(&whole.source, "list 5 a@1");
        let (watch, answer) = WatchAnswer::controlled();
        whole.source.on_watch(answer);
        tokio::time::sleep(Duration::from_millis(1999)).await;
        for text in ["~a@6", "~a@7", "+b@8"] {
            watch.send(event(text)).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
        for text in ["~a@9", "-b@10"] {
            watch.send(event(text)).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let text = log.text();
        let mut last = String::from("1");
        let mut resyncs = 0;
        for word in text.split(' ').filter(|word| word.contains("~a@")) {
            let (old, new) = word.split_once('@').unwrap().1.split_once('>').unwrap();
            assert_eq!(old, last, "{text}");
            resyncs += u32::from(word.starts_with('s'));
            new.clone_into(&mut last);
        }
        assert_eq!((resyncs, last.as_str()), (1, "9"), "{text}");
        whole.stop().await;
    }
}

/// Y-09, C-05: after a relist, handlers with resyncs receive all objects, the others only changed
/// ones.
#[tokio::test(start_paused = true)]
async fn y09_a_relist_shows_unchanged_objects_to_resync_subscribers_only() {
    for order in [Order::Global, Order::PerKey] {
        let whole = Whole::empty(listing(), |builder| {
            builder.config(InformerConfig::new().order(order))
        });
        let resynced = add(&whole, 1000);
        play(
            &whole.source,
            "list 5 a@1 b@2 c@3 | watch error:410 | list 9 a@1 b@8 | watch",
        );
        whole.at("9").await;
        pass(1).await;
        assert_eq!(whole.seen.len(), 5, "{}", whole.seen.text());
        assert!(!whole.seen.text().contains("s~"));
        let text = resynced.text();
        assert_eq!(text.matches("s~a@1>1").count(), 1, "{text}");
        assert_eq!(text.split(' ').count(), 6, "{text}");
        whole.stop().await;
    }
}

/// Y-09, C-05: for any number of batches, even while the handler is in a call.
#[tokio::test(start_paused = true)]
async fn y09_a_relist_of_any_size_shows_every_unchanged_object() {
    for order in [Order::Global, Order::PerKey] {
        for count in [999, 1000, 1001, 2500] {
            let whole = Whole::empty(listing(), |builder| {
                builder.config(InformerConfig::new().order(order))
            });
            let gate = Arc::new(Semaphore::new(count - 1));
            let (log, registration) = add_gated(&whole, every(3600), &gate);
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

/// Y-02, Y-04, Y-06, C-06: a pending event of an unchanged object replaces neither another event
/// nor a resync.
#[tokio::test(start_paused = true)]
async fn y02_an_unchanged_object_that_waits_takes_no_resyncs_place() {
    for order in [Order::Global, Order::PerKey] {
        let whole = Whole::empty(listing(), |builder| {
            builder.config(InformerConfig::new().order(order))
        });
        let gate = Arc::new(Semaphore::new(2));
        let (log, registration) = add_gated(&whole, every(2), &gate);
        play(&whole.source, "list 5 a@1 b@2 c@3");
        let (watch, answer) = WatchAnswer::controlled();
        whole.source.on_watch(answer);
        tokio::time::sleep(Duration::from_millis(1900)).await;
        for text in ["~a@1", "~b@2"] {
            watch.send(event(text)).await.unwrap();
        }
        tokio::time::sleep(Duration::from_millis(200)).await;
        assert_eq!(log.text(), "i+a@1 i+b@2 i+c@3", "held in a call");
        gate.add_permits(6);
        tokio::time::sleep(Duration::from_millis(100)).await;
        let resyncs = log.text().replace("i+a@1 i+b@2 i+c@3 ", "");
        let expected = "s~a@1>1 s~b@2>2 s~a@1>1 s~b@2>2 s~c@3>3";
        assert_eq!(resyncs, expected, "{order:?}");
        assert_eq!(registration.stats().resyncs_skipped, 0);
        whole.stop().await;
    }
}

/// H-03: the pending events of a blocked handler are bounded by the number of keys, including
/// unchanged objects.
#[tokio::test(start_paused = true)]
async fn h03_unchanged_objects_do_not_pile_up_behind_a_stuck_handler() {
    for order in [Order::Global, Order::PerKey] {
        let whole = Whole::empty(listing(), |builder| {
            builder.config(InformerConfig::new().order(order))
        });
        let gate = Arc::new(Semaphore::new(0));
        let options = every(3600).capacity(NonZeroUsize::new(4).unwrap());
        let (log, registration) = add_gated(&whole, options, &gate);
        play(&whole.source, "list 5 a@1 b@2 c@3");
        let (watch, answer) = WatchAnswer::controlled();
        whole.source.on_watch(answer);
        for round in 0..500 {
            let version = 10 + round;
            for text in [
                "~b@2".to_owned(),
                "~c@3".to_owned(),
                format!("~a@{version}"),
            ] {
                watch.send(event(&text)).await.unwrap();
                watch.send(event(&text)).await.unwrap();
            }
        }
        whole.at("509").await;
        let pending = registration.stats().pending;
        assert!(pending <= 4 + 2 * 3, "{pending} wait");
        gate.add_permits(100);
        until("all of it", || registration.stats().pending == 0).await;
        assert!(log.text().contains(">509"), "{}", log.text());
        assert!(log.len() <= 1 + 4 + 2 * 3, "{}", log.text());
        whole.stop().await;
    }
}
