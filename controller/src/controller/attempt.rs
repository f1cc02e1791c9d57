//! One attempt at a key.

use std::collections::HashMap;
use std::pin::Pin;
use std::sync::Arc;

use informer_runtime::object::ObjectKey;
use tracing::{Instrument as _, info_span};

use crate::base::sync::Mutex;
use crate::workqueue::{Action, Failure, Outcome, ReconcileError, ReconcileReason};

/// Function that decides about a key after an error.
pub(super) type ErrorPolicy<E> = Box<dyn Fn(&ObjectKey, &E, u32) -> Action + Send + Sync>;

/// Calls of one controller.
pub(super) struct Calls<E> {
    /// Name of the queue.
    pub(super) queue: String,
    pub(super) policy: ErrorPolicy<E>,
    pub(super) attempts: Arc<Attempts>,
}

/// Number of consecutive attempts per key: of the keys that are in work, and of those in the queue
/// whose last attempt failed.
#[derive(Default)]
pub(super) struct Attempts(Mutex<HashMap<ObjectKey, u32>>);

// === impl Calls ===

impl<E: ReconcileError> Calls<E> {
    /// Makes one attempt at a key. `call` returns no future for a key that is skipped. The future is
    /// the user's and may be large, so it is boxed where it is made: each function that it passes
    /// through by value would hold it twice.
    pub(super) async fn attempt<A, Fut>(
        self: Arc<Self>,
        key: ObjectKey,
        reason: ReconcileReason,
        call: impl FnOnce(ObjectKey) -> Option<Pin<Box<Fut>>>,
    ) -> Outcome
    where
        A: Into<Action>,
        Fut: Future<Output = Result<A, E>>,
    {
        let attempt = self.attempts.begin(&key);
        let namespace = key.namespace();
        let span = info_span!(
            "reconcile", queue = self.queue, %key, k8s.namespace.name = namespace, attempt,
            object.reason = %reason,
        );
        let Some(call) = span.in_scope(|| call(key.clone())) else {
            self.attempts.forget(&key);
            return Outcome::Succeeded(Action::Done);
        };
        match call.instrument(span).await {
            Ok(action) => {
                self.attempts.forget(&key);
                Outcome::Succeeded(action.into())
            }
            Err(error) => {
                let action = (self.policy)(&key, &error, attempt);
                if action == Action::Done {
                    self.attempts.forget(&key);
                }
                Outcome::Failed(Failure::Returned(error.into_error()), action)
            }
        }
    }
}

// === impl Attempts ===

impl Attempts {
    /// Counts an attempt at a key, and returns the number of consecutive attempts.
    fn begin(&self, key: &ObjectKey) -> u32 {
        let mut attempts = self.0.lock();
        let attempt = attempts.entry(key.clone()).or_insert(0);
        *attempt = attempt.saturating_add(1);
        *attempt
    }

    pub(super) fn forget(&self, key: &ObjectKey) {
        self.0.lock().remove(key);
    }
}
