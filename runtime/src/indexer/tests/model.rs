//! The store equals a plain map after any sequence of writes.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use proptest::prelude::*;

use crate::indexer::{Index, Indexer, Snapshot};
use crate::object::{Footprint, ObjectKey, ResourceVersion, Scope};
use crate::storage::Entry;

/// Value that makes the index function fail.
const FAILS: u8 = 5;

type Thing = Vec<u8>;

/// Expected content of the store.
#[derive(Debug, Clone, Default, PartialEq)]
struct Model {
    objects: BTreeMap<ObjectKey, Vec<u8>>,
    version: ResourceVersion,
    is_indexed: bool,
}

#[derive(Debug, Clone)]
enum Write {
    Insert(ObjectKey, Vec<u8>),
    Remove(ObjectKey),
}

#[derive(Debug, Clone)]
enum Step {
    Transaction(Vec<Write>),
    Replace(Vec<(ObjectKey, Vec<u8>)>),
    AddIndex,
}

/// Enough keys for a tree of several levels, few enough for writes to meet.
fn all_keys() -> impl Iterator<Item = ObjectKey> {
    let of = |namespace| {
        (0..40).map(move |number| ObjectKey::namespaced(namespace, &format!("o{number}")))
    };
    ["a", "a-b", "ab", "b"].into_iter().flat_map(of)
}

fn keys() -> impl Strategy<Value = ObjectKey> {
    prop::sample::select(all_keys().collect::<Vec<_>>())
}

fn values() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(0..=FAILS, 0..3)
}

fn steps() -> impl Strategy<Value = Step> {
    let write = prop_oneof![
        2 => (keys(), values()).prop_map(|(key, values)| Write::Insert(key, values)),
        1 => keys().prop_map(Write::Remove),
    ];
    prop_oneof![
        6 => prop::collection::vec(write, 0..30).prop_map(Step::Transaction),
        1 => prop::collection::vec((keys(), values()), 0..80).prop_map(Step::Replace),
        1 => Just(Step::AddIndex),
    ]
}

fn entry(key: ObjectKey, values: Vec<u8>) -> Entry {
    Entry {
        key,
        uid: None,
        resource_version: ResourceVersion::UNSET,
        footprint: Footprint::default(),
        object: Arc::new(values),
    }
}

fn add_index(indexer: &Indexer<Thing>) -> Option<Index<Thing, u8>> {
    let added = indexer.add_index("values", |thing: &Thing| {
        if thing.contains(&FAILS) {
            return Err("too large".into());
        }
        Ok(thing.clone())
    });
    added.ok()
}

fn apply(indexer: &Indexer<Thing>, model: &mut Model, step: Step, version: &ResourceVersion) {
    match step {
        Step::Transaction(writes) => indexer.transaction(|transaction| {
            for write in writes {
                let (old, expected) = match write {
                    Write::Insert(key, values) => {
                        let old = transaction.insert(entry(key.clone(), values.clone()));
                        (old, model.objects.insert(key, values))
                    }
                    Write::Remove(key) => (transaction.remove(&key), model.objects.remove(&key)),
                };
                assert_eq!(old.map(|old| old.typed::<Thing>().clone()), expected);
                assert_eq!(transaction.len(), model.objects.len());
            }
            transaction.set_resource_version(version.clone());
            model.version = version.clone();
        }),
        Step::Replace(world) => {
            let entries = world.iter().cloned().map(|(key, v)| entry(key, v));
            indexer.replace(entries.collect(), version.clone());
            model.objects = world.into_iter().collect();
            model.version = version.clone();
        }
        Step::AddIndex => {
            let added = add_index(indexer).is_some();
            assert_eq!(added, !model.is_indexed);
            model.is_indexed = true;
        }
    }
}

fn check(snapshot: &Snapshot<Thing>, model: &Model) {
    assert_eq!(snapshot.resource_version(), &model.version);
    assert_eq!(snapshot.len(), model.objects.len());
    let stored = snapshot.entries().map(|e| (&e.key, e.typed::<Thing>()));
    assert!(stored.eq(&model.objects));
    for (key, values) in &model.objects {
        assert_eq!(&*snapshot.get(key).unwrap(), values);
        assert_eq!(&*snapshot.find(key).unwrap(), values);
    }

    let namespaces: BTreeSet<_> = model.objects.keys().filter_map(|k| k.namespace()).collect();
    assert!(snapshot.namespaces().eq(namespaces));
    for namespace in ["a", "a-b", "ab", "b", "c"] {
        let expected = model
            .objects
            .keys()
            .filter(|key| key.namespace() == Some(namespace));
        assert!(
            snapshot
                .entries_in(namespace)
                .map(|e| &e.key)
                .eq(expected.clone())
        );
        let backwards = snapshot.entries_in(namespace).rev().map(|e| &e.key);
        assert!(backwards.eq(expected.rev()));
    }
    check_index(snapshot, model);
}

fn check_index(snapshot: &Snapshot<Thing>, model: &Model) {
    let Some(view) = snapshot.index::<u8>("values") else {
        assert!(!model.is_indexed);
        return;
    };
    let (failing, indexed): (Vec<_>, Vec<_>) = model
        .objects
        .iter()
        .partition(|(_, values)| values.contains(&FAILS));
    let failing: Vec<_> = failing.into_iter().map(|(key, _)| key).collect();
    assert_eq!(view.failures().keys().collect::<Vec<_>>(), failing);
    let latest: BTreeSet<_> = view.failures().latest().iter().map(|e| &e.key).collect();
    assert!(latest.iter().all(|key| failing.contains(key)));

    let distinct: BTreeSet<u8> = indexed
        .iter()
        .flat_map(|(_, v)| v.iter().copied())
        .collect();
    assert!(view.values().copied().eq(distinct));
    for value in 0..=FAILS {
        let having = indexed.iter().filter(|(_, values)| values.contains(&value));
        let expected: Vec<_> = having.clone().map(|(key, _)| *key).collect();
        assert_eq!(view.keys(&value).collect::<Vec<_>>(), expected);
        assert_eq!(view.iter(&value).count(), expected.len());
        let mut visited = Vec::new();
        let contents = having.map(|(_, values)| *values);
        view.for_each(&value, |values| visited.push(values.clone()));
        assert!(visited.iter().eq(contents.clone()));
        assert!(view.get(&value).iter().map(|object| &**object).eq(contents));
        let by_name = snapshot.index_keys("values", &value.to_string()).unwrap();
        assert_eq!(by_name.iter().collect::<Vec<_>>(), expected);
    }
}

/// Checks that the changes between two moments, in either direction, are those of the plain maps.
/// An object that was written again counts as changed, even if its values are the same.
fn check_changes(
    (older, older_model): (&Snapshot<Thing>, &Model),
    (newer, newer_model): (&Snapshot<Thing>, &Model),
) {
    let keys = older_model.objects.keys().chain(newer_model.objects.keys());
    let keys: BTreeSet<_> = keys.collect();
    let pair = |key: &ObjectKey| (older.entry(key), newer.entry(key));
    let expected: Vec<_> = keys
        .into_iter()
        .map(|key| (key, pair(key)))
        .filter(|(_, (old, new))| old != new)
        .collect();
    let changes = newer.changes_since(older);
    let found: Vec<_> = changes
        .map(|change| (change.key(), change.entries()))
        .collect();
    assert_eq!(found, expected);
}

proptest! {
    /// I-02, I-03, I-05, I-06, I-08, I-09, I-16: after any writes, the store, its indices and its
    /// failures equal the plain map, and earlier snapshots are unchanged.
    #[test]
    fn i09_the_store_is_a_plain_map_at_every_moment(
        steps in prop::collection::vec(steps(), 1..25),
    ) {
        let indexer = Indexer::new(Scope::Namespaced);
        let mut model = Model::default();
        let mut moments = Vec::new();
        for (number, step) in steps.into_iter().enumerate() {
            let version = ResourceVersion::new(&(number + 1).to_string());
            apply(&indexer, &mut model, step, &version);
            moments.push((indexer.snapshot(), model.clone()));
            check(&indexer.snapshot(), &model);
            for key in all_keys() {
                let got = indexer.get(&key);
                assert_eq!(got.as_deref(), model.objects.get(&key));
            }
        }
        for (snapshot, model) in &moments {
            check(snapshot, model);
            for (older, older_model) in &moments {
                check_changes((older, older_model), (snapshot, model));
            }
        }
    }
}
