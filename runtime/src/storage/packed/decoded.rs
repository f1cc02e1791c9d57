//! Decoded values, shared while a reader holds them.
//!
//! A `Weak` keeps the allocation of its value alive, which is some kilobytes for a decoded object
//! even after the object itself is dropped. So every cell that points to a value is on a list. Each
//! decoding and each arrival examines a few cells of the list and clears those whose value is dead.
//! After one pass the list has at most about twice as many cells as there are live values.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Cells that may point to a value, each once, in the order in which they are examined.
#[derive(Default)]
pub(super) struct RecentlyDecoded(Mutex<VecDeque<Weak<dyn Clear>>>);

/// Weak reference from an object to its decoded value.
///
/// The cell's owner is on the list exactly if the reference points to a value, alive or dead.
pub(super) struct Cell<K>(Weak<K>);

/// An object with a [`Cell`].
pub(in crate::storage) trait Clear: Send + Sync {
    /// Clears the cell if its value is dead, and returns `true` in that case.
    fn clear(&self) -> bool;
}

/// Number of cells to examine each time. It exceeds the number of cells added, so the list shrinks.
const SWEEP: usize = 2;

// === impl RecentlyDecoded ===

impl RecentlyDecoded {
    /// Adds an object to the list.
    pub(super) fn add(&self, object: Weak<dyn Clear>) {
        self.0.lock().push_back(object);
        self.sweep();
    }

    /// Examines the next cells of the list.
    pub(super) fn sweep(&self) {
        for _ in 0..SWEEP {
            let Some(next) = self.0.lock().pop_front() else {
                return;
            };
            // Drops objects that no longer exist from the list.
            let is_in_use = next.upgrade().is_some_and(|object| !object.clear());
            if is_in_use {
                self.0.lock().push_back(next);
            }
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.0.lock().len()
    }
}

// === impl Cell ===

impl<K> Cell<K> {
    pub(super) fn new() -> Self {
        Self(Weak::new())
    }

    pub(super) fn get(&self) -> Option<Arc<K>> {
        self.0.upgrade()
    }

    /// Points the cell to a value. Returns `true` if the object has to be put on the list.
    #[must_use]
    pub(super) fn set(&mut self, value: &Arc<K>) -> bool {
        let old = std::mem::replace(&mut self.0, Arc::downgrade(value));
        old.ptr_eq(&Weak::new())
    }

    /// Clears the cell if its value is dead. Returns the reference, to be freed outside the lock.
    pub(super) fn clear(&mut self) -> Option<Weak<K>> {
        let is_dead = self.0.strong_count() == 0;
        is_dead.then(|| std::mem::take(&mut self.0))
    }
}
