//! Wake-ups of a handler's task.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use super::support::{PollCount, Version, Versions, event, settle, spawn};
use crate::event::Event;
use crate::processor::{HandlerOptions, Processor};

/// Number of notifications that a handler processes before it yields to other tasks: tokio's
/// budget.
const BUDGET: usize = 128;

/// H-01: a batch of any size wakes the handler once.
#[tokio::test(start_paused = true)]
async fn h01_a_batch_wakes_a_handler_once() {
    let processor = Versions(Processor::new("things.v1", Duration::ZERO));
    let seen = Arc::new(AtomicUsize::new(0));
    let counted = seen.clone();
    let handler = move |_: Event<Version>| {
        counted.fetch_add(1, Ordering::Relaxed);
    };
    let registration = processor
        .add(handler, HandlerOptions::new(), || None)
        .unwrap();
    let polls = Arc::new(AtomicUsize::new(0));
    let (_, task) = processor.shared().take_unspawned().pop().unwrap();
    let task = spawn(PollCount::new(task, &polls));
    settle().await;
    assert_eq!(polls.swap(0, Ordering::Relaxed), 1);

    for (generation, count) in [(1, 1), (2, 100), (3, 1_000)] {
        let batch: Vec<_> = (0..count)
            .map(|number| event(&format!("+{generation}-{number}@1")))
            .collect();
        processor.distribute(generation, batch).await;
        settle().await;
        assert_eq!(seen.swap(0, Ordering::Relaxed), count);
        let turns = polls.swap(0, Ordering::Relaxed);
        assert_eq!(turns, 1 + count / BUDGET, "{count} notifications");
    }
    registration.remove().await;
    task.await.unwrap();
}
