//! [`Gate`]: the keys of a controller that wait until caches show their writes.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use futures::stream::FuturesUnordered;
use informer_runtime::object::{ObjectKey, ResourceInfo};
use tokio::time::Instant;

use super::cache::name_of;
use super::session::Session;
use super::write::{CAUSE, Concern};
use crate::base::names::qualified;
use crate::base::sync::{Mutex, Notify};
use crate::workqueue::{Action, Failure, Outcome, Reasons, RecordedCall, WorkQueue};

/// Keys of a controller that have writes which caches do not show yet.
pub(crate) struct Gate {
    session: Session,
    queue: WorkQueue<ObjectKey>,
    /// Resource of the controller's objects, and their kind.
    resource: Arc<str>,
    kind: Arc<str>,
    held: Mutex<Held>,
    arrived: Notify,
}

#[derive(Default)]
struct Held {
    keys: HashMap<ObjectKey, (i32, Reasons)>,
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
            held: Mutex::new(Held::default()),
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
        let mut held = self.held.lock();
        if let Some((known, _)) = held.keys.get_mut(key) {
            *known = priority.max(*known);
            return true;
        }
        let waits = (priority, Reasons::current());
        held.keys.insert(key.clone(), waits);
        held.new.push(key.clone());
        drop(held);
        self.arrived.notify_one();
        true
    }

    /// Returns the keys that are held back.
    pub(crate) fn held(&self) -> Vec<ObjectKey> {
        self.held.lock().keys.keys().cloned().collect()
    }

    /// Notes the writes of a call of `reconcile` as concerning its key.
    pub(crate) fn attribute<F: Future>(
        &self,
        key: &ObjectKey,
        call: F,
    ) -> impl Future<Output = F::Output> + use<F> {
        let of = Arc::clone(&self.kind);
        let key = key.clone();
        CAUSE.scope(Concern { of, key }, call)
    }

    /// Returns keys to the queue, for ever.
    pub(crate) async fn run(&self) {
        let mut waits = FuturesUnordered::new();
        loop {
            let new = std::mem::take(&mut self.held.lock().new);
            waits.extend(new.into_iter().map(|key| self.wait(key)));
            tokio::select! {
                () = self.arrived.notified() => {}
                Some(()) = waits.next() => {}
            }
        }
    }

    async fn wait(&self, key: ObjectKey) {
        let (Session { shared, within }, began) = (&self.session, Instant::now());
        let concerns = self.concerns(&key);
        let shown = shared.show(*within, || Ok(shared.concerning(&concerns)));
        let shown = shown.await;
        let held = self.held.lock().keys.remove(&key);
        let Some((priority, reasons)) = held else {
            return;
        };
        match shown {
            Ok(()) => self.queue.return_item(key, priority, reasons),
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
