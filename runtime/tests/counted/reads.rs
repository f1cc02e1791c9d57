//! Allocations of reads: a read copies no part of the store, even during a transaction.

use std::sync::{Arc, mpsc};
use std::thread;

use allocation_counter::{AllocationInfo, measure};
use informer_runtime::indexer::{Index, Indexer};
use informer_runtime::{Entry, Lister, ObjectKey, ResourceVersion, Scope};
use k8s_openapi::api::core::v1::ConfigMap;

const OBJECTS: usize = 20_000;

/// Number of repetitions of each read, so that an occasional copy is detected.
const READS: usize = 100;

fn entry(number: usize, version: &str) -> Entry {
    let namespace = format!("ns-{}", number % 100);
    let key = ObjectKey::namespaced(&namespace, &format!("object-{number}"));
    let object = Arc::new(format!("value-{number}"));
    Entry::new(key, ResourceVersion::new(version), object)
}

/// Measures the allocations of reading one object, and of taking snapshots.
fn lookups(indexer: &Indexer<String>) -> AllocationInfo {
    let key = entry(7, "").key;
    measure(|| {
        for _ in 0..READS {
            let snapshot = indexer.snapshot();
            let shared = snapshot.clone();
            assert_eq!(snapshot.len(), OBJECTS);
            assert!(indexer.get(&key).is_some());
            assert!(shared.get(&key).is_some());
        }
    })
}

/// Measures the allocations of reading a few objects in order, and by index.
fn ranges(indexer: &Indexer<String>, by_value: &Index<String, String>) -> AllocationInfo {
    let key = entry(7, "").key;
    measure(|| {
        for _ in 0..READS {
            let snapshot = indexer.snapshot();
            assert!(snapshot.next_after(Some(&key)).is_some());
            assert_eq!(snapshot.iter().take(3).count(), 3);
            assert_eq!(snapshot.namespace("ns-7").take(3).count(), 3);
            assert_eq!(by_value.get("value-7").len(), 1);
        }
    })
}

/// I-10, I-09: before, during and after a transaction that replaces every object, a lookup
/// allocates nothing. Iterators allocate only their path through the tree, and an index read its
/// result.
#[test]
fn i10_reads_copy_nothing_while_all_objects_are_replaced() {
    let indexer = Indexer::new(Scope::Namespaced);
    let by_value = indexer
        .add_index("value", |value: &String| Ok(vec![value.clone()]))
        .unwrap();
    let world = |version| (0..OBJECTS).map(move |number| entry(number, version));
    indexer.replace(world("1").collect(), ResourceVersion::new("1"));

    let (replaced, is_replaced) = mpsc::channel();
    let (publish, may_publish) = mpsc::channel::<()>();
    let [before, during] = thread::scope(|scope| {
        let indexer = &indexer;
        let before = [lookups(indexer), ranges(indexer, &by_value)];
        scope.spawn(move || {
            indexer.transaction(|transaction| {
                for entry in world("2") {
                    transaction.insert(entry);
                }
                transaction.set_resource_version(ResourceVersion::new("2"));
                replaced.send(()).unwrap();
                may_publish.recv().unwrap();
            });
        });
        is_replaced.recv().unwrap();
        let during = [lookups(indexer), ranges(indexer, &by_value)];
        let version = indexer.snapshot().resource_version().to_string();
        assert_eq!(version, "1", "nothing is published");
        publish.send(()).unwrap();
        [before, during]
    });
    let after = [lookups(&indexer), ranges(&indexer, &by_value)];
    assert_eq!(indexer.snapshot().resource_version().to_string(), "2");
    for [lookups, ranges] in [before, during, after] {
        assert_eq!(lookups.count_total, 0, "{lookups:?}");
        assert!(ranges.bytes_total <= 512 * READS as u64, "{ranges:?}");
    }
}

/// I-13, S-02: a lister looks up an object by namespace and name or by key without allocating,
/// after the first lookup on a thread. Neither a key nor an object is copied.
#[test]
fn i13_a_get_by_a_lister_allocates_nothing() {
    let indexer = Indexer::new(Scope::Namespaced);
    let key = ObjectKey::namespaced("default", "web");
    let version = ResourceVersion::new("1");
    let object = Arc::new(ConfigMap::default());
    indexer.add(Entry::new(key.clone(), version, object));
    let maps: Lister<ConfigMap> = Lister::from(&indexer);
    let lookup = || {
        let by_name = maps.namespace("default").get("web");
        let by_key = maps.get_by_key(&key);
        assert!(Arc::ptr_eq(&by_name.unwrap(), &by_key.unwrap()));
        assert!(maps.namespace("default").get("db").is_none());
    };
    lookup();
    let allocated = measure(|| (0..READS).for_each(|_| lookup()));
    assert_eq!(allocated.count_total, 0, "{allocated:?}");
}
