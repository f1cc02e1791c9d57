use super::*;
use crate::object::{Footprint, ResourceVersion};
use crate::storage::Entry;

/// Work count: an update copies only the maps that it changes.
#[test]
fn unchanged_values_touch_no_map() {
    let entry = |object: &'static str| Entry {
        key: ObjectKey::namespaced("a", "b"),
        uid: None,
        resource_version: ResourceVersion::UNSET,
        footprint: Footprint::default(),
        object: Arc::new(object),
    };
    let decoded = &mut Decoded::default();
    let mut index = TypedIndex::new("len".into(), None, |entry, _| {
        Ok(vec![entry.typed::<&str>().len(), 7, 7])
    });
    index.insert(&entry("old"), decoded);
    let (postings, by_object) = (index.postings.clone(), index.by_object.clone());

    index.insert(&entry("new"), decoded);
    assert!(index.postings.ptr_eq(&postings) && index.by_object.ptr_eq(&by_object));

    index.insert(&entry("other"), decoded);
    assert!(!index.postings.ptr_eq(&postings) && !index.by_object.ptr_eq(&by_object));
}

/// Work count: objects with equal values share one allocation of the value.
#[test]
fn equal_values_share_one_allocation() {
    let same = |_: &Entry, _: &mut Decoded| Ok(vec!["same".to_owned()]);
    let mut index = TypedIndex::new("all".into(), None, same);
    for name in ["x", "y"] {
        let entry = Entry {
            key: ObjectKey::cluster(name),
            uid: None,
            resource_version: ResourceVersion::UNSET,
            footprint: Footprint::default(),
            object: Arc::new(()),
        };
        index.insert(&entry, &mut Decoded::default());
    }
    let values: Vec<_> = index
        .postings
        .iter()
        .map(|posting| &posting.value)
        .collect();
    assert_eq!(values.len(), 2);
    assert!(Arc::ptr_eq(values[0], values[1]));
}
