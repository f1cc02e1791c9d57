//! [`Indexed`]: an entry on its way into the store, with the values of the store's indices.

use std::borrow::Borrow;
use std::ops::Deref;
use std::sync::Arc;

use derive_where::derive_where;
use smallvec::SmallVec;

use super::index::Decoded;
use super::state::State;
use crate::storage::{Entry, IndexValues};

/// Entry with the values of the indices that the store had when they were computed.
///
/// Index functions are user code, and may be slow. They run where an object is decoded, or before
/// the writer takes its lock; the writer only files their results. A clone has no values: these
/// are computed again.
#[derive_where(Debug; E)]
pub struct Indexed<E = Arc<Entry>> {
    entry: E,
    /// Values of the first indices, in the order in which these were added. Indices are never removed.
    #[derive_where(skip)]
    values: Option<Box<EntryValues>>,
}

/// Values of an entry. Behind a pointer, because a list has an entry for each object, and many stores
/// have no index.
pub(super) type EntryValues = SmallVec<[IndexValues; 2]>;

// === impl Indexed ===

impl<E: Borrow<Entry>> Indexed<E> {
    /// Computes the values that are missing for the indices of `state`.
    pub(crate) fn compute(&mut self, state: &State) {
        let computed = self.values.as_ref().map_or(0, |values| values.len());
        let added = state.indices.get(computed..).unwrap_or_default();
        if added.is_empty() {
            return;
        }
        let mut decoded = Decoded::default();
        let values = self.values.get_or_insert_default();
        for index in added {
            values.push(index.compute(self.entry.borrow(), &mut decoded));
        }
    }

    pub(super) fn into_parts(self) -> (E, EntryValues) {
        (
            self.entry,
            self.values.map(|values| *values).unwrap_or_default(),
        )
    }
}

impl<E> Indexed<E> {
    /// Returns the entry of an object that is not stored.
    pub(crate) fn entry(self) -> E {
        self.entry
    }

    /// Converts the entry. The values are still those of its object.
    pub(crate) fn map<F>(self, convert: impl FnOnce(E) -> F) -> Indexed<F> {
        Indexed {
            entry: convert(self.entry),
            values: self.values,
        }
    }
}

impl<E> From<E> for Indexed<E> {
    fn from(entry: E) -> Self {
        Self {
            entry,
            values: None,
        }
    }
}

impl From<Entry> for Indexed {
    fn from(entry: Entry) -> Self {
        Arc::new(entry).into()
    }
}

impl<E: Clone> Clone for Indexed<E> {
    fn clone(&self) -> Self {
        self.entry.clone().into()
    }
}

impl<E> Deref for Indexed<E> {
    type Target = E;

    fn deref(&self) -> &E {
        &self.entry
    }
}
