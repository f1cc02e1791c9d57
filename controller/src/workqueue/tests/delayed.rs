use tokio::task::JoinSet;
use tokio::time::Instant;

use super::super::Reasons;
use super::super::delay::Delayed;
use super::*;

/// K-09: waiting workers are woken only for an earlier due time.
#[test]
fn k09_only_an_earlier_time_is_the_next_one() {
    let start = Instant::now();
    let mut delayed = Delayed::default();
    for (item, after, is_next) in [
        ("a", 2, true),
        ("b", 2, false),
        ("c", 3, false),
        ("c", 1, true),
    ] {
        let at = start + secs(after);
        let changed = delayed.insert(item, at, 0, Reasons::default(), false);
        assert_eq!(changed, is_next, "{item} after {after} s");
    }
}

#[tokio::test(start_paused = true)]
async fn k09_two_items_come_each_at_its_time() {
    let queue = Queue::new("test");
    queue.add_after("third", secs(3));
    queue.add_after("first", secs(1));
    queue.add_after("second", secs(2));
    let started = Instant::now();
    for (at, expected) in [(1, "first"), (2, "second"), (3, "third")] {
        assert_eq!(queue.get().await.as_deref(), Some(&expected));
        // The paused clock advances automatically to the next timer when all tasks wait.
        assert_eq!(started.elapsed().as_secs(), at, "{expected}");
    }
}

/// K-09. The next due time can move forward, and the worker that is woken for it can be busy when
/// it comes.
#[tokio::test(start_paused = true)]
async fn k09_every_waiting_worker_wakes_for_a_time_that_came_forward() {
    let queue = Queue::new("test");
    queue.add_after("late", secs(100));
    let mut workers = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        workers.spawn(async move {
            let started = Instant::now();
            let item = queue.get().await.unwrap();
            let (name, after) = (*item, started.elapsed());
            // Kept in work, so that the other worker takes the next item.
            std::mem::forget(item);
            (name, after)
        });
    }
    tokio::task::yield_now().await;
    queue.add_after("soon", secs(10));
    queue.add("now");
    let mut got = workers.join_all().await;
    got.sort_unstable();
    let ten = got[1].1;
    assert_eq!(got, [("now", Duration::ZERO), ("soon", ten)]);
    assert_eq!(ten.as_secs(), 10);
}

#[tokio::test(start_paused = true)]
async fn k11_adding_with_a_delay_never_waits() {
    let queue: WorkQueue<u32> = WorkQueue::new("test");
    for item in 0..5_000 {
        queue.add_after(item, secs(u64::from(item % 7) + 1));
    }
    assert_eq!(queue.metrics().delayed, 5_000);
    advance(secs(7)).await;
    assert_eq!(queue.len(), 5_000);
}

/// K-09, K-11. Any delay is accepted.
#[tokio::test(start_paused = true)]
async fn k11_an_endless_delay_is_taken() {
    let queue = Queue::new("test");
    queue.add_after("a", Duration::MAX);
    advance(secs(86_400 * 365)).await;
    assert!(would_wait(&queue));
    assert_eq!(queue.metrics().delayed, 1);
}

/// K-17. Each worker needs its own wake-up; here the first waiting worker is dropped.
#[tokio::test(start_paused = true)]
async fn k17_a_dropped_get_passes_its_wake_on() {
    let queue = Queue::new("test");
    let mut gone = Box::pin(queue.get());
    assert!(futures::poll!(&mut gone).is_pending());
    let mut workers = JoinSet::new();
    let other = queue.clone();
    workers.spawn(async move { other.get().await.map(|item| *item) });
    tokio::task::yield_now().await;

    queue.add("a");
    drop(gone);
    assert_eq!(workers.join_next().await.unwrap().unwrap(), Some("a"));
}

#[tokio::test(start_paused = true)]
async fn k17_a_dropped_get_loses_no_delayed_item() {
    let queue = Queue::new("test");
    queue.add_after("a", secs(5));
    let mut gone = Box::pin(queue.get());
    assert!(futures::poll!(&mut gone).is_pending());
    let mut workers = JoinSet::new();
    let other = queue.clone();
    workers.spawn(async move { other.get().await.map(|item| *item) });
    tokio::task::yield_now().await;

    drop(gone);
    assert_eq!(workers.join_next().await.unwrap().unwrap(), Some("a"));
}

/// K-17, K-09. All waiting workers are woken for a due time that moved forward.
#[tokio::test(start_paused = true)]
async fn k17_a_dropped_get_takes_no_earlier_time_with_it() {
    let queue = Queue::new("test");
    queue.add_after("late", secs(100));
    let mut gone = Box::pin(queue.get());
    assert!(futures::poll!(&mut gone).is_pending());
    let started = Instant::now();
    let mut workers = JoinSet::new();
    let other = queue.clone();
    workers.spawn(async move { other.get().await.map(|item| *item) });
    tokio::task::yield_now().await;

    queue.add_after("soon", secs(10));
    assert!(futures::poll!(&mut gone).is_pending());
    drop(gone);
    assert_eq!(workers.join_next().await.unwrap().unwrap(), Some("soon"));
    assert_eq!(started.elapsed().as_secs(), 10);
}

#[tokio::test]
async fn k17_an_item_taken_by_a_get_that_is_dropped_with_it_can_be_added_again() {
    let queue = Queue::new("test");
    queue.add("a");
    let mut get = Box::pin(queue.get());
    let taken = futures::poll!(&mut get);
    assert!(taken.is_ready());
    queue.add("a");
    drop(taken);
    drop(get);
    assert_eq!(drain(&queue), ["a"]);
}
