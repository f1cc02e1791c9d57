//! [`Retained`]: objects that were deleted a short time ago.

use std::sync::Arc;
use std::time::Duration;

use imbl::{OrdMap, Vector};
use tokio::time::Instant;

use crate::object::ObjectKey;
use crate::storage::Entry;

/// Last versions of deleted objects, each for one period after its deletion. Cloning costs O(1).
#[derive(Clone)]
pub(super) struct Retained {
    period: Duration,
    deleted: OrdMap<RetainedAt, Arc<Entry>>,
    held: Held,
    /// Deletions in their order. An object that came back leaves its place.
    order: Vector<(Instant, RetainedAt)>,
    /// Number of deletions.
    count: u64,
}

/// Key of a deleted object, and the number of its deletion: objects of one key can be deleted within
/// one period.
type RetainedAt = (ObjectKey, u64);

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
            count: 0,
        }
    }

    /// Returns the object that was deleted last of those with this key.
    pub(super) fn get(&self, key: &ObjectKey) -> Option<&Arc<Entry>> {
        let (_, entry) = self.of_key(key).next_back()?;
        Some(entry)
    }

    /// Returns all objects, ordered by key.
    pub(super) fn iter(&self) -> impl Iterator<Item = &Arc<Entry>> {
        self.deleted.values()
    }

    pub(super) fn held(&self) -> Held {
        self.held
    }

    pub(super) fn insert(&mut self, entry: Arc<Entry>, now: Instant) {
        self.remove(&entry);
        self.held.objects += 1;
        self.held.bytes += entry.footprint.bytes();
        self.count += 1;
        let place = (entry.key.clone(), self.count);
        self.order.push_back((now, place.clone()));
        self.deleted.insert(place, entry);
    }

    /// Removes an object that exists again. A new object under the key of a deleted one is another.
    pub(super) fn remove(&mut self, entry: &Entry) {
        let is_same = |(_, other): &(&RetainedAt, &Arc<Entry>)| !entry.is_recreation_of(other);
        let found = self.of_key(&entry.key).rfind(is_same);
        if let Some(place) = found.map(|(place, _)| place.clone()) {
            self.remove_at(&place);
        }
    }

    fn of_key(
        &self,
        key: &ObjectKey,
    ) -> impl DoubleEndedIterator<Item = (&RetainedAt, &Arc<Entry>)> {
        self.deleted
            .range((key.clone(), 0)..=(key.clone(), u64::MAX))
    }

    fn remove_at(&mut self, place: &RetainedAt) {
        if let Some(entry) = self.deleted.remove(place) {
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
            && let Some((_, place)) = self.order.pop_front()
        {
            self.remove_at(&place);
            has_expired = true;
        }
        has_expired
    }
}
