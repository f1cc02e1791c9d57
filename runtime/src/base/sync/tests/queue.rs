//! `DeltaFifo`: from reflector to controller.

use std::sync::Arc;

use super::support::{Rig, delete, entry, key, list, put};
use crate::delta_fifo::{Delta, DeltaFifo, Order};
use crate::indexer::Store;
use crate::object::Scope;
use informer_test_harness::schedules::{check, spawn};

const ORDERS: [Order; 2] = [Order::Global, Order::PerKey];

fn queue(order: Order, capacity: usize) -> DeltaFifo {
    DeltaFifo::new(order, capacity, Arc::new(Store::of::<()>(Scope::Cluster)))
}

/// deltas that producers push into a full queue arrive once, and in order for each
/// producer.
#[test]
fn q11_a_full_queue_holds_producers_back_and_loses_nothing() {
    for order in ORDERS {
        check(move || async move {
            let fifo = queue(order, 1);
            let producer = |name: &'static str| {
                let fifo = fifo.clone();
                spawn(async move {
                    for version in 1..4 {
                        fifo.push(put(name, version)).await.unwrap();
                    }
                })
            };
            let producers = [producer("a"), producer("b")];
            let mut taken = Vec::new();
            while taken.len() < 6 {
                let batch = fifo.pop().await.unwrap();
                taken.extend(batch.deltas.into_iter().map(|delta| {
                    let Delta::Updated(entry) = delta else {
                        panic!("expected a pushed delta, found {delta:?}");
                    };
                    (entry.key.clone(), *entry.typed::<u64>())
                }));
            }
            for producer in producers {
                producer.await.unwrap();
            }
            for name in ["a", "b"] {
                let versions = taken.iter().filter(|(of, _)| *of == key(name));
                let versions: Vec<u64> = versions.map(|(_, version)| *version).collect();
                assert_eq!(versions, [1, 2, 3]);
            }
            assert!(fifo.is_empty());
        });
    }
}

/// closing the queue at any moment ends all waits, and accepted deltas are still popped.
#[test]
fn q12_closing_wakes_all_waiters() {
    for order in ORDERS {
        check(move || async move {
            let fifo = queue(order, 1);
            let producers = ["a", "b"].map(|name| {
                let fifo = fifo.clone();
                spawn(async move { while fifo.push(put(name, 1)).await.is_ok() {} })
            });
            let consumers = [0, 1].map(|_| {
                let fifo = fifo.clone();
                spawn(async move {
                    for _ in 0..3 {
                        if fifo.pop().await.is_none() {
                            return;
                        }
                    }
                    // Stops popping, like a controller behind a stuck handler.
                })
            });
            fifo.close();
            for producer in producers {
                producer.await.unwrap();
            }
            for consumer in consumers {
                consumer.await.unwrap();
            }
            while fifo.pop().await.is_some() {}
            assert!(fifo.is_empty());
        });
    }
}

/// the end of each list leaves the queue once, before later deltas.
#[test]
fn q08_each_list_is_completed_once() {
    for order in ORDERS {
        check(move || async move {
            let fifo = queue(order, 2);
            let producer = {
                let fifo = fifo.clone();
                spawn(async move {
                    fifo.push(list(5, &[("a", 1), ("b", 2)])).await.unwrap();
                    fifo.push(put("a", 6)).await.unwrap();
                    fifo.push(list(9, &[("a", 8)])).await.unwrap();
                    fifo.push(put("z", 10)).await.unwrap();
                })
            };
            let (mut completed, mut is_over) = (0, false);
            while !is_over {
                let batch = fifo.pop().await.unwrap();
                completed += batch.deltas.iter().filter(|delta| is_end(delta)).count();
                is_over = batch
                    .deltas
                    .iter()
                    .any(|delta| delta.key() == Some(&key("z")));
            }
            assert_eq!(completed, 2);
            producer.await.unwrap();
        });
    }
}

/// a deletion that arrives while the controller stores its object is not dropped.
#[test]
fn q04_a_deletion_right_after_its_object_is_kept() {
    for order in ORDERS {
        check(move || async move {
            let rig = Rig::start(order, 4);
            let feed = rig.feed(vec![
                list(1, &[]),
                put("a", 2),
                delete("a", 3),
                put("a", 4),
                delete("a", 5),
                put("z", 6),
            ]);
            feed.await.unwrap();
            rig.at(6).await;
            assert_eq!(rig.indexer.list_keys(), [entry("z", 6).key]);
            rig.stop().await;
        });
    }
}

/// Reports whether a delta is the end of a list, or a whole one.
fn is_end(delta: &Delta) -> bool {
    let ends_list = matches!(
        delta,
        Delta::Bookmark {
            ends_list: true,
            ..
        }
    );
    ends_list || matches!(delta, Delta::ReplacedAll(_))
}
