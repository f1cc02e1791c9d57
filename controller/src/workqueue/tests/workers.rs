use std::collections::HashMap;
use std::convert::Infallible;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use parking_lot::Mutex;
use tokio::sync::Notify;
use tokio::task::JoinSet;
use tokio::time::Instant;

use super::super::outcome::{Failure, Outcome};
use super::super::{Action, Fifo, ItemExponentialFailure, QueueOrder, RateLimiter};
use super::*;
use crate::logged;

#[tokio::test]
async fn k16_a_worker_that_panics_or_is_cancelled_does_not_keep_its_item() {
    for panics in [true, false] {
        let queue = Queue::new("test");
        queue.add("a");
        let mut tasks = JoinSet::new();
        let worker = queue.clone();
        tasks.spawn(async move {
            let _item = worker.get().await;
            worker.add("a");
            assert!(!panics, "in the middle of the work");
            std::future::pending::<()>().await;
        });
        tokio::task::yield_now().await;
        assert!(panics || would_wait(&queue));
        tasks.shutdown().await;
        assert_eq!(drain(&queue), ["a"]);
        assert!(queue.shut_down_with_drain().await);
    }
}

/// K-16, K-02. Workers share the work, and each item is in the work of one worker.
#[tokio::test(start_paused = true)]
async fn k02_run_workers_runs_as_many_at_a_time_as_it_was_told() {
    let queue: WorkQueue<u32> = WorkQueue::new("test");
    for item in 0..9 {
        queue.add(item);
    }
    queue.shut_down();
    let started = Instant::now();
    let (running, most) = (Arc::new(AtomicU32::new(0)), Arc::new(AtomicU32::new(0)));
    let peak = Arc::clone(&most);
    queue
        .run_workers(3, move |_| {
            let (running, most) = (Arc::clone(&running), Arc::clone(&most));
            async move {
                let now = running.fetch_add(1, Ordering::SeqCst) + 1;
                most.fetch_max(now, Ordering::SeqCst);
                tokio::time::sleep(secs(1)).await;
                running.fetch_sub(1, Ordering::SeqCst);
                Ok::<(), Infallible>(())
            }
        })
        .await;
    assert_eq!(peak.load(Ordering::SeqCst), 3);
    assert_eq!(started.elapsed().as_secs(), 3);
    assert_eq!(queue.metrics().work_duration.count(), 9);
}

/// Runs one worker for `times` reconciliations, whose results `result` returns by number. Returns
/// the time of each reconciliation.
async fn reconcile_times(
    queue: &Queue,
    times: u32,
    result: impl Fn(u32) -> Result<Action, io::Error> + Send + Sync + 'static,
) -> Vec<Duration> {
    let started = Instant::now();
    let log = Arc::new(Mutex::new(Vec::new()));
    let (seen, handle) = (Arc::clone(&log), queue.clone());
    queue
        .run_workers(1, move |_| {
            let attempt = {
                let mut log = log.lock();
                log.push(started.elapsed());
                u32::try_from(log.len()).unwrap()
            };
            if attempt == times {
                handle.shut_down();
            }
            let result = result(attempt);
            async move { result }
        })
        .await;
    let seen = seen.lock();
    seen.clone()
}

fn rate_limited() -> Queue {
    let limiter = ItemExponentialFailure::new(ms(10), secs(1));
    Queue::builder("test").rate_limiter(limiter).build()
}

#[tokio::test(start_paused = true)]
async fn k12_a_failed_item_is_logged_and_comes_back_rate_limited_until_a_success() {
    let log = logged::capture(module_path!());
    let queue = rate_limited();
    queue.add("a");
    let times = reconcile_times(&queue, 5, |attempt| match attempt {
        // A success resets the delay of the next failure.
        3 => Ok(Action::RequeueAfter(secs(5))),
        5 => Ok(Action::Done),
        _ => Err(io::Error::other("not yet")),
    })
    .await;
    assert_eq!(times, [ms(0), ms(10), ms(30), ms(5030), ms(5040)]);
    assert_eq!(queue.num_requeues(&"a"), 0);
    assert_eq!((queue.metrics().failures, queue.metrics().panics), (3, 0));
    let again = [
        "0.01 s (attempt 1)",
        "0.02 s (attempt 2)",
        "0.01 s (attempt 1)",
    ];
    let lines = again.map(|again| {
        format!(
            "WARN reconcile failed, again in {again} queue=\"test\" item=\"a\" error=\"not yet\"\n"
        )
    });
    assert_eq!(log.text(), lines.concat());
}

#[tokio::test(start_paused = true)]
async fn k12_many_failures_are_few_lines_of_the_log() {
    let log = logged::capture(module_path!());
    let queue: WorkQueue<u32> = WorkQueue::new("test");
    let outcome = || Outcome::Failed(Failure::Returned("no".into()), Action::Done);
    for item in 0..100 {
        queue.settle(&item, 0, &outcome());
    }
    assert_eq!(log.text().lines().count(), 60);
    tokio::time::advance(secs(60)).await;
    queue.settle(&7, 0, &outcome());
    let last = log.text().lines().last().unwrap_or_default().to_owned();
    let line = "WARN reconcile failed, not again queue=\"test\" item=7 error=\"no\" held_back=40";
    assert_eq!(last, line);
}

#[tokio::test(start_paused = true)]
async fn k12_a_requeue_is_rate_limited_but_no_failure() {
    let queue = rate_limited();
    queue.add("a");
    let times = reconcile_times(&queue, 3, |_| Ok(Action::Requeue)).await;
    assert_eq!(times, [ms(0), ms(10), ms(30)]);
    assert_eq!(queue.metrics().failures, 0);
    assert_eq!(
        queue.metrics().retries,
        2,
        "the third add came after the shutdown"
    );
}

/// K-16. A panic before the future is returned, and a panic inside the future.
#[tokio::test(start_paused = true)]
async fn k16_a_panicking_reconcile_is_an_error_and_its_worker_goes_on() {
    let queue = rate_limited();
    queue.add("early");
    queue.add("late");
    let attempts = Arc::new(Mutex::new(HashMap::<_, u32>::new()));
    let (seen, handle) = (Arc::clone(&attempts), queue.clone());
    queue
        .run_workers(1, move |item| {
            let first = {
                let mut attempts = attempts.lock();
                let attempt = attempts.entry(item).or_default();
                *attempt += 1;
                let first = *attempt == 1;
                if attempts.values().sum::<u32>() == 4 {
                    handle.shut_down();
                }
                first
            };
            assert!(!(first && item == "early"), "before the future");
            async move {
                tokio::task::yield_now().await;
                assert!(!first, "in the future");
                Ok::<_, Infallible>(())
            }
        })
        .await;
    assert_eq!(*seen.lock(), HashMap::from([("early", 2), ("late", 2)]));
    let metrics = queue.metrics();
    assert_eq!(
        (metrics.failures, metrics.panics, metrics.retries),
        (2, 2, 2)
    );
    assert_eq!(metrics.unfinished, Duration::ZERO);
}

/// Item, order and rate limiter whose code panics once, at the first call of `0`.
#[derive(Clone)]
struct Panics(&'static str, Arc<Mutex<Option<&'static str>>>);

impl Panics {
    fn at(&self, place: &'static str) {
        let is_armed = self.1.lock().take_if(|armed| *armed == place).is_some();
        assert!(!is_armed, "in {place}");
    }
}

impl PartialEq for Panics {
    fn eq(&self, other: &Self) -> bool {
        self.0 == other.0
    }
}

impl Eq for Panics {}

impl std::hash::Hash for Panics {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        self.at("Hash");
        self.0.hash(state);
    }
}

impl std::fmt::Debug for Panics {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.at("Debug");
        f.write_str(self.0)
    }
}

impl QueueOrder<Panics> for (Fifo<Panics>, Panics) {
    fn push(&mut self, item: Panics, priority: i32, now: Instant) {
        self.0.push(item, priority, now);
    }

    fn pop(&mut self, now: Instant) -> Option<Panics> {
        self.1.at("pop");
        self.0.pop(now)
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

impl RateLimiter<Panics> for Panics {
    fn when(&mut self, _: &Panics, _: Instant) -> Duration {
        self.at("when");
        ms(10)
    }

    fn forget(&mut self, _: &Panics) {
        self.at("forget");
    }

    fn num_requeues(&self, _: &Panics) -> u32 {
        0
    }
}

/// K-16. The code of the queue's user panics outside `reconcile`, while one worker runs.
#[tokio::test(start_paused = true)]
async fn k16_no_panic_ends_a_worker_or_loses_a_retry() {
    for place in ["Hash", "Debug", "pop", "when", "forget"] {
        let armed = Arc::new(Mutex::new(None));
        let item = |name| Panics(name, Arc::clone(&armed));
        let queue = WorkQueue::builder("test")
            .rate_limiter(item("limiter"))
            .order((Fifo::default(), item("order")))
            .build();
        queue.add(item("a"));
        queue.add(item("b"));
        let log = logged::capture(module_path!());
        let (attempts, arm) = (Arc::new(Mutex::new(Vec::new())), Arc::clone(&armed));
        let (seen, handle) = (Arc::clone(&attempts), queue.clone());
        let reconcile = move |item: Panics| {
            let mut seen = seen.lock();
            seen.push(item.0);
            if seen.len() == 1 {
                *arm.lock() = Some(place);
            }
            let is_first = seen.iter().filter(|name| **name == item.0).count() == 1;
            if seen.len() == 4 {
                handle.shut_down();
            }
            // The first attempt of `a` succeeds where a success is needed to get to the place.
            let fails = is_first && (item.0 != "a" || place != "forget");
            let result = match (fails, is_first) {
                (true, _) => Err(io::Error::other("not yet")),
                (false, true) => Ok(Action::RequeueAfter(ms(10))),
                (false, false) => Ok(Action::Done),
            };
            async move { result }
        };
        let run = queue.run_workers(1, reconcile);
        let ended = tokio::time::timeout(secs(60), run).await;
        assert!(ended.is_ok(), "{place}: {:?}", attempts.lock());
        let mut attempts = attempts.lock().clone();
        attempts.sort_unstable();
        assert_eq!(attempts, ["a", "a", "b", "b"], "{place}");
        assert!(log.text().contains("panicked"), "{place}: {}", log.text());
    }
}

/// K-16, K-17. Queued items stay queued; the item in work is done.
#[tokio::test(start_paused = true)]
async fn k16_dropping_run_workers_aborts_the_work_and_loses_nothing_queued() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.add("b");
    let started = Arc::new(Notify::new());
    let at_work = Arc::clone(&started);
    let run = queue.run_workers(1, move |_| {
        at_work.notify_one();
        std::future::pending::<Result<(), Infallible>>()
    });
    tokio::select! {
        () = run => panic!("the work never ends"),
        () = started.notified() => {}
    }
    queue.add("a");
    // The runtime drops the aborted task in its next round.
    let mut received = Vec::new();
    while received.len() < 2 {
        received.extend(queue.get().await.map(|item| *item));
    }
    assert_eq!(received, ["b", "a"]);
    assert!(queue.shut_down_with_drain().await);
}

/// K-05. A drain includes retries that were added before the work was done.
#[tokio::test(start_paused = true)]
async fn k05_run_workers_ends_with_a_drain() {
    let queue: WorkQueue<u32> = WorkQueue::new("test");
    for item in 0..20 {
        queue.add(item);
    }
    let done = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&done);
    let ((), drained) = tokio::join!(
        queue.run_workers(4, move |_| {
            let count = Arc::clone(&count);
            async move {
                tokio::time::sleep(ms(1)).await;
                count.fetch_add(1, Ordering::SeqCst);
                Ok::<_, Infallible>(())
            }
        }),
        queue.shut_down_with_drain(),
    );
    assert!(drained);
    assert_eq!(done.load(Ordering::SeqCst), 20);
}
