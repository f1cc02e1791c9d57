//! Tests of the work queue, section K of tests/CONFORMANCE.md.

mod delayed;
mod limit;
mod metrics;
mod model;
mod order;
mod priority;
mod producers;
mod reason;
mod schedule;
mod shutdown;
mod workers;

use std::time::Duration;

use futures::FutureExt as _;

use super::{Item, WorkQueue};
use crate::tests::{ms, on_paused_clock, secs};

type Queue = WorkQueue<&'static str>;

/// Returns the result of `get`. Panics if `get` would wait.
fn take(queue: &Queue) -> Option<Item<&'static str>> {
    queue.get().now_or_never().expect("get would wait")
}

/// Reports whether `get` would wait.
fn would_wait(queue: &Queue) -> bool {
    queue.get().now_or_never().is_none()
}

/// Takes all available items, and marks each as done at once.
fn drain(queue: &Queue) -> Vec<&'static str> {
    std::iter::from_fn(|| queue.get().now_or_never().flatten())
        .map(|item| *item)
        .collect()
}

/// Advances the paused clock without firing any timer implicitly.
async fn advance(duration: Duration) {
    tokio::time::advance(duration).await;
}
