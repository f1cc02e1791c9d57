use super::*;
use crate::indexer::Indexer;
use crate::indexer::state::State;
use crate::object::{Footprint, ResourceVersion, Scope};
use crate::storage::Entry;

fn entry<T: Send + Sync + 'static>(name: &str, object: T) -> Entry {
    Entry {
        key: ObjectKey::cluster(name),
        uid: None,
        resource_version: ResourceVersion::UNSET,
        footprint: Footprint::default(),
        object: Arc::new(object),
    }
}

fn insert(index: &mut dyn AnyIndex, slot: Slot, entry: &Entry) {
    let values = index.compute(entry, &mut Decoded::default());
    index.file(slot, entry, values);
}

/// Work count: an update copies only the maps that it changes.
#[test]
fn unchanged_values_touch_no_map() {
    let entry = |object: &'static str| entry("b", object);
    let mut index = TypedIndex::new("len".into(), None, |entry, _| {
        Ok(vec![entry.typed::<&str>().len(), 7, 7])
    });
    insert(&mut index, Slot(0), &entry("old"));
    let (postings, by_slot) = (index.postings.clone(), index.by_slot.clone());

    insert(&mut index, Slot(0), &entry("new"));
    assert!(index.postings.ptr_eq(&postings) && index.by_slot.ptr_eq(&by_slot));

    insert(&mut index, Slot(0), &entry("other"));
    assert!(!index.postings.ptr_eq(&postings) && !index.by_slot.ptr_eq(&by_slot));
}

/// Work count: objects with equal values share one allocation of the value.
#[test]
fn equal_values_share_one_allocation() {
    let same = |_: &Entry, _: &mut Decoded| Ok(vec!["same".to_owned()]);
    let mut index = TypedIndex::new("all".into(), None, same);
    for (slot, name) in [(Slot(0), "x"), (Slot(1), "y")] {
        insert(&mut index, slot, &entry(name, ()));
    }
    let values: Vec<_> = index
        .postings
        .iter()
        .map(|posting| &posting.value)
        .collect();
    assert_eq!(values.len(), 2);
    assert!(Arc::ptr_eq(values[0], values[1]));
}

/// I-05: an index catches up with objects that moved to the slots of removed ones meanwhile.
#[test]
fn i05_an_index_follows_objects_from_slot_to_slot() {
    let indexer = Indexer::<()>::new(Scope::Cluster);
    let slots = |state: &State| {
        ["a", "b"].map(|name| state.objects.keys.get(&ObjectKey::cluster(name)).copied())
    };
    indexer.add(entry("a", ()));
    indexer.add(entry("b", ()));
    let before = indexer.state();
    for name in ["b", "a"] {
        indexer.delete(&ObjectKey::cluster(name));
    }
    indexer.add(entry("b", ()));
    let after = indexer.state();
    assert_eq!(slots(&before), [Some(Slot(0)), Some(Slot(1))]);
    assert_eq!(slots(&after), [None, Some(Slot(0))]);

    let all = |_: &Entry, _: &mut Decoded| Ok(vec![true]);
    let mut index = TypedIndex::new("all".into(), None, all);
    before.catch_up(&mut index, &State::new(Scope::Cluster));
    after.catch_up(&mut index, &before);
    let found: Vec<_> = index
        .of(&true)
        .map(|posted| (posted.key.name(), posted.slot))
        .collect();
    assert_eq!(found, [("b", Slot(0))]);
}
