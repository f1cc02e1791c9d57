//! [`Gates`]: conditions under which a key is reconciled now.

use std::sync::Arc;

use informer_runtime::ObjectKey;
use tracing::Instrument as _;

use super::attempt_counts::AttemptCounts;
use crate::base::sync::JoinSet;
use crate::session::Gate;
use crate::shards::ShardGate;
use crate::workqueue::{Outcome, Reasons};

/// Gates of one controller.
#[derive(Clone, Default)]
pub(super) struct Gates {
    /// Holds back keys whose own writes the caches do not show.
    pub(super) session: Option<Arc<Gate>>,
    /// Lets only the keys of this replica pass.
    pub(super) shards: Option<Arc<ShardGate>>,
    pub(super) counts: Arc<AttemptCounts>,
}

// === impl Gates ===

impl Gates {
    /// Makes an attempt at a key, if the key passes. Forgets the attempts at a key that does not, or
    /// whose attempt was dropped before its end. Such a key of this replica is in the queue again, or
    /// will be.
    pub(super) async fn pass(
        &self,
        key: &ObjectKey,
        priority: i32,
        attempt: impl Future<Output = Outcome>,
    ) -> Outcome {
        match self.try_pass(key, priority, attempt).await {
            Ok(outcome) => outcome,
            Err(outcome) => {
                self.counts.forget(key);
                outcome
            }
        }
    }

    async fn try_pass(
        &self,
        key: &ObjectKey,
        priority: i32,
        attempt: impl Future<Output = Outcome>,
    ) -> Result<Outcome, Outcome> {
        let unless_held = self.unless_held(key, priority, attempt);
        let Some(shards) = &self.shards else {
            return Ok(unless_held.await);
        };
        let call = shards.begin(key, priority)?;
        call.run(unless_held).await.ok_or_else(|| {
            shards.put_back(key.clone(), priority, Reasons::current());
            Outcome::PutBack
        })
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
            let run = async move { gate.run().await };
            tasks.spawn(run.in_current_span());
        }
        if let Some(gate) = self.shards.clone() {
            let counts = Arc::clone(&self.counts);
            let run = async move { gate.run(|key| counts.forget(key)).await };
            tasks.spawn(run.in_current_span());
        }
    }
}
