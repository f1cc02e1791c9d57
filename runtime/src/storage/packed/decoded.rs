//! Decoded values are shared as long as somebody holds them, and no longer.
//!
//! A `Weak` keeps the allocation that it points to, and a decoded object's is some kilobytes even
//! when it is empty. So every cell that points to a value is on a list, which is looked through a
//! little at each decoding and each arrival, and cells whose value is gone are cleared. It has at
//! most about twice as many cells as there are values in use, once that many were looked at.

use std::collections::VecDeque;
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

/// Cells that may point to a value, in the order in which they are looked at; each once.
#[derive(Default)]
pub(super) struct Decoded(Mutex<VecDeque<Weak<dyn Clear>>>);

/// Where an object points to its decoded value.
pub(super) struct Cell<K> {
    value: Weak<K>,
    /// Whether the cell's owner is on the list.
    is_listed: bool,
}

/// An object with a [`Cell`].
pub(super) trait Clear: Send + Sync {
    /// Clears the cell if its value is gone, and says so.
    fn clear(&self) -> bool;
}

/// How many cells are looked at each time: more than are added, so that the list shrinks.
const SWEEP: usize = 2;

// === impl Decoded ===

impl Decoded {
    /// Puts an object on the list.
    pub(super) fn add(&self, object: Weak<dyn Clear>) {
        self.0.lock().push_back(object);
        self.sweep();
    }

    /// Looks at some of the list.
    pub(super) fn sweep(&self) {
        for _ in 0..SWEEP {
            let Some(next) = self.0.lock().pop_front() else {
                return;
            };
            // Objects that are gone leave the list with this.
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
        Self {
            value: Weak::new(),
            is_listed: false,
        }
    }

    pub(super) fn get(&self) -> Option<Arc<K>> {
        self.value.upgrade()
    }

    /// Points to a value. Says whether the object is to be put on the list.
    #[must_use]
    pub(super) fn set(&mut self, value: &Arc<K>) -> bool {
        self.value = Arc::downgrade(value);
        !std::mem::replace(&mut self.is_listed, true)
    }

    /// Clears it if the value is gone; gives what is to be freed then, without the lock.
    pub(super) fn clear(&mut self) -> Option<Weak<K>> {
        if self.value.strong_count() > 0 {
            return None;
        }
        self.is_listed = false;
        Some(std::mem::take(&mut self.value))
    }
}
