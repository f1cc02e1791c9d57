//! [`IndexFailures`]: the objects for which an index function failed.

use std::fmt;
use std::sync::Arc;

use imbl::OrdSet;

use super::IndexError;
use crate::object::ObjectKey;

/// Maximum number of errors that an index keeps. Of older failures it keeps the key only.
const MAX_ERRORS: usize = 32;

/// Stored objects for which an index has no values, because its function failed.
///
/// An object is removed when it is deleted, or when the function succeeds for a later version, or for
/// a body that was evicted and that a list brings. Cloning costs O(1).
#[derive(Clone, Default)]
pub struct IndexFailures {
    keys: OrdSet<ObjectKey>,
    /// Those of `keys` whose object had no body that the function could read.
    pub(super) evicted: OrdSet<ObjectKey>,
    /// Oldest first, at most one per key, each key also in `keys`.
    latest: Arc<Vec<Arc<IndexError>>>,
    total: u64,
    pub(super) total_evicted: u64,
}

// === impl IndexFailures ===

impl IndexFailures {
    /// Returns the number of stored objects for which the index has no values.
    #[must_use]
    pub fn len(&self) -> usize {
        self.keys.len()
    }

    /// Returns `true` if the function succeeded for every stored object.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns `true` if the function failed for this object.
    #[must_use]
    pub fn contains(&self, key: &ObjectKey) -> bool {
        self.keys.contains(key)
    }

    /// Returns the keys of the objects, in order.
    #[must_use]
    pub fn keys(&self) -> impl ExactSizeIterator<Item = &ObjectKey> {
        self.keys.iter()
    }

    /// Returns the keys of the objects whose body was evicted before the function could read it, in
    /// order. The informer lists once more for these; see
    /// [`Index::wait_complete`](super::Index::wait_complete).
    #[must_use]
    pub fn evicted(&self) -> impl ExactSizeIterator<Item = &ObjectKey> {
        self.evicted.iter()
    }

    /// Returns the latest errors, oldest first: at most 32, and one per object.
    #[must_use]
    pub fn latest(&self) -> &[Arc<IndexError>] {
        &self.latest
    }

    /// Returns the number of failures since the index was added.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    pub(super) fn record(&mut self, error: IndexError) {
        self.total += 1;
        self.evicted.remove(&error.key);
        if error.cause.is_eviction() {
            self.total_evicted += 1;
            self.evicted.insert(error.key.clone());
        }
        let known = self.keys.insert(error.key.clone()).is_some();
        let latest = Arc::make_mut(&mut self.latest);
        if known {
            latest.retain(|other| other.key != error.key);
        }
        if latest.len() >= MAX_ERRORS {
            latest.remove(0);
        }
        latest.push(Arc::new(error));
    }

    pub(super) fn clear(&mut self, key: &ObjectKey) {
        if self.keys.contains(key) {
            self.keys.remove(key);
            self.evicted.remove(key);
            Arc::make_mut(&mut self.latest).retain(|error| error.key != *key);
        }
    }
}

impl fmt::Debug for IndexFailures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IndexFailures")
            .field("len", &self.len())
            .field("total", &self.total)
            .field("latest", &self.latest)
            .finish_non_exhaustive()
    }
}
