//! Resyncs: recipients, times, and order.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt;
use parking_lot::Mutex;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::support::{Running, Seen, Version, events, replay, settle, spawn};
use crate::event::{Event, Origin};
use crate::processor::{HandlerOptions, HandlerRegistration};

const SECOND: Duration = Duration::from_secs(1);

fn add(running: &Running, seen: &Seen, period: Option<Duration>) -> HandlerRegistration {
    let mut options = HandlerOptions::new();
    if let Some(period) = period {
        options = options.resync_period(period);
    }
    running.add_with(seen.handler(), options)
}

/// Plays the controller until `end`: resyncs due handlers, with `a@1` in the store.
async fn resync_until(running: &Running, end: Instant) {
    loop {
        let next = running
            .processor
            .next_resync()
            .map_or(end, |at| at.min(end));
        tokio::select! {
            biased;
            () = running.processor.resync_changed() => continue,
            () = tokio::time::sleep_until(next) => {}
        }
        if next == end {
            return;
        }
        let due = running.processor.take_due(Instant::now());
        running.processor.resync(&due, || replay("a@1"));
        settle().await;
    }
}

/// Y-02, Y-04.
#[tokio::test(start_paused = true)]
async fn y02_handlers_get_exactly_their_own_resyncs() {
    let mut running = Running::with_resync(2 * SECOND);
    let seen = [(); 3].map(|()| Seen::default());
    let [never, default, three] = &seen;
    add(&running, never, Some(Duration::ZERO));
    add(&running, default, None);
    add(&running, three, Some(3 * SECOND));
    running.start();
    settle().await;
    resync_until(&running, Instant::now() + Duration::from_millis(12_500)).await;
    assert_eq!(seen.map(|seen| seen.len()), [0, 6, 4]);
}

/// Y-04: an informer without a default period, and a shorter period that is added after the start.
#[tokio::test(start_paused = true)]
async fn y04_a_shorter_period_added_after_the_start_wakes_the_controller() {
    let running = Running::started();
    let (long, short) = (Seen::default(), Seen::default());
    add(&running, &long, Some(60 * SECOND));
    settle().await;
    let start = Instant::now();
    let controller = async { resync_until(&running, start + 5 * SECOND).await };
    let adding = async {
        settle().await;
        add(&running, &short, Some(Duration::from_millis(1500)));
    };
    tokio::join!(controller, adding);
    assert_eq!((long.len(), short.len()), (0, 3));
}

/// Y-04: a change without a waiter is remembered.
#[tokio::test(start_paused = true)]
async fn y04_a_change_before_the_wait_is_not_lost() {
    let running = Running::started();
    settle().await;
    assert!(running.processor.resync_changed().now_or_never().is_some());
    assert!(running.processor.resync_changed().now_or_never().is_none());
    let seen = Seen::default();
    let registration = add(&running, &seen, Some(5 * SECOND));
    assert!(running.processor.resync_changed().now_or_never().is_some());
    add(&running, &seen, Some(7 * SECOND));
    assert!(running.processor.resync_changed().now_or_never().is_none());
    let removed_first = running.processor.next_resync();
    registration.remove().await;
    assert_eq!(
        running.processor.next_resync(),
        removed_first.map(|at| at + 2 * SECOND)
    );
}

/// Y-04: timers do not run before the processor does.
#[tokio::test(start_paused = true)]
async fn y04_timers_start_with_the_processor() {
    let mut running = Running::with_resync(10 * SECOND);
    add(&running, &Seen::default(), None);
    assert_eq!(running.processor.next_resync(), None);
    tokio::time::advance(60 * SECOND).await;
    running.start();
    settle().await;
    let due = running.processor.next_resync();
    assert_eq!(due, Some(Instant::now() + 10 * SECOND));
}

#[tokio::test(start_paused = true)]
async fn y05_what_is_distributed_does_not_move_the_timers() {
    let mut running = Running::with_resync(10 * SECOND);
    add(&running, &Seen::default(), None);
    running.start();
    settle().await;
    let due = running.processor.next_resync();
    tokio::time::advance(5 * SECOND).await;
    running.distribute(1, "i+a@1").await;
    running.processor.mark_synced();
    running.distribute(2, "r~a@1>2").await;
    settle().await;
    assert_eq!(running.processor.next_resync(), due);
}

#[tokio::test(start_paused = true)]
async fn y06_a_resync_shows_the_same_handle_as_old_and_new() {
    let running = Running::started();
    let pairs = Arc::new(Mutex::new(Vec::new()));
    let handler = {
        let pairs = pairs.clone();
        move |event: Event<Version>| {
            let Event::Updated(updated) = event else {
                panic!("not an update");
            };
            assert_eq!(updated.origin, Origin::Resync);
            pairs.lock().push((updated.old, updated.new));
        }
    };
    let options = HandlerOptions::new().resync_period(SECOND);
    let registration = running.add_with(handler, options);
    settle().await;
    tokio::time::advance(SECOND).await;
    let due = running.processor.take_due(Instant::now());
    running.processor.resync(&due, || replay("a@1 b@1"));
    settle().await;
    let pairs = pairs.lock();
    assert_eq!(pairs.len(), 2);
    assert!(pairs.iter().all(|(old, new)| Arc::ptr_eq(old, new)));
    assert_eq!(registration.stats().panics, 0);
}

/// Y-07, H-02: a resync stays after waiting notifications, and is skipped while one has not
/// started.
#[tokio::test(start_paused = true)]
async fn y07_a_resync_overtakes_nothing_and_does_not_pile_up() {
    let running = Running::started();
    let seen = Seen::default();
    let gate = Arc::new(Semaphore::new(0));
    let options = HandlerOptions::new().resync_period(SECOND);
    let registration = running.add_with(seen.gated(&gate), options);
    running.distribute(1, "+a@1 +b@1").await;
    seen.until("+a@1").await;
    tokio::time::advance(SECOND).await;
    let due = running.processor.take_due(Instant::now());
    for _ in 0..3 {
        running.processor.resync(&due, || replay("a@1 b@1"));
    }
    running.distribute(2, "~a@1>2").await;
    gate.add_permits(100);
    seen.until("+a@1 +b@1 s~a@1>1 s~b@1>1 ~a@1>2").await;
    assert_eq!(registration.stats().resyncs_skipped, 2);
}

/// Y-09, C-06: an unchanged object is delivered in order, only to handlers with a resync period.
#[tokio::test(start_paused = true)]
async fn y09_unchanged_objects_reach_handlers_with_resyncs_only() {
    let running = Running::started();
    let (resynced, other) = (Seen::default(), Seen::default());
    assert!(!running.processor.has_resyncs());
    add(&running, &other, None);
    assert!(!running.processor.has_resyncs());
    let registration = add(&running, &resynced, Some(SECOND));
    assert!(running.processor.has_resyncs());
    let batch = events("+a@1 s~b@1>1 ~a@1>2 s~a@2>2");
    running.processor.distribute(1, &batch).await;
    resynced.until("+a@1 s~b@1>1 ~a@1>2 s~a@2>2").await;
    other.until("+a@1 ~a@1>2").await;
    registration.remove().await;
    assert!(!running.processor.has_resyncs());
}

/// Y-02, H-03: waiting unchanged objects do not replace a resync, and merge when the mailbox is
/// full.
#[tokio::test(start_paused = true)]
async fn y02_unchanged_objects_that_wait_take_no_resyncs_place() {
    let running = Running::started();
    let seen = Seen::default();
    let gate = Arc::new(Semaphore::new(0));
    let options = HandlerOptions::new()
        .resync_period(SECOND)
        .capacity(NonZeroUsize::new(2).unwrap());
    let registration = running.add_with(seen.gated(&gate), options);
    running.distribute(1, "+a@1 +b@1").await;
    seen.until("+a@1").await;
    let unchanged = events("s~a@1>1 s~b@1>1");
    for generation in 2..100 {
        running.processor.distribute(generation, &unchanged).await;
    }
    assert_eq!(registration.stats().pending, 2);
    tokio::time::advance(SECOND).await;
    let due = running.processor.take_due(Instant::now());
    running.processor.resync(&due, || replay("a@1 b@1"));
    gate.add_permits(100);
    seen.until("+a@1 +b@1 s~a@1>1 s~a@1>1 s~b@1>1").await;
    assert_eq!(registration.stats().resyncs_skipped, 0);
}

/// Y-02: a resync reaches only the handlers that it names.
#[tokio::test(start_paused = true)]
async fn y02_a_resync_reaches_the_named_handlers_only() {
    let running = Running::started();
    let (named, other) = (Seen::default(), Seen::default());
    add(&running, &named, Some(2 * SECOND));
    add(&running, &other, Some(3 * SECOND));
    settle().await;
    tokio::time::advance(2 * SECOND).await;
    settle().await;
    let processor = running.processor.clone();
    let resync = spawn(async move {
        let due = processor.take_due(Instant::now());
        processor.resync(&due, || replay("a@1"));
    });
    resync.await.unwrap();
    named.until("s~a@1>1").await;
    assert_eq!(other.text(), "");
}
