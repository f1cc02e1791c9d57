//! Streams instead of handlers.

use std::num::NonZeroUsize;

use futures::{FutureExt, StreamExt};

use super::support::{Running, Version, current, event, settle, spawn, text};
use crate::processor::{EventStream, HandlerOptions, HandlerSyncError};

fn stream(running: &Running, capacity: usize) -> EventStream<Version> {
    let options = HandlerOptions::new().capacity(NonZeroUsize::new(capacity).unwrap());
    let current = || current(1, "a@1 b@1", true);
    running.processor.stream(options, current).unwrap()
}

async fn take(stream: &mut EventStream<Version>, count: usize) -> String {
    let taken: Vec<_> = stream.take(count).map(|event| text(&event)).collect().await;
    taken.join(" ")
}

/// H-03, H-06, H-07, Z-06: a stream is bounded, and synced once it is polled after the initial state.
#[tokio::test(start_paused = true)]
async fn h06_a_stream_yields_the_state_and_then_every_change() {
    let running = Running::started();
    let mut stream = stream(&running, 1);
    let registration = stream.registration().clone();
    assert_eq!(take(&mut stream, 2).await, "i+a@1 i+b@1");
    assert!(
        !registration.has_synced(),
        "the second notification is not acknowledged"
    );
    assert!(stream.next().now_or_never().is_none());
    assert_eq!(registration.wait_for_sync().await, Ok(()));

    for n in 2..100 {
        let change = event(&format!("~a@{}>{n}", n - 1));
        running.processor.distribute(n, vec![change]).await;
    }
    assert_eq!(registration.stats().pending, 1);
    assert_eq!(take(&mut stream, 1).await, "~a@1>99");
    assert_eq!(registration.stats().delivered, 3);
}

/// H-02: a waiting stream is woken.
#[tokio::test(start_paused = true)]
async fn h02_a_waiting_stream_is_woken() {
    let running = Running::started();
    let mut stream = stream(&running, 10);
    assert_eq!(take(&mut stream, 2).await, "i+a@1 i+b@1");
    let next = spawn(async move { take(&mut stream, 2).await });
    settle().await;
    running.distribute(2, "~a@1>2").await;
    settle().await;
    running.distribute(3, "-a@2").await;
    assert_eq!(next.await.unwrap(), "~a@1>2 -a@2");
}

/// H-18: unlike dropping a registration, dropping a stream removes it.
#[tokio::test(start_paused = true)]
async fn h18_dropping_a_stream_removes_it() {
    let running = Running::started();
    let stream = stream(&running, 10);
    let registration = stream.registration().clone();
    assert!(!running.processor.is_empty());
    drop(stream);
    assert!(running.processor.is_empty());
    assert_eq!(
        registration.wait_for_sync().await,
        Err(HandlerSyncError::Removed)
    );
    registration.remove().await;
}

/// H-10: removal ends a stream, even if it is not polled.
#[tokio::test(start_paused = true)]
async fn h10_a_removed_stream_ends() {
    let running = Running::started();
    let mut stream = stream(&running, 10);
    let registration = stream.registration().clone();
    assert_eq!(take(&mut stream, 1).await, "i+a@1");
    registration.remove().await;
    assert!(stream.next().await.is_none());
    assert!(stream.next().await.is_none());
}

#[tokio::test(start_paused = true)]
async fn f11_streams_end_with_the_processor() {
    let mut running = Running::started();
    let mut waiting = stream(&running, 10);
    let mut unread = stream(&running, 10);
    assert_eq!(take(&mut waiting, 2).await, "i+a@1 i+b@1");
    let waiting = spawn(async move { waiting.next().await.is_none() });
    settle().await;
    running.stop().await;
    assert!(waiting.await.unwrap());
    assert!(unread.next().await.is_none());
    let registration = unread.registration();
    assert_eq!(
        registration.wait_for_sync().await,
        Err(HandlerSyncError::Stopped)
    );
}
