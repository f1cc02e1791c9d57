use tokio::task::JoinSet;
use tokio::time::Instant;

use super::*;

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
