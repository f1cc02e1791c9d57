//! Lazy replay of a snapshot to handlers. Queueing a replay is O(1) for any size of the cache.

use std::sync::Arc;

use crate::indexer::State;
use crate::object::ObjectKey;
use crate::processor::Current;
use crate::storage::Entry;

/// Replay of all objects of a snapshot.
pub(crate) struct SnapshotReplay {
    snapshot: Arc<State>,
    last: Option<ObjectKey>,
}

// === impl SnapshotReplay ===

impl SnapshotReplay {
    /// Returns the state that a new handler starts from: that of a snapshot.
    pub(crate) fn current(snapshot: Arc<State>) -> Current {
        Current {
            generation: snapshot.generation,
            synced: snapshot.synced,
            replay: Box::new(Self::new(snapshot)),
        }
    }

    pub(super) fn new(snapshot: Arc<State>) -> Self {
        Self {
            snapshot,
            last: None,
        }
    }
}

impl Iterator for SnapshotReplay {
    type Item = Arc<Entry>;

    fn next(&mut self) -> Option<Arc<Entry>> {
        let entry = self.snapshot.next_after(self.last.as_ref())?;
        self.last = Some(entry.key.clone());
        Some(Arc::clone(entry))
    }
}
