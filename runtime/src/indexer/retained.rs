//! [`Retained`]: objects that were deleted a short time ago.

use std::sync::Arc;
use std::time::Duration;

use imbl::{OrdMap, Vector};
use tokio::time::Instant;

use crate::object::{KeyLookup, ObjectKey};
use crate::storage::Entry;

/// Last versions of deleted objects, each for one period after its deletion. Cloning costs O(1).
#[derive(Clone)]
pub(super) struct Retained {
    period: Duration,
    deleted: OrdMap<ObjectKey, (Instant, Arc<Entry>)>,
    held: Held,
    /// Deletions in their order. A key that came back, or was deleted again, leaves its place.
    order: Vector<(Instant, ObjectKey)>,
}

/// Number of objects, and their size as the API server sent them, in bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) objects: usize,
    pub(crate) bytes: usize,
}

// === impl Retained ===

impl Retained {
    pub(super) fn new(period: Duration) -> Self {
        Self {
            period,
            deleted: OrdMap::new(),
            held: Held::default(),
            order: Vector::new(),
        }
    }

    pub(super) fn get<Q: KeyLookup + ?Sized>(&self, key: &Q) -> Option<&Arc<Entry>> {
        self.deleted.get(key).map(|(_, entry)| entry)
    }

    pub(super) fn held(&self) -> Held {
        self.held
    }

    pub(super) fn insert(&mut self, entry: Arc<Entry>, now: Instant) {
        self.remove(&entry.key);
        self.held.objects += 1;
        self.held.bytes += entry.footprint.bytes();
        self.order.push_back((now, entry.key.clone()));
        self.deleted.insert(entry.key.clone(), (now, entry));
    }

    pub(super) fn remove(&mut self, key: &ObjectKey) {
        if let Some((_, entry)) = self.deleted.remove(key) {
            self.held.objects -= 1;
            self.held.bytes -= entry.footprint.bytes();
        }
    }

    /// Returns the time at which the next object expires.
    pub(super) fn expires(&self) -> Option<Instant> {
        let (deleted, _) = self.order.front()?;
        deleted.checked_add(self.period)
    }

    /// Drops the objects that have expired. Returns `true` if there were any.
    pub(super) fn expire(&mut self, now: Instant) -> bool {
        let mut has_expired = false;
        while self.expires().is_some_and(|at| at <= now)
            && let Some((at, key)) = self.order.pop_front()
        {
            if self
                .deleted
                .get(&key)
                .is_some_and(|(deleted, _)| *deleted == at)
            {
                self.remove(&key);
            }
            has_expired = true;
        }
        has_expired
    }
}
