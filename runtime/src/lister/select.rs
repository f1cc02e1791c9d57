//! Lists by label selector: through a label index where one exists, and otherwise by scanning.

use crate::indexer::Snapshot;
use crate::object::{Object, Requirement, Selector};
use crate::storage::{Entry, Storage};

/// Calls `visit` with each entry that `selector` matches, ordered by key. `namespace` restricts the
/// entries to one namespace.
///
/// If several requirements have a label index, uses the one with the fewest objects. The labels of
/// an object are then compared with the other requirements only: reading labels is what makes a
/// scan expensive.
pub(super) fn select<K: Object, S: Storage<K>>(
    snapshot: &Snapshot<S::Object>,
    namespace: Option<&str>,
    selector: &Selector,
    visit: impl FnMut(&Entry),
) {
    let Some(requirements) = selector.requirements() else {
        return;
    };
    let indexed = snapshot.narrowest(requirements, namespace);
    let mut remaining: Vec<&Requirement> = requirements.iter().collect();
    if let Some((position, _)) = indexed {
        remaining.swap_remove(position);
    }
    let is_selected = |entry: &&Entry| {
        let mut remaining = remaining.iter();
        remaining.all(|requirement| requirement.accepts(S::label(entry.typed(), requirement.key())))
    };
    match (indexed, namespace) {
        (Some((_, entries)), _) => entries.filter(is_selected).for_each(visit),
        (None, Some(namespace)) => snapshot
            .entries_in(namespace)
            .filter(is_selected)
            .for_each(visit),
        (None, None) => snapshot.entries().filter(is_selected).for_each(visit),
    }
}
