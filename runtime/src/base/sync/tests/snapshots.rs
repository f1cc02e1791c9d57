//! The store: publication, waiting, and indices that are added during writes.

use std::sync::Arc;

use super::support::{entry, key, version};
use crate::base::sync::Mutex;
use crate::indexer::Indexer;
use crate::object::Scope;
use crate::storage::Entry;
use informer_test_harness::schedules::{check, spawn};

fn store() -> Indexer<u64> {
    Indexer::new(Scope::Cluster)
}

/// Writes two objects and the version, all with the same number.
fn write(store: &Indexer<u64>, number: u64) {
    store.transaction(|transaction| {
        transaction.insert(entry("a", number));
        transaction.set_resource_version(version(number));
        transaction.insert(entry("b", number));
    });
}

/// N-04, I-09, C-07: a reader sees complete states only, and never a state older than one that any
/// reader has seen.
#[test]
fn n04_a_reader_sees_complete_states_in_order() {
    check(|| async {
        let store = store();
        store
            .add_index("value", |number: &u64| Ok(vec![*number]))
            .unwrap();
        write(&store, 1);
        let newest = Arc::new(Mutex::new(0));
        let reader = || {
            let (store, newest) = (store.clone(), Arc::clone(&newest));
            spawn(async move {
                for _ in 0..4 {
                    let known = *newest.lock();
                    let snapshot = store.snapshot();
                    assert!(snapshot.generation() >= known, "an earlier state");
                    let a = snapshot.get(&key("a")).unwrap();
                    assert_eq!(a, snapshot.get(&key("b")).unwrap());
                    assert_eq!(snapshot.resource_version(), &version(*a));
                    let indexed = snapshot.index_keys("value", &a.to_string()).unwrap();
                    assert_eq!(indexed.len(), 2);
                    let mut newest = newest.lock();
                    *newest = snapshot.generation().max(*newest);
                }
            })
        };
        let readers = [reader(), reader()];
        for number in 2..6 {
            write(&store, number);
        }
        for reader in readers {
            reader.await.unwrap();
        }
    });
}

/// N-04, I-09: a get is of a moment between the snapshots before and after it, and a list by
/// index is of its snapshot, while the object is updated, deleted and created again.
#[test]
fn n04_a_get_is_of_a_moment_between_two_snapshots() {
    check(|| async {
        let store = store();
        let by_parity = store
            .add_index("parity", |number: &u64| Ok(vec![number % 2]))
            .unwrap();
        let reader = || {
            let (store, by_parity) = (store.clone(), by_parity.clone());
            spawn(async move {
                for _ in 0..4 {
                    let before = store.snapshot();
                    let got = store.get(&key("a")).map(|number| *number);
                    let after = store.snapshot();
                    let mut moments = before.generation()..=after.generation();
                    assert!(moments.any(|moment| got == a_at(moment)), "{got:?}");

                    let a = a_at(before.generation());
                    let view = by_parity.in_snapshot(&before).unwrap();
                    let listed = [0, 1].map(|parity| view.get(&parity)).concat();
                    assert_eq!(listed, Vec::from_iter(a.map(Arc::new)));
                }
            })
        };
        let readers = [reader(), reader()];
        for generation in 2..8 {
            store.transaction(|transaction| match a_at(generation) {
                Some(value) => drop(transaction.insert(entry("a", value))),
                None => drop(transaction.remove(&key("a"))),
            });
        }
        for reader in readers {
            reader.await.unwrap();
        }
    });
}

/// The object of the test above in the state of this generation.
fn a_at(generation: u64) -> Option<u64> {
    (generation >= 2 && !generation.is_multiple_of(3)).then_some(generation)
}

/// Concurrent transactions each see the writes of the other.
#[test]
fn writers_wait_for_each_other() {
    check(|| async {
        let store = store();
        let writer = || {
            let store = store.clone();
            spawn(async move {
                for _ in 0..3 {
                    store.transaction(|transaction| {
                        let before = transaction
                            .get(&key("a"))
                            .map_or(0, |entry| *entry.typed::<u64>());
                        transaction.insert(entry("a", before + 1));
                    });
                }
            })
        };
        let writers = [writer(), writer()];
        for writer in writers {
            writer.await.unwrap();
        }
        assert_eq!(store.get(&key("a")).as_deref(), Some(&6));
    });
}

/// N-01: a waiter for a version gets a state that contains the version, whenever it arrives.
#[test]
fn n01_a_waiter_for_a_version_is_always_woken() {
    check(|| async {
        let store = store();
        let waiters: Vec<_> = (1..5)
            .map(|number| {
                let store = store.clone();
                spawn(async move {
                    let snapshot = store.wait_for_in("", &version(number)).await.unwrap();
                    assert!(snapshot.get(&key("a")).unwrap() >= Arc::new(number));
                })
            })
            .collect();
        for number in 1..5 {
            write(&store, number);
        }
        for waiter in waiters {
            waiter.await.unwrap();
        }
    });
}

/// I-05: an index that is added during writes refers to exactly the stored objects.
#[test]
fn i05_an_index_added_while_it_is_written_is_right_from_the_start() {
    check(|| async {
        let store = store();
        write(&store, 1);
        let adder = {
            let store = store.clone();
            spawn(async move {
                let parity = |number: &u64| Ok(vec![number % 2]);
                store.add_index("parity", parity).unwrap();
                compare(&store);
            })
        };
        let reader = {
            let store = store.clone();
            spawn(async move {
                for _ in 0..4 {
                    compare(&store);
                }
            })
        };
        for number in 2..5 {
            write(&store, number);
            store.delete(&key("a"));
            store.add(entry("c", number));
        }
        adder.await.unwrap();
        reader.await.unwrap();
        assert!(
            store
                .snapshot()
                .index_names()
                .any(|name| name.as_str() == "parity")
        );
        compare(&store);
    });
}

/// Compares the index of a snapshot, if it exists, with a scan of the objects.
fn compare(store: &Indexer<u64>) {
    let snapshot = store.snapshot();
    for parity in [0, 1] {
        let Ok(mut indexed) = snapshot.index_keys("parity", &parity.to_string()) else {
            return;
        };
        indexed.sort();
        let has_parity = |entry: &&Entry| entry.typed::<u64>() % 2 == parity;
        let scanned = snapshot.entries().filter(has_parity);
        let scanned: Vec<_> = scanned.map(|entry| entry.key.clone()).collect();
        assert_eq!(indexed, scanned);
    }
}
