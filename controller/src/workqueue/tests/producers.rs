use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::task::JoinSet;

use super::super::WorkQueue;

const PRODUCERS: u32 = 50;
const WORKERS: u32 = 10;
const ROUNDS: u32 = 100;
/// Fewer than producers, so that several producers add the same items.
const ITEMS: u32 = 30;

/// Observations of the workers, by item.
#[derive(Default)]
struct Seen {
    in_work: HashMap<u32, u32>,
    /// Number of adds of the item when its last work started.
    adds_before_last_work: HashMap<u32, u32>,
    adds: HashMap<u32, u32>,
}

async fn produce(queue: WorkQueue<u32>, seen: Arc<Mutex<Seen>>, producer: u32) {
    for round in 0..ROUNDS {
        let item = (producer * 7 + round) % ITEMS;
        // Counted before the add, so that work that starts after the add sees the count.
        *seen.lock().adds.entry(item).or_default() += 1;
        queue.add(item);
        tokio::task::yield_now().await;
    }
}

async fn consume(queue: WorkQueue<u32>, seen: Arc<Mutex<Seen>>) {
    while let Some(item) = queue.get().await {
        {
            let seen = &mut *seen.lock();
            let in_work = seen.in_work.entry(*item).or_default();
            *in_work += 1;
            assert_eq!(*in_work, 1, "two workers hold {}", *item);
            let adds = seen.adds[&*item];
            seen.adds_before_last_work.insert(*item, adds);
        }
        tokio::task::yield_now().await;
        *seen.lock().in_work.get_mut(&*item).unwrap() -= 1;
        item.done();
    }
}

async fn fifty_producers_ten_workers(drain: bool) {
    let queue = WorkQueue::new("test");
    let seen = Arc::new(Mutex::new(Seen::default()));
    let mut producers = JoinSet::new();
    let mut workers = JoinSet::new();
    for _ in 0..WORKERS {
        workers.spawn(consume(queue.clone(), Arc::clone(&seen)));
    }
    for producer in 0..PRODUCERS {
        producers.spawn(produce(queue.clone(), Arc::clone(&seen), producer));
    }
    producers.join_all().await;
    if drain {
        assert!(queue.shut_down_with_drain().await);
        assert!(queue.is_empty());
    } else {
        queue.shut_down();
    }
    workers.join_all().await;

    let seen = seen.lock();
    assert_eq!(seen.adds.values().sum::<u32>(), PRODUCERS * ROUNDS);
    assert_eq!(
        seen.adds, seen.adds_before_last_work,
        "each item's work began after its last add"
    );
    assert_eq!(queue.metrics().depth, 0);
}

/// K-02, K-03, K-05.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn k03_fifty_producers_and_ten_workers_lose_nothing_with_either_shutdown() {
    for drain in [false, true] {
        fifty_producers_ten_workers(drain).await;
    }
}
