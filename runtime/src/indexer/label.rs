//! Label indices: indices over the value of one label, which lists by selector use.

use super::index::{AnyIndex, Posted, TypedIndex};
use super::state::State;
use super::{AddIndexError, Index, IndexName, Indexer, Snapshot};
use crate::object::{Operator, Requirement};
use crate::storage::Entry;

// === impl IndexName ===

impl IndexName {
    /// Returns the name of the index over this label: its path, as for other indices over paths.
    pub(crate) fn of_label(label: &str) -> Self {
        format!("metadata.labels['{label}']").into()
    }
}

// === impl Indexer ===

impl<T: Send + Sync + 'static> Indexer<T> {
    /// Returns the index over this label, after adding it if it is missing. `value` returns the
    /// value of a label by the label's key.
    pub(crate) fn add_label_index(
        &self,
        label: &str,
        value: fn(&T, &str) -> Option<String>,
    ) -> Result<Index<T, String>, AddIndexError> {
        let name = IndexName::of_label(label);
        loop {
            if let Some(index) = self.index_of_definition(name.as_str(), name.as_str())? {
                return Ok(index);
            }
            let label = label.to_owned();
            let values = move |entry: &Entry, _: &mut _| {
                Ok(value(entry.typed(), &label).into_iter().collect())
            };
            // If another thread adds the index first, the next iteration finds it.
            let definition = Some(name.as_str().into());
            if let Ok(index) = self.add_defined_index(name.clone(), definition, values) {
                return Ok(index);
            }
        }
    }
}

// === impl Snapshot ===

impl<T: Send + Sync + 'static> Snapshot<T> {
    /// Returns the entries whose labels satisfy the requirement with the fewest objects in a label
    /// index, ordered by key, and the position of that requirement; `None` if no requirement has a
    /// label index. A namespace restricts the entries to it.
    pub(crate) fn narrowest(
        &self,
        requirements: &[Requirement],
        namespace: Option<&str>,
    ) -> Option<(usize, impl Iterator<Item = &Entry>)> {
        let indexed = requirements.iter().enumerate();
        let (position, found) = indexed
            .filter_map(|(position, requirement)| {
                Some((position, self.posted_with_label(requirement, namespace)?))
            })
            .min_by_key(|(_, found)| found.len())?;
        Some((position, self.posted(found.into_iter())))
    }

    /// Returns the objects whose labels satisfy `requirement`, ordered by key, and in one namespace
    /// if one is given. Returns `None` if no label index has the answer.
    fn posted_with_label(
        &self,
        requirement: &Requirement,
        namespace: Option<&str>,
    ) -> Option<Vec<Posted<'_>>> {
        if !matches!(requirement.operator(), Operator::Equals | Operator::In) {
            return None;
        }
        let index = label_index(self, requirement.key())?;
        let values = requirement.values();
        let found = values
            .iter()
            .flat_map(|value| index.of_in(value.as_str(), namespace));
        let mut found: Vec<_> = found.collect();
        if values.len() > 1 {
            found.sort_unstable_by_key(|posted| posted.key);
        }
        Some(found)
    }
}

/// Returns the index over this label, unless it lacks an object because its function panicked.
///
/// An index over a path has the path as its definition. So an index that a user gave the same name
/// is not found.
fn label_index<'s>(state: &'s State, label: &str) -> Option<&'s TypedIndex<String>> {
    let name = IndexName::of_label(label);
    let (_, index) = state.typed_index::<String>(name.as_str())?;
    let is_of_path = index
        .definition()
        .is_some_and(|path| **path == *name.as_str());
    (is_of_path && index.failures().is_empty()).then_some(index)
}
