//! Lazy replay of a snapshot to handlers. Queueing a replay is O(1) for any size of the cache.

use crate::indexer::Snapshot;
use crate::object::ObjectKey;
use crate::processor::{Handle, Replay};

/// Replay of all objects of a snapshot.
pub(crate) struct SnapshotReplay<H> {
    snapshot: Snapshot<H>,
    last: Option<ObjectKey>,
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
