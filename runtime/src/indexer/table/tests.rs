use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// Slots of one leaf, of several leaves, and of trees of several heights, up to the largest one.
fn slots() -> impl Strategy<Value = u32> {
    prop_oneof![
        4 => 0..40_u32,
        2 => 500..530_u32,
        1 => 4_090..4_100_u32,
        1 => Just(u32::MAX),
    ]
}

fn writes() -> impl Strategy<Value = Vec<(u32, Option<u8>)>> {
    prop::collection::vec((slots(), prop::option::of(0..3_u8)), 0..40)
}

/// Makes the writes in a table and in a plain map.
fn write(table: &mut Table<u8>, model: &mut BTreeMap<u32, u8>, writes: &[(u32, Option<u8>)]) {
    for &(slot, value) in writes {
        let before = match value {
            Some(value) => model.insert(slot, value),
            None => model.remove(&slot),
        };
        assert_eq!(table.replace(Slot(slot), value), before);
        assert_eq!(table.get(Slot(slot)), value.as_ref());
    }
}

proptest! {
    /// I-09: an old table keeps its values, and the differences from it are exactly the changed
    /// slots.
    #[test]
    fn i09_a_table_equals_a_map_and_its_copies_stay(first in writes(), second in writes()) {
        let (mut table, mut model) = (Table::default(), BTreeMap::new());
        write(&mut table, &mut model, &first);
        let (old, old_model) = (table.clone(), model.clone());
        write(&mut table, &mut model, &second);

        for (table, model) in [(&old, &old_model), (&table, &model)] {
            for (slot, _) in first.iter().chain(&second) {
                prop_assert_eq!(table.get(Slot(*slot)), model.get(slot));
            }
        }
        let mut changed: Vec<u32> = old_model.keys().chain(model.keys()).copied().collect();
        changed.sort_unstable();
        changed.dedup();
        changed.retain(|slot| old_model.get(slot) != model.get(slot));
        let expected: Vec<_> = changed
            .iter()
            .map(|slot| Difference {
                slot: Slot(*slot),
                old: old_model.get(slot),
                new: model.get(slot),
            })
            .collect();
        prop_assert_eq!(table.differences(&old), expected);
    }
}

/// Work count: a write copies the leaf and the branches of its slot, and shares the others.
#[test]
fn a_write_shares_all_other_nodes() {
    fn collect<'a, T>(node: &'a Node<T>, found: &mut Vec<&'a Node<T>>) {
        found.push(node);
        if let Node::Branch(children) = node {
            children.iter().for_each(|child| collect(child, found));
        }
    }
    let mut table = Table::default();
    for slot in 0..1_000 {
        table.replace(Slot(slot), Some(slot));
    }
    let old = table.clone();
    table.replace(Slot(500), None);
    let (mut before, mut after) = (Vec::new(), Vec::new());
    collect(&old.root, &mut before);
    collect(&table.root, &mut after);
    let copied = after
        .iter()
        .filter(|node| !before.iter().any(|old| old.is(node)))
        .count();
    assert_eq!((table.height, copied), (2, 3));
}
