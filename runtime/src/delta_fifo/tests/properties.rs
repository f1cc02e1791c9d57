//! Invariants of the per-key queue, under arbitrary deltas.

use std::sync::Arc;

use proptest::prelude::*;

use super::support::{Known, delta};
use crate::delta_fifo::{Delta, Order};

pub(crate) fn word() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec!["a", "b", "c", "d"]);
    let sign = prop::sample::select(vec!["+", "~", "-", "!"]);
    let list = prop::collection::btree_set(prop::sample::select(vec!["a", "b", "c", "d"]), 0..4);
    prop_oneof![
        6 => (sign, name, 1..100).prop_map(|(sign, name, version)| format!("{sign}{name}@{version}")),
        1 => (list, 1..100).prop_map(|(names, version)| {
            let items: Vec<String> = names.iter().map(|name| format!(",{name}@{version}")).collect();
            let items = items.concat();
            format!("[{version}{items}]")
        }),
        1 => Just("sync".to_owned()),
        1 => Just("b@7".to_owned()),
        3 => (1..4).prop_map(|max| format!("pop:{max}")),
    ]
}

proptest! {
    /// no two consecutive deletions, a correct count, and an empty queue at the
    /// end.
    #[test]
    fn q02_the_queue_of_keys_keeps_its_invariants(
        words in prop::collection::vec(word(), 0..60),
        stored in prop::collection::btree_set(prop::sample::select(vec!["a@1", "b@1", "c@1"]), 0..3),
    ) {
        let known = Known::new(&stored.into_iter().collect::<Vec<_>>().join(" "));
        let mut queue = Order::PerKey.queue(Arc::new(known));
        let mut ends = 0;
        for word in words.iter().map(String::as_str).chain(["pop:100"; 80]) {
            match word.strip_prefix("pop:") {
                None => drop(queue.push(delta(word))),
                Some(max) => {
                    let before = queue.len();
                    let Some(batch) = queue.pop(max.parse().unwrap()) else {
                        prop_assert_eq!(before, 0);
                        continue;
                    };
                    prop_assert!(!batch.deltas.is_empty());
                    prop_assert_eq!(before - queue.len(), batch.deltas.len());
                    let is_end = |delta: &&Delta| matches!(delta, Delta::Bookmark { ends_list: true, .. });
                    ends += batch.deltas.iter().filter(is_end).count();
                    for pair in batch.deltas.windows(2) {
                        let both = matches!(pair, [Delta::Deleted(a), Delta::Deleted(b)] if a.key == b.key);
                        prop_assert!(!both, "{:?}", pair);
                    }
                }
            }
        }
        prop_assert_eq!(queue.len(), 0);
        prop_assert_eq!(ends, words.iter().filter(|word| word.starts_with('[')).count());
    }
}
