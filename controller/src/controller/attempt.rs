//! [`Attempts`]: calls of `reconcile`.

use std::pin::Pin;

use informer_runtime::ObjectKey;
use tracing::{Instrument as _, info_span};

use super::gates::Gates;
use crate::workqueue::{Action, Failure, Outcome, ReconcileError, ReconcileReason};

/// Function that decides about a key after an error.
pub(super) type ErrorPolicy<E> = Box<dyn Fn(&ObjectKey, &E, u32) -> Action + Send + Sync>;

/// Attempts of one controller at its keys.
pub(super) struct Attempts<E, F> {
    /// Name of the queue.
    pub(super) queue: String,
    pub(super) gates: Gates,
    /// Calls `reconcile`; `None` if the key is skipped.
    pub(super) call: F,
    pub(super) policy: ErrorPolicy<E>,
}

// === impl Attempts ===

impl<E: ReconcileError, F> Attempts<E, F> {
    /// Makes one attempt at a key, if the key passes the gates.
    pub(super) async fn one<A, Fut>(
        &self,
        key: ObjectKey,
        reason: ReconcileReason,
        priority: i32,
    ) -> Outcome
    where
        F: Fn(ObjectKey) -> Option<Pin<Box<Fut>>>,
        A: Into<Action>,
        Fut: Future<Output = Result<A, E>>,
    {
        let attempt = self.reconcile(&key, reason);
        self.gates.pass(&key, priority, attempt).await
    }

    async fn reconcile<A, Fut>(&self, key: &ObjectKey, reason: ReconcileReason) -> Outcome
    where
        F: Fn(ObjectKey) -> Option<Pin<Box<Fut>>>,
        A: Into<Action>,
        Fut: Future<Output = Result<A, E>>,
    {
        let counts = &self.gates.counts;
        let attempt = counts.begin(key);
        let namespace = key.namespace();
        let span = info_span!(
            "reconcile", queue = self.queue, %key, k8s.namespace.name = namespace, attempt,
            object.reason = %reason,
        );
        let Some(call) = span.in_scope(|| (self.call)(key.clone())) else {
            counts.forget(key);
            return Outcome::Succeeded(Action::Done);
        };
        match call.instrument(span).await {
            Ok(action) => {
                counts.forget(key);
                Outcome::Succeeded(action.into())
            }
            Err(error) => {
                let action = (self.policy)(key, &error, attempt);
                if action == Action::Done {
                    counts.forget(key);
                }
                Outcome::Failed(Failure::Returned(error.into_error()), action)
            }
        }
    }
}
