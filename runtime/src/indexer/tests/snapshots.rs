//! Snapshots: consistent, immutable, lock-free, and cheap to drop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, ThreadId};

use parking_lot::Mutex;

use super::{Thing, entry, index_values, key, printed, store, version};
use crate::indexer::{Index, Indexer, Snapshot};
use crate::object::{Footprint, ObjectKey, ResourceVersion, Scope};
use crate::storage::Entry;

#[test]
fn i10_reads_go_on_while_a_transaction_takes_its_time() {
    let indexer = store(&["a/x@1 red"]);
    let reader = index_values(&indexer);
    let (started, has_started) = mpsc::channel();
    let (release, released) = mpsc::channel::<()>();
    thread::scope(|scope| {
        let indexer = &indexer;
        scope.spawn(move || {
            indexer.transaction(|transaction| {
                transaction.remove(&key("a/x"));
                started.send(()).unwrap();
                released.recv().unwrap();
            });
        });
        has_started.recv().unwrap();
        assert!(indexer.is_locked());
        assert!(indexer.get(&key("a/x")).is_some());
        assert_eq!(indexer.list().len(), 1);
        assert_eq!(reader.get("red").len(), 1);
        assert_eq!(
            indexer.snapshot().by_index("namespace", "a").unwrap().len(),
            1
        );
        release.send(()).unwrap();
    });
    assert!(reader.get("red").is_empty());
}

/// Records the thread that frees it, and whether the writer lock was held meanwhile.
struct Witness {
    indexer: Indexer<Witness>,
    freed: Arc<Mutex<Vec<(ThreadId, bool)>>>,
}

impl Drop for Witness {
    fn drop(&mut self) {
        let locked = self.indexer.is_locked();
        self.freed.lock().push((thread::current().id(), locked));
    }
}

/// I-10: objects that a reader still held when they were replaced are freed by the writer, outside
/// its lock.
#[test]
fn i10_old_objects_are_freed_by_the_writer_outside_its_lock() {
    const OBJECTS: usize = 100;
    let indexer = Indexer::new(Scope::Namespaced);
    let freed = Arc::default();
    let world = |version: &str| {
        let object = |number| Entry {
            key: ObjectKey::namespaced("a", &format!("{number}")),
            uid: None,
            resource_version: ResourceVersion::new(version),
            footprint: Footprint::default(),
            object: Arc::new(Witness {
                indexer: indexer.clone(),
                freed: Arc::clone(&freed),
            }),
        };
        (0..OBJECTS).map(object).collect::<Vec<_>>()
    };
    let freed_here = || {
        let freed = std::mem::take(&mut *freed.lock());
        assert!(
            freed
                .iter()
                .all(|&(freed_by, _)| freed_by == thread::current().id())
        );
        assert!(freed.iter().all(|&(_, locked)| !locked));
        freed.len()
    };

    indexer.replace(world("1"), version("1"));
    indexer.replace(world("2"), version("2"));
    assert_eq!(freed_here(), OBJECTS, "no snapshot held them");

    let snapshot = indexer.snapshot();
    indexer.replace(world("3"), version("3"));
    assert_eq!(freed_here(), 0, "the snapshot holds them");
    thread::scope(|scope| {
        scope.spawn(|| drop(snapshot));
    });
    assert_eq!(freed_here(), 0, "the reader does not free them");
    indexer.transaction(|transaction| transaction.set_resource_version(version("4")));
    assert_eq!(freed_here(), OBJECTS);

    // A store that holds handles to itself would never be freed.
    indexer.replace(Vec::new(), version("5"));
    assert_eq!(freed_here(), OBJECTS);
}

/// I-10: readers that are in the middle of a get keep the state that they read, and free no object
/// of it.
#[test]
fn i10_readers_of_other_objects_free_none_that_is_replaced() {
    const OBJECTS: usize = 2_000;
    /// Fewer than the states that the writer keeps for readers.
    const ROUNDS: usize = 6;
    let indexer = Indexer::new(Scope::Namespaced);
    let freed = Arc::default();
    let object = |namespace: &str, name: usize| Entry {
        key: ObjectKey::namespaced(namespace, &format!("{name}")),
        uid: None,
        resource_version: ResourceVersion::UNSET,
        footprint: Footprint::default(),
        object: Arc::new(Witness {
            indexer: indexer.clone(),
            freed: Arc::clone(&freed),
        }),
    };
    indexer.add(object("kept", 0));
    let done = AtomicBool::new(false);
    let read = || {
        let kept = ObjectKey::namespaced("kept", "0");
        while !done.load(Ordering::Acquire) {
            assert!(indexer.get(&kept).is_some());
        }
    };
    thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(read);
        }
        for _ in 0..ROUNDS {
            indexer.transaction(|transaction| {
                for name in 0..OBJECTS {
                    transaction.insert(object("replaced", name));
                }
            });
        }
        done.store(true, Ordering::Release);
    });
    // Frees the states that readers held.
    indexer.transaction(|transaction| transaction.set_resource_version(version("1")));
    let here = thread::current().id();
    let freed = std::mem::take(&mut *freed.lock());
    assert_eq!(freed.len(), OBJECTS * (ROUNDS - 1));
    assert!(freed.iter().all(|&freed| freed == (here, false)));

    indexer.replace(Vec::new(), version("0"));
}

/// I-09: lists by index show the snapshot's own objects, not later ones.
#[test]
fn i09_a_list_by_index_stays_with_its_snapshot() {
    let indexer = store(&["a/gone@1 red", "a/changed@2 red", "a/same@3 red"]);
    let reader = index_values(&indexer);
    let snapshot = indexer.snapshot();
    let before: Vec<_> = snapshot.entries().map(Entry::shared::<Thing>).collect();
    indexer.transaction(|transaction| {
        transaction.insert(entry("a/changed@4 red new"));
        transaction.remove(&key("a/gone"));
        transaction.insert(entry("a/added@5 red"));
    });

    let view = reader.in_snapshot(&snapshot).unwrap();
    assert!(
        view.get("red")
            .iter()
            .zip(&before)
            .all(|(one, other)| Arc::ptr_eq(one, other))
    );
    let mut visited: Vec<*const Thing> = Vec::new();
    view.for_each("red", |thing| visited.push(thing));
    assert!(
        visited
            .iter()
            .eq(&before.iter().map(Arc::as_ptr).collect::<Vec<_>>())
    );
    let keys = view.entries("red").map(|entry| &entry.key);
    assert_eq!(printed(keys), ["a/changed", "a/gone", "a/same"]);
    assert_eq!(snapshot.by_index("values", "red").unwrap(), before);

    let mut values = Vec::new();
    reader.for_each("red", |thing| values.push(thing.values.join(" ")));
    assert_eq!(values, ["red", "red new", "red"]);
    reader.for_each("blue", |thing| panic!("{thing:?}"));
}

/// I-10: the writer keeps a bounded number of past states, even if their snapshots are never
/// dropped.
#[test]
fn i10_the_writer_keeps_few_past_states() {
    let indexer = store(&[]);
    let objects: Vec<_> = (1..=30)
        .map(|number| {
            let stored = entry(&format!("a/x@{number}"));
            let object = Arc::downgrade(&stored.object);
            indexer.add(stored);
            (object, indexer.snapshot())
        })
        .collect();
    let (objects, snapshots): (Vec<_>, Vec<_>) = objects.into_iter().unzip();
    assert!(objects.iter().all(|object| object.strong_count() > 0));
    drop(snapshots);
    let kept = objects.iter().filter(|object| object.strong_count() > 0);
    assert_eq!(
        kept.count(),
        1 + 8,
        "the current state and the retired ones"
    );
}

/// Checks that a snapshot is consistent: its version and all of its objects are of one round.
fn assert_whole(snapshot: &Snapshot<u64>, reader: &Index<u64, u64>, objects: usize) {
    let Some(first) = snapshot.iter().next() else {
        assert_eq!(snapshot.generation(), 1, "only before the first round");
        return;
    };
    let round = *first;
    assert_eq!(snapshot.resource_version().to_string(), round.to_string());
    assert_eq!(snapshot.len(), objects);
    assert!(snapshot.iter().all(|number| *number == round));

    let view = reader.in_snapshot(snapshot).unwrap();
    assert_eq!(view.values().collect::<Vec<_>>(), [&round]);
    let keys: Vec<_> = snapshot.entries().map(|entry| &entry.key).collect();
    assert_eq!(view.keys(&round).collect::<Vec<_>>(), keys);
    assert!(view.get(&round).iter().all(|object| **object == round));

    let by_namespace = snapshot
        .namespaces()
        .flat_map(|namespace| snapshot.entries_in(namespace).map(|entry| &entry.key));
    assert_eq!(by_namespace.collect::<Vec<_>>(), keys);
}

/// C-07, I-09, I-10, N-04, S-06: readers see complete rounds only, and never an earlier round.
#[test]
fn c07_readers_see_whole_replacements_only_and_none_goes_back() {
    const ROUNDS: u64 = 150;
    const OBJECTS: u64 = 60;
    let indexer: Indexer<u64> = Indexer::new(Scope::Namespaced);
    let reader = indexer
        .add_index("round", |number: &u64| Ok(vec![*number]))
        .unwrap();
    let done = AtomicBool::new(false);
    let read = || {
        let (mut last, mut reads) = (0, 0);
        loop {
            let is_last = done.load(Ordering::Acquire);
            let snapshot = indexer.snapshot();
            assert!(snapshot.generation() >= last, "went back");
            last = snapshot.generation();
            assert_whole(&snapshot, &reader, 60);
            reads += 1;
            if is_last {
                assert_eq!(snapshot.resource_version().to_string(), ROUNDS.to_string());
                return reads;
            }
        }
    };
    thread::scope(|scope| {
        let readers: Vec<_> = (0..3).map(|_| scope.spawn(read)).collect();
        for round in 1..=ROUNDS {
            let world = (0..OBJECTS).map(|number| Entry {
                // Namespaces and names differ between rounds, and partly overlap.
                key: ObjectKey::namespaced(
                    &format!("n{}", (number + round) % 7),
                    &format!("{}", number * (1 + round % 3)),
                ),
                uid: None,
                resource_version: ResourceVersion::UNSET,
                footprint: Footprint::default(),
                object: Arc::new(round),
            });
            indexer.replace(world.collect(), ResourceVersion::new(&round.to_string()));
        }
        done.store(true, Ordering::Release);
        for reader in readers {
            assert!(reader.join().unwrap() > 0);
        }
    });
}
