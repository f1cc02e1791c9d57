//! Own writes over a store, as long as they are newer than the stored versions.
//!
//! Pure: no clock, no lock.
//!
//! # Invariants
//!
//! After a deletion of a uid was seen, and as long as it is remembered, no write of that uid is
//! accepted or returned.

use std::cmp::Ordering;
use std::num::NonZeroUsize;
use std::time::Duration;

use tokio::time::Instant;

use super::lru::Lru;
use crate::object::{ObjectKey, ResourceVersion, Uid};
use crate::storage::Entry;

/// Reason why an object was not laid over the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotOverlaid {
    /// The store or an own write has this version or a later one.
    #[error("the cache has the same version or a later one")]
    Older,
    /// The object with this uid was deleted.
    #[error("the object was deleted")]
    Deleted,
    /// The object has no resourceVersion, or one that cannot be compared with the known version.
    #[error("the object's resourceVersion cannot be compared")]
    Incomparable,
}

#[derive(Debug)]
pub(super) struct Overlay<H> {
    writes: Lru<Entry<H>>,
    /// Separate from the writes, so that foreign deletions do not evict own writes.
    tombstones: Lru<Tombstone>,
    includes_adds: bool,
    /// Displaced entries, to be dropped after the lock is released.
    garbage: Vec<Entry<H>>,
}

#[derive(Debug)]
struct Tombstone {
    uid: Option<Uid>,
    resource_version: ResourceVersion,
}

// === impl Overlay ===

impl<H: Clone> Overlay<H> {
    pub(super) fn new(size: NonZeroUsize, ttl: Duration, includes_adds: bool) -> Self {
        Self {
            writes: Lru::new(size, ttl),
            tombstones: Lru::new(size, ttl),
            includes_adds,
            garbage: Vec::new(),
        }
    }

    /// Lays a write over the stored version.
    pub(super) fn mutation(
        &mut self,
        entry: Entry<H>,
        stored: Option<&ResourceVersion>,
        now: Instant,
    ) -> Result<(), NotOverlaid> {
        let version = &entry.resource_version;
        if version.compare(version).is_none() {
            return Err(NotOverlaid::Incomparable);
        }
        if let Some(tombstone) = self.tombstones.get(&entry.key, now) {
            if entry.uid.is_some() && tombstone.uid == entry.uid {
                return Err(NotOverlaid::Deleted);
            }
            must_be_newer(version, &tombstone.resource_version)?;
        }
        if let Some(write) = self.writes.get(&entry.key, now) {
            must_be_newer(version, &write.resource_version)?;
        }
        if let Some(stored) = stored {
            must_be_newer(version, stored)?;
        }
        let displaced = self.writes.insert(entry.key.clone(), entry, now);
        self.garbage.extend(displaced);
        Ok(())
    }

    /// Records that the informer has seen this version of an object, which ends the memory of an
    /// earlier deletion.
    pub(super) fn observe(&mut self, key: &ObjectKey, version: &ResourceVersion, now: Instant) {
        self.tombstones.remove(key);
        self.supersede(key, version, now);
    }

    /// Records that the informer has seen a deletion.
    pub(super) fn delete(
        &mut self,
        key: ObjectKey,
        uid: Option<Uid>,
        resource_version: ResourceVersion,
        now: Instant,
    ) {
        let write = self.writes.get(&key, now);
        if uid.is_some() && write.is_some_and(|write| write.uid == uid) {
            self.garbage.extend(self.writes.remove(&key));
        }
        self.supersede(&key, &resource_version, now);
        let tombstone = Tombstone {
            uid,
            resource_version,
        };
        self.tombstones.insert(key, tombstone, now);
    }

    /// Returns the write if it is newer than the stored version, and the stored version otherwise.
    pub(super) fn newest(
        &mut self,
        key: &ObjectKey,
        stored: Option<&Entry<H>>,
        now: Instant,
    ) -> Option<H> {
        if let Some(stored) = stored {
            self.supersede(key, &stored.resource_version, now);
        }
        let write = self.writes.get(key, now);
        match (stored, write) {
            (Some(_), Some(write)) => Some(write.handle.clone()),
            (None, Some(write)) if self.includes_adds => Some(write.handle.clone()),
            (stored, _) => stored.map(|stored| stored.handle.clone()),
        }
    }

    /// Returns the keys that have a write.
    pub(super) fn keys(&self, now: Instant) -> Vec<ObjectKey> {
        self.writes.keys(now).cloned().collect()
    }

    #[must_use]
    pub(super) fn take_garbage(&mut self) -> Vec<Entry<H>> {
        std::mem::take(&mut self.garbage)
    }

    /// Drops the write of `key`, unless it is newer than `version`.
    fn supersede(&mut self, key: &ObjectKey, version: &ResourceVersion, now: Instant) {
        let write = self.writes.get(key, now);
        if write.is_some_and(|write| must_be_newer(&write.resource_version, version).is_err()) {
            self.garbage.extend(self.writes.remove(key));
        }
    }
}

fn must_be_newer(version: &ResourceVersion, known: &ResourceVersion) -> Result<(), NotOverlaid> {
    match version.compare(known) {
        Some(Ordering::Greater) => Ok(()),
        Some(Ordering::Less | Ordering::Equal) => Err(NotOverlaid::Older),
        None => Err(NotOverlaid::Incomparable),
    }
}
