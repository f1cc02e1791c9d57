//! Resyncs through the queue.

use std::time::Duration;

use crate::Event;
use crate::processor::HandlerOptions;
use crate::reflector::ExponentialBackoff;
use crate::reflector::tests::support::{Handle, event, play};
use crate::reflector::tests::world::{Log, Whole, event_text, listing, pass};
use crate::source::WatchAnswer;

/// Adds a handler with a resync period.
fn add(whole: &Whole, seconds: u64) -> Log {
    let log = Log::default();
    let seen = log.clone();
    let options = HandlerOptions::new().resync_period(Duration::from_secs(seconds));
    let handler = move |event: Event<Handle>| seen.add(event_text(&event));
    whole
        .informer
        .add_event_handler_with(handler, options)
        .unwrap();
    log
}

/// Y-01, Y-06, Y-08, Q-10: the same handles, once a period, without a request or a decoding.
#[tokio::test(start_paused = true)]
async fn y06_a_resync_shows_every_object_once_a_period() {
    let whole = Whole::empty(listing(), |builder| builder);
    let same = Log::default();
    let seen = same.clone();
    let options = HandlerOptions::new().resync_period(Duration::from_secs(2));
    let handler = move |event: Event<Handle>| {
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

/// C-06, I-13: a live event that brings what is stored already is a resync for those who have
/// them, and nothing for the others; the stored allocation stays.
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

/// Y-02.
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

/// Y-04: a handler that comes late, with a period shorter than any other.
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

/// Y-05, Y-10: relists, some of them less than a period apart, neither delay a resync nor cause one.
#[tokio::test(start_paused = true)]
async fn y05_relists_do_not_restart_the_timer() {
    let soon = || ExponentialBackoff::new(Duration::from_millis(500), Duration::from_secs(1));
    let whole = Whole::empty(listing().backoff(soon), |builder| builder);
    let resynced = add(&whole, 3);
    // Each brings another version: what it shows is a change.
    for version in 1..40 {
        let list = format!("list {version} a@{version} | watch error:410");
        play(&whole.source, &list);
    }
    tokio::time::sleep(Duration::from_millis(18_100)).await;
    assert!(whole.informer.metrics().lists > 9);
    assert_eq!(resynced.text().matches("s~a@").count(), 6);
    whole.stop().await;
}

/// Y-05, Y-10: a watch that is cut every second starves no resync and is ended by none.
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

/// Y-07: a resync never overtakes a change that waits in front of it, nor holds back one behind.
#[tokio::test(start_paused = true)]
async fn y07_a_resync_keeps_its_place_among_the_changes() {
    for order in [
        crate::delta_fifo::Order::Global,
        crate::delta_fifo::Order::PerKey,
    ] {
        let whole = Whole::empty(listing(), |builder| builder.order(order));
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

/// Y-09, C-05: after a relist, who has a resync sees all, who has none sees what changed.
#[tokio::test(start_paused = true)]
async fn y09_a_relist_shows_unchanged_objects_to_resync_subscribers_only() {
    for order in [
        crate::delta_fifo::Order::Global,
        crate::delta_fifo::Order::PerKey,
    ] {
        let whole = Whole::empty(listing(), |builder| builder.order(order));
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
