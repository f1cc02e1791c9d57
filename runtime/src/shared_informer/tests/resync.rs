//! Resyncs of several handlers of one informer.

use std::time::Duration;

use k8s_openapi::api::core::v1::ConfigMap;
use tokio::time::Instant;

use super::support::{Running, SECOND, Seen, config, recorder, source_with};
use crate::event::{Event, Origin};
use crate::processor::HandlerOptions;
use crate::shared_informer::SharedInformer;
use crate::source::FakeControllerSource;

fn every(period: Duration) -> HandlerOptions {
    HandlerOptions::new().resync_period(period)
}

fn informer(source: &FakeControllerSource, period: Duration) -> SharedInformer<ConfigMap> {
    let builder = SharedInformer::builder(source.clone());
    builder.resync_period(period).build().unwrap()
}

/// Adds a handler with these options, and takes its initial adds.
async fn handler(
    informer: &SharedInformer<ConfigMap>,
    options: HandlerOptions,
    initial: usize,
) -> Seen {
    let (handler, mut seen) = recorder();
    informer.add_event_handler_with(handler, options).unwrap();
    seen.take(initial).await;
    seen
}

/// Y-01, Y-02, Y-04, Y-06: each handler has its own period, in an informer without a default
/// period.
#[tokio::test(start_paused = true)]
async fn y02_handlers_get_exactly_their_own_resyncs_and_no_request_is_made() {
    let source = source_with(&["a", "b"]);
    let informer = informer(&source, Duration::ZERO);
    let running = Running::synced(&informer).await;
    let requests = source.wait_for_requests(1).await.len();
    let mut never = handler(&informer, every(Duration::ZERO), 2).await;
    let mut unset = handler(&informer, HandlerOptions::new(), 2).await;
    let mut two = handler(&informer, every(2 * SECOND), 2).await;
    let mut three = handler(&informer, every(3 * SECOND), 2).await;

    let both = ["update ns/a=1>1 resync", "update ns/b=1>1 resync"];
    let started = Instant::now();
    for round in 1..=3 {
        assert_eq!(two.take(2).await, both);
        assert_eq!(started.elapsed(), 2 * round * SECOND);
    }
    assert_eq!(three.take(4).await, [both, both].concat());
    let elapsed = started.elapsed();
    assert_eq!(elapsed, 6 * SECOND, "3 s and 6 s are over: {elapsed:?}");
    assert!(three.within(2 * SECOND + SECOND / 2).await.is_empty());
    assert_eq!(never.within(SECOND).await, [""; 0]);
    assert_eq!(unset.within(SECOND).await, [""; 0]);
    assert_eq!(source.requests().len(), requests, "no request");
    running.stop().await;
}

/// Y-03, Y-04: the informer's period applies to handlers without their own.
#[tokio::test(start_paused = true)]
async fn y03_less_than_a_second_is_a_second_and_the_default_is_the_informers() {
    let source = source_with(&["a"]);
    let informer = informer(&source, 10 * SECOND);
    let running = Running::synced(&informer).await;
    let mut short = handler(&informer, every(Duration::from_millis(1)), 1).await;
    let mut default = handler(&informer, HandlerOptions::new(), 1).await;
    let started = Instant::now();
    short.next().await;
    assert_eq!(started.elapsed(), SECOND);
    default.next().await;
    assert_eq!(started.elapsed(), 10 * SECOND);
    running.stop().await;
}

/// Y-05, Y-10: neither lost watches nor relists move the timer.
#[tokio::test(start_paused = true)]
async fn y05_reconnects_and_relists_do_not_move_a_resync() {
    let source = source_with(&["a"]);
    let informer = informer(&source, Duration::ZERO);
    let running = Running::synced(&informer).await;
    let started = Instant::now();
    let (sender, mut resyncs) = tokio::sync::mpsc::channel(256);
    let own = move |event: Event<_>| {
        if event.origin() == Origin::Resync && event.key().name() == "a" {
            sender.try_send(started.elapsed()).unwrap();
        }
    };
    informer
        .add_event_handler_with(own, every(30 * SECOND))
        .unwrap();
    let mut other = handler(&informer, HandlerOptions::new(), 1).await;
    for round in 0..20 {
        if round % 2 == 0 {
            // A lost event expires the version from which the watch would resume.
            source
                .add_drop_watch(&config("b", &round.to_string()))
                .unwrap();
        }
        source.reset_watch();
        other.within(7 * SECOND).await;
    }
    let metrics = informer.metrics();
    assert!(
        metrics.lists > 2 && metrics.watch_requests > 5,
        "{metrics:?}"
    );
    resyncs.close();
    let mut times = Vec::new();
    while let Some(time) = resyncs.recv().await {
        times.push(time);
    }
    // Unchanged objects of a relist cause resync events too, at other times than the timer.
    for time in [30, 60, 90, 120] {
        assert!(times.contains(&(time * SECOND)), "{time} s: {times:?}");
    }
    running.stop().await;
}

/// Y-06, Y-08: both objects of the event are the cached handle, which was decoded once.
#[tokio::test(start_paused = true)]
async fn y06_a_resync_shows_the_handle_that_the_cache_holds() {
    let source = source_with(&["a"]);
    let informer = informer(&source, 5 * SECOND);
    let (sender, mut receiver) = tokio::sync::mpsc::channel(16);
    informer
        .add_event_handler(move |event: Event<_>| sender.try_send(event).unwrap())
        .unwrap();
    let running = Running::synced(&informer).await;
    let Some(Event::Added(added)) = receiver.recv().await else {
        panic!("no add");
    };
    for _ in 0..3 {
        let Some(Event::Updated(resync)) = receiver.recv().await else {
            panic!("no resync");
        };
        assert!(std::sync::Arc::ptr_eq(&resync.old, &added.object));
        assert!(std::sync::Arc::ptr_eq(&resync.new, &added.object));
    }
    assert_eq!(informer.metrics().decoded_objects, 1);
    running.stop().await;
}

/// Y-07: a resync after a change contains the result of the change.
#[tokio::test(start_paused = true)]
async fn y07_a_resync_never_shows_an_older_state_after_a_newer_one() {
    let source = source_with(&["a"]);
    let informer = informer(&source, SECOND);
    let (recorder, mut seen) = recorder();
    informer.add_event_handler(recorder).unwrap();
    let running = Running::synced(&informer).await;
    seen.next().await;
    let mut newest = 1;
    for number in 2..30_u32 {
        tokio::time::advance(Duration::from_millis(340)).await;
        source.modify(&config("a", &number.to_string())).unwrap();
        for event in seen.within(Duration::from_millis(10)).await {
            let shown = event.split('>').nth(1).unwrap();
            let shown: u32 = shown.split(' ').next().unwrap().parse().unwrap();
            assert!(shown >= newest, "{event} after {newest}");
            newest = shown;
        }
    }
    assert_eq!(newest, 29);
    running.stop().await;
}
