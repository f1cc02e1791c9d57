//! Delivery: recipients and order.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::Semaphore;

use super::support::{Log, Running, current, event, events, settle, spawn, until};
use crate::event::Event;
use crate::logged;
use crate::processor::{HandlerOptions, WhenFull};

fn options(capacity: usize, when_full: WhenFull) -> HandlerOptions {
    HandlerOptions::new()
        .capacity(NonZeroUsize::new(capacity).unwrap())
        .when_full(when_full)
}

#[tokio::test(start_paused = true)]
async fn h01_every_handler_sees_everything_in_the_order_of_distribution() {
    let running = Running::started();
    let (one, two) = (Log::default(), Log::default());
    for seen in [&one, &two] {
        running.add(seen.clone());
    }
    running.distribute(1, "i+a@1 i+b@1").await;
    running.distribute(2, "~a@1>2 -b@1 +b@3").await;
    for seen in [&one, &two] {
        seen.until("i+a@1 i+b@1 ~a@1>2 -b@1 +b@3").await;
    }
}

/// H-02, H-03, H-04: a stuck handler delays neither the distribution nor other handlers.
#[tokio::test(start_paused = true)]
async fn h02_a_stuck_handler_delays_nobody_and_its_notifications_are_merged() {
    let running = Running::started();
    let (stuck, quick) = (Log::default(), Log::default());
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add_with(stuck.gated(&gate), options(2, WhenFull::Coalesce));
    running.add(quick.clone());

    running.processor.distribute(1, vec![event("+a@0")]).await;
    stuck.until("+a@0").await;
    for n in 1..1000 {
        let change = event(&format!("~a@{}>{n}", n - 1));
        running.processor.distribute(n + 1, vec![change]).await;
    }
    until(|| quick.len() == 1000).await;
    assert_eq!(stuck.text(), "+a@0");
    assert_eq!(registration.stats().pending, 2);
    assert_eq!(registration.stats().coalesced, 997);

    gate.add_permits(10);
    stuck.until("+a@0 ~a@0>1 ~a@1>999").await;
    assert_eq!(registration.stats().pending, 0);
}

#[tokio::test(start_paused = true)]
async fn h05_a_full_blocking_handler_holds_the_distributor_back_and_loses_nothing() {
    let running = Running::started();
    let (slow, other) = (Log::default(), Log::default());
    let gate = Arc::new(Semaphore::new(0));
    let block = options(1, WhenFull::Block);
    running.add_with(slow.gated(&gate), block);
    running.add(other.clone());

    let batch = "+a@1 ~a@1>2 ~a@2>3 ~a@3>4";
    let processor = running.processor.clone();
    let distribution = spawn(async move {
        processor.distribute(1, events(batch)).await;
        processor.distribute(2, events("-a@4")).await;
    });
    other.until(batch).await;
    settle().await;
    assert_eq!(slow.text(), "+a@1");
    assert!(!distribution.is_finished());
    assert_eq!(other.text(), batch, "the second batch is held back");

    gate.add_permits(10);
    distribution.await.unwrap();
    slow.until("+a@1 ~a@1>2 ~a@2>3 ~a@3>4 -a@4").await;
}

/// H-05: a waiting distributor resumes when half of the mailbox is free, not at each free place.
#[tokio::test(start_paused = true)]
async fn h05_a_distributor_is_let_in_when_half_of_the_mailbox_is_free() {
    let running = Running::started();
    let slow = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add_with(slow.gated(&gate), options(4, WhenFull::Block));
    let processor = running.processor.clone();
    let batch = "+a@1 +b@1 +c@1 +d@1 +e@1 +f@1 +g@1";
    let distribution = spawn(async move { processor.distribute(1, events(batch)).await });
    slow.until("+a@1").await;
    // One free place: no push. Two free places: two pushes. Again one free place: no push; two: the
    // last.
    for pending in [3, 4, 3, 3] {
        settle().await;
        assert_eq!(registration.stats().pending, pending);
        gate.add_permits(1);
    }
    gate.add_permits(10);
    distribution.await.unwrap();
    slow.until(batch).await;
}

/// H-04, O-01: an add and a deletion that cancel out count as two coalesced notifications.
#[tokio::test(start_paused = true)]
async fn h04_what_cancels_out_counts_as_two_that_were_merged() {
    let running = Running::started();
    let stuck = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let registration = running.add_with(stuck.gated(&gate), options(1, WhenFull::Coalesce));
    running.distribute(1, "+a@1").await;
    stuck.until("+a@1").await;
    let batch = events("+b@1 +c@1 -c@1 ~b@1>2");
    running.processor.distribute(2, batch).await;
    assert_eq!(registration.stats().coalesced, 3);
    gate.add_permits(10);
    stuck.until("+a@1 +b@2").await;
}

/// H-06: a slow late handler does not block the distributor, and its replay is not merged with
/// later notifications.
#[tokio::test(start_paused = true)]
async fn h06_a_slow_late_handler_does_not_stall_the_informer() {
    let running = Running::started();
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let late = || current(1, "a@1 b@1", true);
    let small = options(1, WhenFull::Coalesce);
    running
        .processor
        .add(seen.gated(&gate), small, late)
        .unwrap();
    seen.until("i+a@1").await;
    for n in 2..100 {
        let change = event(&format!("~b@{}>{n}", n - 1));
        running.processor.distribute(n, vec![change]).await;
    }
    gate.add_permits(10);
    seen.until("i+a@1 i+b@1 ~b@1>99").await;
}

#[tokio::test(start_paused = true)]
async fn h14_one_handler_added_twice_sees_everything_twice() {
    let running = Running::started();
    let seen = Log::default();
    for _ in 0..2 {
        running.add(seen.clone());
    }
    running.distribute(1, "+a@1").await;
    seen.until("+a@1 +a@1").await;
    assert_eq!(running.processor.handlers().len(), 2);
}

/// O-03: a slow call is logged if many notifications wait or the mailbox is full, at a limited
/// rate.
#[tokio::test(start_paused = true)]
async fn o03_slow_calls_are_logged_when_much_waits() {
    for (capacity, keys, took, expected) in [
        // One of the notifications is in the call.
        (4096, 1026, 101, 1),
        (4096, 1026, 100, 0),
        (4096, 1025, 101, 0),
        (8, 20, 101, 1),
    ] {
        let log = logged::capture(module_path!());
        let running = Running::started();
        let seen = Log::default();
        let gate = Arc::new(Semaphore::new(0));
        let slow = options(capacity, WhenFull::Coalesce).name("slow");
        running.add_with(seen.gated(&gate), slow);
        let batch: Vec<_> = (0..keys).map(|n| event(&format!("+k{n}@1"))).collect();
        running.processor.distribute(1, batch).await;
        for calls in 1..4 {
            until(|| seen.len() == calls).await;
            tokio::time::advance(Duration::from_millis(took)).await;
            gate.add_permits(1);
        }
        settle().await;
        let lines = log.text();
        let warnings = lines.matches("handler=slow").count();
        assert_eq!(warnings, expected, "{capacity} {keys} {took}: {lines}");
    }
}

/// H-03: the last handler gets the notifications themselves. A copy that waits with the rest of the
/// batch would keep what the handler has dropped, and would be the last to drop it.
#[tokio::test(start_paused = true)]
async fn h03_a_batch_that_waits_for_room_keeps_no_object_that_was_delivered() {
    let running = Running::started();
    let (first, last) = (Log::default(), Log::default());
    let gate = Arc::new(Semaphore::new(2));
    running.add(first.clone());
    running.add_with(last.gated(&gate), options(1, WhenFull::Block));
    let batch = "~a@1>2 ~a@2>3 ~a@3>4 ~a@4>5 ~a@5>6";
    let events = events(batch);
    let replaced = events.iter().filter_map(Event::replaced);
    let replaced: Vec<_> = replaced.map(Arc::downgrade).collect();
    let processor = running.processor.clone();
    let distribution = spawn(async move { processor.distribute(1, events).await });
    first.until(batch).await;
    last.until("~a@1>2 ~a@2>3 ~a@3>4").await;
    settle().await;
    assert!(!distribution.is_finished());
    let held: Vec<bool> = replaced.iter().map(|old| old.strong_count() > 0).collect();
    assert_eq!(held, [false, false, false, true, true]);
    gate.add_permits(10);
    distribution.await.unwrap();
    last.until(batch).await;
}

/// O-03: at most one warning in 10 seconds.
#[tokio::test(start_paused = true)]
async fn o03_warnings_of_slow_calls_come_at_a_bounded_rate() {
    let log = logged::capture(module_path!());
    let running = Running::started();
    let seen = Log::default();
    let gate = Arc::new(Semaphore::new(0));
    let slow = options(1, WhenFull::Coalesce).name("slow");
    running.add_with(seen.gated(&gate), slow);
    let batch: Vec<_> = (0..100).map(|n| event(&format!("+k{n}@1"))).collect();
    running.processor.distribute(1, batch).await;
    for calls in 1..=61 {
        until(|| seen.len() == calls).await;
        tokio::time::advance(Duration::from_millis(500)).await;
        gate.add_permits(1);
    }
    settle().await;
    // Warnings after 0.5, 10.5, 20.5 and 30.5 seconds.
    assert_eq!(log.text().matches("handler=slow").count(), 4);
}
