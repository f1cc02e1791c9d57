//! Stores that are filled by hand, and transactions.

use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::{Thing, entry, index_values, key, printed, store, version};
use crate::indexer::{Indexer, Write};
use crate::object::{KeyLookup, ObjectKey, Scope};
use crate::storage::Entry;

/// I-11: a batch writes all entries that can be written, in one transaction, and reports the
/// others.
#[test]
fn i11_a_batch_reports_failures_by_position_and_applies_the_others() {
    let good = |text: &str| Ok::<_, &str>(Write::Insert(entry(text)));
    let indexer = store(&["a/gone@1 old"]);
    let generation = |indexer: &Indexer<_>| indexer.snapshot().generation();
    let before = generation(&indexer);
    indexer.write_batch([good("a/x@2"), good("a/y@3")]).unwrap();
    assert_eq!(generation(&indexer), before + 1);

    let error = indexer.write_batch([Err("one"), Err("two")]).unwrap_err();
    assert_eq!(error, [(0, "one"), (1, "two")]);
    assert_eq!(generation(&indexer), before + 1, "nothing was written");

    let removal = Ok(Write::Remove(key("a/gone")));
    let batch = [good("a/z@4"), Err("bad"), removal];
    let error = indexer.write_batch(batch).unwrap_err();
    assert_eq!(error, [(1, "bad")]);
    assert_eq!(printed(&indexer.list_keys()), ["a/x", "a/y", "a/z"]);
    assert_eq!(indexer.snapshot().resource_version(), &version("4"));
    assert_eq!(generation(&indexer), before + 2);
}

/// I-13: reads do not copy objects.
#[test]
fn i13_every_read_gives_the_stored_allocation() {
    let stored = entry("a/x@1 red");
    let object = stored.shared::<Thing>();
    let indexer = store(&[]);
    let reader = index_values(&indexer);
    indexer.add(stored);

    let snapshot = indexer.snapshot();
    let reads = [
        vec![indexer.get(&key("a/x")).unwrap()],
        indexer.list(),
        reader.get("red"),
        indexer.snapshot().by_index("values", "red").unwrap(),
        indexer.snapshot().by_index("namespace", "a").unwrap(),
        indexer
            .snapshot()
            .index_of("values", &entry("b/y@1 red"))
            .unwrap(),
        vec![snapshot.get(&key("a/x")).unwrap()],
    ];
    for read in reads {
        assert_eq!(read.len(), 1);
        assert!(Arc::ptr_eq(&read[0], &object));
    }
}

/// C-07: an object of another type is refused as a whole, before it can be read.
#[test]
fn c07_a_store_refuses_objects_of_another_type() {
    let indexer = store(&["a/x@1 red"]);
    let other = Entry {
        object: Arc::new(7_u8),
        ..entry("a/y@2")
    };
    let write = || {
        indexer.transaction(|transaction| {
            transaction.remove(&key("a/x"));
            transaction.insert(other.clone());
        });
    };
    assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(write)).is_err());
    assert_eq!(printed(&indexer.list_keys()), ["a/x"]);
}

/// C-05, C-07: a replacement is one transaction, and keeps unchanged objects.
#[test]
fn c05_a_replacement_keeps_unchanged_objects() {
    let calls = Arc::new(AtomicUsize::new(0));
    let indexer = store(&["a/gone@1", "a/same@2", "a/changed@3"]);
    let counted = Arc::clone(&calls);
    let _ = indexer.add_index("calls", move |_: &_| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(vec![1_u8])
    });
    let before = indexer.snapshot();
    assert_eq!(calls.swap(0, Ordering::Relaxed), 3);

    let world = ["a/same@2", "a/changed@4", "a/new@5"].map(entry).to_vec();
    indexer.replace(world, version("9"));

    let after = indexer.snapshot();
    let kept = |name: &str| {
        let old = before.get(&key(name)).unwrap();
        Arc::ptr_eq(&old, &after.get(&key(name)).unwrap())
    };
    assert!(kept("a/same") && !kept("a/changed"));
    assert!(after.get(&key("a/gone")).is_none());
    assert_eq!(after.generation(), before.generation() + 1);
    assert!(!before.is_synced() && after.is_synced());
    assert_eq!(calls.load(Ordering::Relaxed), 2, "changed and new");
}

/// C-07, I-10.
#[test]
fn c07_a_transaction_reads_its_own_writes_and_readers_see_none_before_its_end() {
    let indexer = store(&["a/x@1"]);
    let reader = indexer.clone();
    let before = reader.snapshot().generation();
    indexer.transaction(|transaction| {
        assert_eq!(transaction.remove(&key("a/x")).unwrap().key, key("a/x"));
        assert_eq!(transaction.entries().count(), 0);
        transaction.insert(entry("a/y@2"));
        transaction.set_resource_version(version("2"));
        transaction.mark_synced();
        assert_eq!(printed(transaction.entries().map(|e| &e.key)), ["a/y"]);
        assert!(transaction.get(&key("a/y")).is_some());

        assert_eq!(printed(&reader.list_keys()), ["a/x"]);
        assert_eq!(reader.snapshot().resource_version(), &version("1"));
        assert!(!reader.snapshot().is_synced());
    });
    assert!(reader.snapshot().is_synced());
    assert_eq!(reader.snapshot().generation(), before + 1);
    assert_eq!(printed(&reader.list_keys()), ["a/y"]);
    assert_eq!(reader.snapshot().resource_version(), &version("2"));
}

#[test]
fn a_transaction_that_changes_nothing_publishes_nothing() {
    let indexer = store(&["a/x@1"]);
    let before = indexer.snapshot().generation();
    indexer.transaction(|transaction| {
        transaction.set_resource_version(version("1"));
        transaction.remove(&key("a/none"));
        transaction.clear_undecodable(&key("a/x"));
    });
    assert_eq!(indexer.snapshot().generation(), before);
}

#[test]
fn a_panicking_transaction_has_no_effect() {
    let indexer = store(&["a/x@1 red"]);
    let reader = index_values(&indexer);
    let outcome = catch_unwind(AssertUnwindSafe(|| {
        indexer.transaction(|transaction| {
            transaction.insert(entry("a/y@2 red"));
            transaction.remove(&key("a/x"));
            panic!("in the middle");
        });
    }));
    assert!(outcome.is_err());
    assert_eq!(printed(&indexer.list_keys()), ["a/x"]);
    assert!(indexer.get(&key("a/x")).is_some());
    assert!(indexer.get(&key("a/y")).is_none());

    indexer.add(entry("a/z@3 red"));
    assert_eq!(printed(&reader.keys("red")), ["a/x", "a/z"]);
    assert_eq!(reader.get("red").len(), 2);
    assert!(indexer.get(&key("a/y")).is_none());
}

/// Keys with the same hash are told apart, through updates and a removal of either.
#[test]
fn keys_of_one_hash_are_objects_of_their_own() {
    let mut by_hash = HashMap::new();
    let equal = (0..)
        .map(|number| key(&format!("a/{number}")))
        .find_map(|key| {
            let previous = by_hash.insert(key.key_hash(), key.clone())?;
            Some([previous, key])
        });
    let [x, y] = equal.unwrap();
    let indexer = store(&[]);
    let add = |key: &ObjectKey, version: &str| {
        indexer.add(entry(&format!("{key}@{version} {version}")));
    };
    let values = |key: &ObjectKey| indexer.get(key).map(|thing| thing.values[0].clone());
    let both = || [values(&x), values(&y)];
    let some = |version: &str| Some(version.to_owned());

    add(&x, "1");
    assert_eq!(both(), [some("1"), None]);
    add(&y, "2");
    assert_eq!(both(), [some("1"), some("2")]);
    add(&x, "3");
    assert_eq!(both(), [some("3"), some("2")]);
    indexer.delete(&y);
    assert_eq!(both(), [some("3"), None]);
    add(&y, "4");
    indexer.delete(&x);
    assert_eq!(both(), [None, some("4")]);
}

/// C-12: marking the store as synced is published once, and lasts.
#[test]
fn c12_synced_is_published_once() {
    let indexer = store(&[]);
    for generation in [1, 1] {
        indexer.transaction(|transaction| {
            transaction.set_resource_version(version("1"));
            transaction.mark_synced();
        });
        let snapshot = indexer.snapshot();
        assert_eq!(
            (snapshot.generation(), snapshot.is_synced()),
            (generation, true)
        );
    }
}

/// Objects may be Secrets: `Debug` of a store prints only counts and versions.
#[test]
fn debug_output_has_no_object_content() {
    let indexer = store(&["a/x@1 secret"]);
    let reader = index_values(&indexer);
    let snapshot = indexer.snapshot();
    let generation = snapshot.generation();
    let state = format!(r#"{{ len: 1, resource_version: "1", generation: {generation}"#);
    assert_eq!(format!("{indexer:?}"), format!("Indexer {state}, .. }}"));
    assert_eq!(format!("{:?}", *indexer), format!("Store {state}, .. }}"));
    let state = format!("State {state}, synced: false, .. }}");
    assert_eq!(
        format!("{snapshot:?}"),
        format!("Snapshot {{ state: {state}, .. }}")
    );
    assert_eq!(
        format!("{reader:?} {:?}", reader.in_snapshot(&snapshot).unwrap()),
        r#"Index { name: "values", .. } IndexView { .. }"#
    );
    let printed = indexer.transaction(|transaction| format!("{transaction:?}"));
    assert_eq!(
        printed,
        format!("Transaction {{ state: {state}, changed: false, .. }}")
    );
}

#[test]
fn cluster_scoped_objects_have_no_namespace() {
    let indexer = Indexer::<Thing>::new(Scope::Cluster);
    indexer.add(entry("node@1"));
    let snapshot = indexer.snapshot();
    assert_eq!(snapshot.namespaces().count(), 0);
    assert_eq!(snapshot.namespace("node").count(), 0);
    assert_eq!(snapshot.namespace("").count(), 0);
    assert_eq!(snapshot.len(), 1);
    assert!(!snapshot.is_empty());
}
