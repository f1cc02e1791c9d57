use tokio::task::JoinSet;
use tokio::time::Instant;

use super::*;

#[tokio::test]
async fn k04_after_shutdown_adds_are_ignored_and_queued_items_still_come_out() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.add("b");
    assert!(!queue.is_shutting_down());
    queue.shut_down();
    assert!(queue.is_shutting_down());
    queue.add("c");
    queue.add_rate_limited("c");
    assert_eq!(take(&queue).as_deref(), Some(&"a"));
    assert_eq!(take(&queue).as_deref(), Some(&"b"));
    assert!(take(&queue).is_none());
    assert!(take(&queue).is_none(), "permanently");
}

#[tokio::test]
async fn k04_shutdown_ends_every_waiting_worker() {
    let queue = Queue::new("test");
    let mut workers = JoinSet::new();
    for _ in 0..3 {
        let queue = queue.clone();
        workers.spawn(async move { queue.get().await.is_none() });
    }
    tokio::task::yield_now().await;
    queue.shut_down();
    assert_eq!(workers.join_all().await, [true, true, true]);
}

/// K-04. Taking the last item ends the other waiting worker.
#[tokio::test]
async fn k04_taking_the_last_item_ends_the_workers_that_wait() {
    let queue = Queue::new("test");
    queue.add("a");
    let first = take(&queue).unwrap();
    queue.add("a");
    queue.shut_down();
    let mut workers = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        workers.spawn(async move {
            match queue.get().await {
                // Holds the item until the other worker has ended.
                Some(item) => (true, Some(item)),
                None => (false, None),
            }
        });
    }
    tokio::task::yield_now().await;
    first.done();
    let mut got: Vec<bool> = workers.join_all().await.into_iter().map(|w| w.0).collect();
    got.sort_unstable();
    assert_eq!(got, [false, true]);
}

/// K-05. A drain waits for items that nobody has claimed, and for those added while in work.
#[tokio::test]
async fn k05_a_drain_waits_for_queued_and_for_marked_items() {
    let queue = Queue::new("test");
    queue.add("a");
    queue.add("b");
    let first = take(&queue).unwrap();
    queue.add("a");
    let mut drain = Box::pin(queue.shut_down_with_drain());
    assert!(futures::poll!(&mut drain).is_pending(), "one queued");
    let other = take(&queue).unwrap();
    assert!(futures::poll!(&mut drain).is_pending(), "both in work");
    other.done();
    assert!(futures::poll!(&mut drain).is_pending(), "in work, marked");
    first.done();
    assert!(futures::poll!(&mut drain).is_pending(), "queued again");
    let again = take(&queue).unwrap();
    assert!(futures::poll!(&mut drain).is_pending(), "in work again");
    again.done();
    assert!(drain.await);
}

/// K-05. Both callers of the drain are woken, without polling.
#[tokio::test]
async fn k05_everyone_who_drains_is_woken() {
    let queue = Queue::new("test");
    queue.add("a");
    let mut drains = JoinSet::new();
    for _ in 0..2 {
        let queue = queue.clone();
        drains.spawn(async move { queue.shut_down_with_drain().await });
    }
    tokio::task::yield_now().await;
    take(&queue).unwrap().done();
    assert_eq!(drains.join_all().await, [true, true]);
}

#[tokio::test]
async fn k06_no_worker_is_sent_home_while_a_marked_item_can_come() {
    let queue = Queue::new("test");
    queue.add("a");
    let first = take(&queue).unwrap();
    queue.add("a");
    queue.shut_down();
    assert!(would_wait(&queue), "a comes again");
    first.done();
    let again = take(&queue);
    assert_eq!(again.as_deref(), Some(&"a"));
    assert!(take(&queue).is_none(), "in work, and it cannot be added");
}

#[tokio::test]
async fn k06_work_that_cannot_come_again_keeps_no_worker() {
    let queue = Queue::new("test");
    queue.add("a");
    let _in_work = take(&queue).unwrap();
    queue.shut_down();
    assert!(take(&queue).is_none());
}

#[tokio::test]
async fn k07_a_plain_shutdown_ends_the_wait_of_a_drain() {
    let queue = Queue::new("test");
    queue.add("a");
    let _in_work = take(&queue).unwrap();
    let (drained, ()) = tokio::join!(queue.shut_down_with_drain(), async {
        tokio::task::yield_now().await;
        queue.shut_down();
    });
    assert!(!drained);
}

#[tokio::test(start_paused = true)]
async fn k08_an_idle_queue_drains_at_once() {
    let started = Instant::now();
    assert!(Queue::new("test").shut_down_with_drain().await);

    let delayed = Queue::new("test");
    delayed.add_after("a", secs(3600));
    assert!(delayed.shut_down_with_drain().await);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

/// K-08. The worker does not wait for a dropped delayed item either.
#[tokio::test(start_paused = true)]
async fn k08_a_worker_that_waits_for_a_delayed_item_ends_at_once() {
    let started = Instant::now();
    let queue = Queue::new("test");
    queue.add_after("a", secs(3600));
    let (item, drained) = tokio::join!(queue.get(), queue.shut_down_with_drain());
    assert!(item.is_none() && drained);
    assert_eq!(started.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn k10_items_whose_time_has_not_come_at_shutdown_are_dropped() {
    let queue = Queue::new("test");
    queue.add_after("due", secs(1));
    queue.add_after("not due", secs(2));
    advance(secs(1)).await;
    queue.shut_down();
    queue.add_after("late", secs(1));
    advance(secs(10)).await;
    assert_eq!(take(&queue).as_deref(), Some(&"due"));
    assert!(take(&queue).is_none());
    assert_eq!(queue.metrics().delayed, 0);
}
