//! `WorkQueue`, from producers to workers, under the schedule checker.

use std::collections::BTreeMap;
use std::sync::Arc;

use informer_test_harness::schedules::{check, spawn};

use crate::base::sync::Mutex;
use crate::workqueue::WorkQueue;

/// State of one item.
#[derive(Debug, Default, Clone, Copy)]
struct Work {
    is_held: bool,
    /// Number of adds, and number of adds before the item's last processing began.
    added: u64,
    seen: u64,
}

type Book = Arc<Mutex<BTreeMap<u8, Work>>>;

/// K-02, K-05: no two workers process an item at the same time, and an item is processed after each
/// of its adds.
#[test]
fn k02_an_item_is_worked_on_by_one_and_after_each_add() {
    check(|| async {
        let queue = WorkQueue::new("things");
        let book: Book = Book::new(Mutex::new(BTreeMap::new()));
        let producers = [0, 1].map(|_| {
            let (queue, book) = (queue.clone(), Arc::clone(&book));
            spawn(async move {
                for item in [1, 2, 1_u8] {
                    book.lock().entry(item).or_default().added += 1;
                    queue.add(item);
                }
            })
        });
        let workers = {
            let (queue, book) = (queue.clone(), Arc::clone(&book));
            spawn(async move {
                let reconcile = move |item: u8| {
                    let book = Arc::clone(&book);
                    async move {
                        {
                            let mut book = book.lock();
                            let work = book.entry(item).or_default();
                            assert!(!std::mem::replace(&mut work.is_held, true), "two at once");
                            work.seen = work.added;
                        }
                        shuttle::future::yield_now().await;
                        book.lock().entry(item).or_default().is_held = false;
                        Ok::<(), String>(())
                    }
                };
                queue.run_workers(2, reconcile).await;
            })
        };
        for producer in producers {
            producer.await.unwrap();
        }
        assert!(queue.shut_down_with_drain().await);
        workers.await.unwrap();
        for (item, work) in &*book.lock() {
            assert!(!work.is_held && work.seen == work.added, "{item}: {work:?}");
        }
    });
}

/// K-04, K-07: a shutdown at any moment ends every worker and every drain, after the queued items
/// were handed out.
#[test]
fn k04_a_shutdown_at_any_moment_ends_all_workers() {
    check(|| async {
        let queue = WorkQueue::new("things");
        queue.add(1_u8);
        let workers = [0, 1].map(|_| {
            let queue = queue.clone();
            spawn(async move {
                let mut taken = Vec::new();
                while let Some(item) = queue.get().await {
                    taken.push(*item);
                    item.done();
                }
                taken
            })
        });
        let producer = {
            let queue = queue.clone();
            spawn(async move {
                queue.add(1);
                queue.add(2);
            })
        };
        let drain = {
            let queue = queue.clone();
            spawn(async move { queue.shut_down_with_drain().await })
        };
        queue.shut_down();
        let mut taken = Vec::new();
        for worker in workers {
            taken.extend(worker.await.unwrap());
        }
        producer.await.unwrap();
        drain.await.unwrap();
        assert!(taken.contains(&1));
        assert!(queue.get().await.is_none());
        assert!(queue.is_empty());
    });
}

/// K-17: a worker that cancels its wait does not consume a wake-up that another worker needs.
#[test]
fn k17_a_cancelled_wait_consumes_no_wake_up() {
    check(|| async {
        let queue = WorkQueue::<u8>::new("things");
        let fickle = {
            let queue = queue.clone();
            spawn(async move {
                tokio::select! {
                    biased;
                    item = queue.get() => drop(item),
                    () = shuttle::future::yield_now() => {}
                }
            })
        };
        let steady = {
            let queue = queue.clone();
            spawn(async move {
                let mut count = 0;
                while let Some(item) = queue.get().await {
                    item.done();
                    count += 1;
                    if count == 2 {
                        break;
                    }
                }
            })
        };
        queue.add(1_u8);
        queue.add(2);
        fickle.await.unwrap();
        // Even if the fickle worker took an item, enough items remain for the steady one.
        queue.add(3);
        steady.await.unwrap();
    });
}
