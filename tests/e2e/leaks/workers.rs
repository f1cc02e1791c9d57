//! Work queues.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use informer::WorkQueue;
use informer::metrics::Collector;
use informer::workqueue::RateLimiter;
use tokio::time::Instant;

use super::evidence::{Evidence, MARKER};
use crate::support::within;

struct Strict;

impl<T: Send> RateLimiter<T> for Strict {
    fn when(&mut self, _: &T, _: Instant) -> Duration {
        panic!("{MARKER}")
    }

    fn forget(&mut self, _: &T) {}

    fn num_requeues(&self, _: &T) -> u32 {
        0
    }
}

/// Item whose `Debug` panics.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Shy;

impl fmt::Debug for Shy {
    fn fmt(&self, _: &mut fmt::Formatter<'_>) -> fmt::Result {
        panic!("{MARKER}")
    }
}

/// W-20, K-16: workers of a queue. The error that reconcile returns belongs to the user, and is
/// logged.
#[tokio::test]
async fn w20_a_panic_of_a_worker_shows_no_content() {
    let mut evidence = Evidence::new();
    let plain = WorkQueue::builder("plain").build();
    let limited = WorkQueue::builder("limited").rate_limiter(Strict).build();
    for queue in [&plain, &limited] {
        queue.add("secret");
        let (working, panicked) = (queue.clone(), Arc::new(AtomicBool::new(false)));
        let reconcile = move |_: &'static str| {
            let again = panicked.swap(true, Ordering::SeqCst);
            let queue = working.clone();
            async move {
                if again {
                    queue.shut_down();
                    return Err::<(), _>("no such thing".to_owned());
                }
                panic!("{MARKER}")
            }
        };
        let workers = queue.run_workers(1, reconcile);
        within("the workers' end", workers).await;
        let metrics = queue.metrics();
        evidence.debug("queue", &metrics);
        let collector = Collector::new();
        collector.add_queue("queue", queue);
        evidence.text("page", collector.encode());
    }
    let unprintable = WorkQueue::builder("unprintable").build();
    unprintable.add(Shy);
    unprintable.shut_down();
    let workers = unprintable.run_workers(1, |_| async { Err::<(), _>("never mind".to_owned()) });
    within("the worker's end", workers).await;
    evidence.check(&[
        "reconcile panicked",
        "no such thing",
        "queue=\"limited\"",
        "queue=\"unprintable\"",
    ]);
}
