//! [`Gates`]: conditions under which a key is reconciled now.

use std::sync::Arc;

use tracing::Instrument as _;

use crate::base::sync::JoinSet;
use crate::object::ObjectKey;
use crate::session::Gate;
use crate::shards::ShardGate;
use crate::workqueue::{Outcome, ReconcileReason};

/// Gates of one controller.
#[derive(Clone, Default)]
pub(super) struct Gates {
    /// Holds back keys whose own writes the caches do not show.
    pub(super) session: Option<Arc<Gate>>,
    /// Lets only the keys of this replica pass.
    pub(super) shards: Option<Arc<ShardGate>>,
}

// === impl Gates ===

impl Gates {
    /// Makes an attempt at a key, if the key passes. Returns `None` if the attempt was dropped before
    /// its end: the key is in the queue again.
    pub(super) async fn pass(
        &self,
        key: &ObjectKey,
        reason: ReconcileReason,
        priority: i32,
        attempt: impl Future<Output = Outcome>,
    ) -> Option<Outcome> {
        let Some(shards) = &self.shards else {
            return Some(self.unless_held(key, priority, attempt).await);
        };
        let call = match shards.begin(key, &reason, priority) {
            Ok(call) => call,
            Err(outcome) => return Some(outcome),
        };
        let attempt = self.unless_held(key, priority, attempt);
        let outcome = call.run(attempt).await;
        if outcome.is_none() {
            shards.put_back(key.clone(), reason, priority);
        }
        outcome
    }

    async fn unless_held(
        &self,
        key: &ObjectKey,
        priority: i32,
        attempt: impl Future<Output = Outcome>,
    ) -> Outcome {
        match &self.session {
            None => attempt.await,
            Some(gate) if gate.holds(key, priority) => Outcome::PutBack,
            Some(gate) => gate.attribute(key, attempt).await,
        }
    }

    /// Spawns the tasks that return keys to the queue.
    pub(super) fn spawn(&self, tasks: &mut JoinSet<()>) {
        if let Some(gate) = self.session.clone() {
            tasks.spawn(async move { gate.run().await }.in_current_span());
        }
        if let Some(gate) = self.shards.clone() {
            tasks.spawn(async move { gate.run().await }.in_current_span());
        }
    }
}
