//! Calls of a metrics recorder.

use std::sync::Arc;

use parking_lot::Mutex;

use super::super::{AddOptions, LOW_PRIORITY, MetricsRecorder, PriorityOrder};
use super::*;

/// Recorder that logs its calls. Each call also queries the queue, which needs the queue's lock.
#[derive(Default, Clone)]
struct Log {
    lines: Arc<Mutex<Vec<String>>>,
    queue: Arc<Mutex<Option<Queue>>>,
}

impl Log {
    fn line(&self, queue: &str, line: &str) {
        assert_eq!(queue, "test");
        let queue = self.queue.lock().clone();
        let depth = queue.map(|queue| queue.metrics().depth);
        self.lines
            .lock()
            .push(depth.map_or(line.to_owned(), |depth| format!("{line} ({depth})")));
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut self.lines.lock())
    }
}

impl MetricsRecorder for Log {
    fn added(&self, queue: &str, priority: i32) {
        self.line(queue, &format!("added {priority}"));
    }
    fn raised(&self, queue: &str, from: i32, to: i32) {
        self.line(queue, &format!("raised {from} {to}"));
    }
    fn claimed(&self, queue: &str, priority: i32, latency: Duration) {
        self.line(queue, &format!("claimed {priority} {latency:?}"));
    }
    fn finished(&self, queue: &str, duration: Duration) {
        self.line(queue, &format!("finished {duration:?}"));
    }
    fn retried(&self, queue: &str) {
        self.line(queue, "retried");
    }
    fn failed(&self, queue: &str, panicked: bool) {
        self.line(queue, &format!("failed {panicked}"));
    }
}

/// K-15.
#[tokio::test(start_paused = true)]
async fn k15_a_recorder_hears_what_happens_outside_of_the_locks() {
    let log = Log::default();
    let queue = Queue::builder("test")
        .order(PriorityOrder::new())
        .metrics_recorder(log.clone())
        .build();
    *log.queue.lock() = Some(queue.clone());
    queue.add_with(
        "a",
        AddOptions {
            priority: LOW_PRIORITY,
            ..AddOptions::default()
        },
    );
    queue.add("a");
    queue.add("a");
    assert_eq!(log.take(), ["added -100 (1)", "raised -100 0 (1)"]);

    advance(secs(2)).await;
    let item = take(&queue).unwrap();
    advance(secs(3)).await;
    queue.add("a");
    item.done();
    assert_eq!(
        log.take(),
        ["claimed 0 2s (0)", "added 0 (1)", "finished 3s (1)"]
    );

    queue.add_after("b", secs(1));
    queue.add_rate_limited("c");
    advance(secs(1)).await;
    assert_eq!(queue.len(), 3);
    assert_eq!(
        log.take(),
        ["added 0 (2)", "retried (2)", "added 0 (3)"],
        "a delayed item counts when it is due"
    );
    queue.shut_down();
    queue.add("d");
    queue.add_rate_limited("e");
    assert_eq!(log.take(), Vec::<String>::new(), "ignored");
    log.queue.lock().take();
}

/// K-15: a recorder belongs to one queue.
#[tokio::test(start_paused = true)]
async fn k15_each_queue_has_its_own_recorder() {
    let (one, other) = (Log::default(), Log::default());
    let build = |log: &Log| {
        Queue::builder("test")
            .metrics_recorder(Arc::new(log.clone()))
            .build()
    };
    let (first, _second) = (build(&one), build(&other));
    assert_eq!(first.name(), "test");
    let low = AddOptions {
        priority: LOW_PRIORITY,
        ..AddOptions::default()
    };
    first.add_with("a", low);
    first.add_rate_limited("a");
    first
        .run_workers(1, {
            let queue = first.clone();
            move |_| {
                queue.shut_down();
                async { Err::<(), _>(std::io::Error::other("no")) }
            }
        })
        .await;
    let expected = [
        "added -100",
        "raised -100 0",
        "retried",
        "claimed 0 0ns",
        "failed false",
        "finished 0ns",
    ];
    assert_eq!(one.take(), expected);
    assert_eq!(other.take(), Vec::<String>::new());
}

struct Panics;

impl MetricsRecorder for Panics {
    fn finished(&self, _: &str, _: Duration) {
        panic!("in a destructor");
    }
}

/// K-15, K-16.
#[tokio::test(start_paused = true)]
async fn k15_a_recorder_that_panics_costs_nothing_but_its_call() {
    let queue = Queue::builder("test").metrics_recorder(Panics).build();
    queue.add("a");
    let item = take(&queue).unwrap();
    queue.add("a");
    drop(item);
    assert_eq!(drain(&queue), ["a"]);
}
