//! Resyncs: recipients, times, and order.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use tokio::sync::Semaphore;
use tokio::time::Instant;

use super::support::{Log, Running, events, replay, settle};
use crate::processor::{HandlerOptions, HandlerRegistration};

const SECOND: Duration = Duration::from_secs(1);

fn add(running: &Running, seen: &Log, period: Option<Duration>) -> HandlerRegistration {
    let mut options = HandlerOptions::new();
    if let Some(period) = period {
        options = options.resync_period(period);
    }
    running.add_with(seen.clone(), options)
}

/// Y-04: a change without a waiter is remembered.
#[tokio::test(start_paused = true)]
async fn y04_a_change_before_the_wait_is_not_lost() {
    let running = Running::started();
    settle().await;
    assert!(running.processor.resync_changed().now_or_never().is_some());
    assert!(running.processor.resync_changed().now_or_never().is_none());
    let seen = Log::default();
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
    add(&running, &Log::default(), None);
    assert_eq!(running.processor.next_resync(), None);
    tokio::time::advance(60 * SECOND).await;
    running.start();
    settle().await;
    let due = running.processor.next_resync();
    assert_eq!(due, Some(Instant::now() + 10 * SECOND));
}

/// Y-07, H-02: a resync stays after waiting notifications, and is skipped while one has not
/// started.
#[tokio::test(start_paused = true)]
async fn y07_a_resync_overtakes_nothing_and_does_not_pile_up() {
    let running = Running::started();
    let seen = Log::default();
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
    let (resynced, other) = (Log::default(), Log::default());
    assert!(!running.processor.has_resyncs());
    add(&running, &other, None);
    assert!(!running.processor.has_resyncs());
    let registration = add(&running, &resynced, Some(SECOND));
    assert!(running.processor.has_resyncs());
    let batch = events("+a@1 s~b@1>1 ~a@1>2 s~a@2>2");
    running.processor.distribute(1, batch).await;
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
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let options = HandlerOptions::new()
        .resync_period(SECOND)
        .capacity(NonZeroUsize::new(2).unwrap());
    let registration = running.add_with(seen.gated(&gate), options);
    running.distribute(1, "+a@1 +b@1").await;
    seen.until("+a@1").await;
    let unchanged = events("s~a@1>1 s~b@1>1");
    for generation in 2..100 {
        running
            .processor
            .distribute(generation, unchanged.clone())
            .await;
    }
    assert_eq!(registration.stats().pending, 2);
    tokio::time::advance(SECOND).await;
    let due = running.processor.take_due(Instant::now());
    running.processor.resync(&due, || replay("a@1 b@1"));
    gate.add_permits(100);
    seen.until("+a@1 +b@1 s~a@1>1 s~a@1>1 s~b@1>1").await;
    assert_eq!(registration.stats().resyncs_skipped, 0);
}
