//! [`Shared`]: state of a membership, for its task and its handles.

use std::sync::Arc;

use tokio::time::Instant;

use super::board::Board;
use super::scope::Scope;
use super::status::ShardsStatus;
use crate::base::sync::Mutex;

/// State that the task and the handles share.
pub(super) struct Shared {
    pub(super) board: Board,
    pub(super) scope: Arc<Scope>,
    pub(super) status: Mutex<ShardsStatus>,
}

// === impl Shared ===

impl Shared {
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
