//! Objects that left the store: who frees them, and when.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, ThreadId};

use parking_lot::Mutex;

use super::{entry, store, version};
use crate::indexer::Indexer;
use crate::object::{ObjectKey, Scope};
use crate::storage::Entry;

/// Records the thread that frees it, and whether the writer lock was held meanwhile.
struct Witness {
    indexer: Indexer<Witness>,
    freed: Freed,
}

type Freed = Arc<Mutex<Vec<(ThreadId, bool)>>>;

fn witness(indexer: &Indexer<Witness>, freed: &Freed, key: &str, version: &str) -> Entry {
    let (indexer, freed) = (indexer.clone(), Arc::clone(freed));
    Entry {
        object: Arc::new(Witness { indexer, freed }),
        ..entry(&format!("{key}@{version}"))
    }
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
        let object = |number| witness(&indexer, &freed, &format!("a/{number}"), version);
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
    indexer.add(witness(&indexer, &freed, "kept/0", ""));
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
                    let key = format!("replaced/{name}");
                    transaction.insert(witness(&indexer, &freed, &key, ""));
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
