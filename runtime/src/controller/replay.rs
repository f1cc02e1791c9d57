//! What handlers are shown again, lazily: O(1) to queue, whatever the size of the cache.

use std::sync::Arc;

use crate::ObjectKey;
use crate::indexer::Snapshot;
use crate::processor::{Handle, Replay};

/// All objects of a snapshot.
pub(crate) struct SnapshotReplay<H> {
    snapshot: Snapshot<H>,
    last: Option<ObjectKey>,
}

/// Objects that a list found unchanged, for those who want to be told all the same.
pub(super) struct Unchanged<H> {
    objects: Arc<[(ObjectKey, H)]>,
    next: usize,
}

// === impl SnapshotReplay ===

impl<H> SnapshotReplay<H> {
    pub(crate) fn new(snapshot: Snapshot<H>) -> Self {
        Self {
            snapshot,
            last: None,
        }
    }
}

impl<H: Handle> Replay<H> for SnapshotReplay<H> {
    fn next(&mut self) -> Option<(ObjectKey, H)> {
        let entry = self.snapshot.next_after(self.last.as_ref())?;
        let object = (entry.key.clone(), entry.handle.clone());
        self.last = Some(object.0.clone());
        Some(object)
    }
}

// === impl Unchanged ===

impl<H> Unchanged<H> {
    pub(super) fn new(objects: Arc<[(ObjectKey, H)]>) -> Self {
        Self { objects, next: 0 }
    }
}

impl<H: Handle> Replay<H> for Unchanged<H> {
    fn next(&mut self) -> Option<(ObjectKey, H)> {
        let object = self.objects.get(self.next)?.clone();
        self.next += 1;
        Some(object)
    }
}
