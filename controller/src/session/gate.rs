//! [`Gate`]: the keys of a controller that wait until caches show their writes.

use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use informer_runtime::{ObjectKey, ResourceInfo};
use tokio::time::Instant;

use super::cache::name_of;
use super::session::Session;
use super::write::{CAUSE, Concern};
use crate::base::names::qualified;
use crate::base::sync::{Mutex, Notify};
use crate::workqueue::{Action, Failure, HeldKey, HeldKeys, Outcome, RecordedCall, WorkQueue};

/// Keys of a controller that have writes which caches do not show yet.
pub(crate) struct Gate {
    session: Session,
    queue: WorkQueue<ObjectKey>,
    /// Resource of the controller's objects, and their kind.
    resource: Arc<str>,
    kind: Arc<str>,
    keys: Mutex<GateKeys>,
    arrived: Notify,
}

#[derive(Default)]
struct GateKeys {
    held: HeldKeys,
    /// Keys that the task does not know yet.
    new: Vec<ObjectKey>,
}

// === impl Gate ===

impl Gate {
    pub(crate) fn new(
        session: Session,
        resource: &ResourceInfo,
        queue: WorkQueue<ObjectKey>,
    ) -> Self {
        let api = &resource.api_resource;
        Self {
            session,
            queue,
            resource: name_of(resource),
            kind: qualified(&api.kind, &api.group),
            keys: Mutex::new(GateKeys::default()),
            arrived: Notify::new(),
        }
    }

    /// Holds the key of the current call back if caches do not show all writes that concern it. The
    /// key returns to the queue when they do, or as a failure after the session's time limit.
    pub(crate) fn holds(&self, key: &ObjectKey, priority: i32) -> bool {
        let needs = self.session.shared.concerning(&self.concerns(key));
        if needs.is_empty() {
            return false;
        }
        let mut keys = self.keys.lock();
        if keys.held.hold(key, priority) {
            keys.new.push(key.clone());
            drop(keys);
            self.arrived.notify_one();
        }
        true
    }

    /// Returns the keys that are held back.
    pub(crate) fn held(&self) -> Vec<ObjectKey> {
        self.keys.lock().held.keys().cloned().collect()
    }

    /// Notes the writes of a call of `reconcile` as concerning its key.
    pub(crate) fn attribute<F: Future>(
        &self,
        key: &ObjectKey,
        call: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let cause = Concern {
            of: Arc::clone(&self.kind),
            key: key.clone(),
        };
        CAUSE.scope(cause, call)
    }

    /// Returns keys to the queue, for ever.
    pub(crate) async fn run(&self) {
        let mut waits = FuturesUnordered::new();
        loop {
            let new = std::mem::take(&mut self.keys.lock().new);
            waits.extend(new.into_iter().map(|key| self.wait(key)));
            tokio::select! {
                () = self.arrived.notified() => {}
                Some(()) = waits.next() => {}
            }
        }
    }

    async fn wait(&self, key: ObjectKey) {
        let Session { shared, within } = &self.session;
        let began = Instant::now();
        let concerns = self.concerns(&key);
        let shown = shared
            .show(*within, || Ok(shared.concerning(&concerns)))
            .await;
        let held = self.keys.lock().held.remove(&key);
        let Some(HeldKey { priority, reasons }) = held else {
            return;
        };
        match shown {
            Ok(()) => self.queue.add_prioritized(key, priority, reasons),
            Err(error) => {
                let failure = Failure::Returned(Box::new(error));
                let outcome = Outcome::Failed(failure, Action::Requeue);
                let ended = Instant::now();
                let run = RecordedCall {
                    reasons: &reasons,
                    waited: ended.saturating_duration_since(began),
                    worked: Duration::ZERO,
                    ended,
                    outcome: &outcome,
                    again: self.queue.settle(&key, priority, &outcome),
                };
                self.queue.report(&key, &run);
            }
        }
    }

    /// Returns the object in both roles: written itself, and as the owner or the cause of writes.
    fn concerns(&self, key: &ObjectKey) -> [Concern; 2] {
        [&self.resource, &self.kind].map(|of| Concern {
            of: Arc::clone(of),
            key: key.clone(),
        })
    }
}
