//! [`ShardsShared`]: state of a membership, for its task and its handles.

use std::sync::Arc;

use tokio::time::Instant;

use super::board::Board;
use super::cached_slices::CachedSlices;
use super::status::ShardsStatus;
use crate::base::sync::Mutex;

/// State that the task and the handles share.
pub(super) struct ShardsShared {
    pub(super) board: Board,
    pub(super) cached: Arc<CachedSlices>,
    pub(super) status: Mutex<ShardsStatus>,
}

// === impl ShardsShared ===

impl ShardsShared {
    pub(super) fn status(&self, change: impl FnOnce(&mut ShardsStatus)) {
        change(&mut self.status.lock());
    }

    /// Counts a hand-over.
    pub(super) fn handed_over(
        &self,
        began: Instant,
        count: impl FnOnce(&mut ShardsStatus) -> &mut u64,
    ) {
        self.status(|status| {
            status.hand_overs.record(began.elapsed());
            *count(status) += 1;
        });
    }
}
