//! [`HandlerRegistration`]: the owner's reference to a registered handler.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use tokio::sync::watch;

use super::HandlerSyncError;
use crate::event::HandlerId;
use crate::status::{AtomicHistogram, Counter, HandlerMetrics, HandlerStats};

crate::base::sync::task_local! {
    /// Status of the handler whose call is running. Set in each handler's task.
    pub(super) static CALLER: Arc<Status>;
}

/// Registration of a handler with an informer.
///
/// The handler stays registered when the registration and all of its clones are dropped. Use
/// [`remove`](Self::remove) to remove it. A handler that is added twice has two registrations and
/// sees everything twice.
///
/// client-go's counterpart is `ResourceEventHandlerRegistration`.
#[derive(Clone)]
pub struct HandlerRegistration {
    id: HandlerId,
    status: Arc<Status>,
    owner: Weak<dyn Owner>,
}

/// Processor that a handler can be removed from.
pub(super) trait Owner: Send + Sync {
    /// Ensures that no further call starts, and that the handler's consumer ends.
    fn detach(&self, id: HandlerId);
}

/// State of a handler, independent of its type. Shared by listener, task and registrations.
#[derive(Debug)]
pub(super) struct Status {
    pub(super) informer: Arc<str>,
    pub(super) name: String,
    progress: watch::Sender<Progress>,
    pub(super) counters: Counters,
}

#[derive(Debug, Default)]
struct Progress {
    synced: bool,
    /// Reason for which no call runs or will run.
    ended: Option<HandlerSyncError>,
}

/// Independent counters that only increase, except `pending` and `pending_bytes`. No ordering
/// between them is needed.
#[derive(Debug, Default)]
pub(super) struct Counters {
    pub(super) delivered: Counter,
    pub(super) coalesced: Counter,
    pub(super) panics: Counter,
    pub(super) resyncs_skipped: Counter,
    pending: AtomicUsize,
    pending_bytes: AtomicUsize,
    pub(super) calls: AtomicHistogram,
}

// === impl HandlerRegistration ===

impl HandlerRegistration {
    pub(super) fn new(id: HandlerId, status: Arc<Status>, owner: Weak<dyn Owner>) -> Self {
        Self { id, status, owner }
    }

    /// Removes the handler from its informer, without waiting for its end.
    pub(super) fn detach(&self) {
        if let Some(owner) = self.owner.upgrade() {
            owner.detach(self.id);
        }
    }

    /// Returns the name of the handler: the name in its options, or else the name of its type.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.status.name
    }

    /// Returns `true` once the informer is synced and the handler has returned from all of its
    /// initial adds.
    ///
    /// Stays `true` from then on. A panic in an add counts as a return.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.status.progress.borrow().synced
    }

    /// Waits until [`has_synced`](Self::has_synced) returns `true`. Any number of tasks can wait.
    ///
    /// # Errors
    ///
    /// Fails if the handler is removed, or the informer stops, before that.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future changes nothing.
    pub async fn wait_for_sync(&self) -> Result<(), HandlerSyncError> {
        let mut progress = self.status.progress.subscribe();
        let reached = progress
            .wait_for(|progress| progress.synced || progress.ended.is_some())
            .await;
        match reached.as_deref() {
            Ok(progress) if progress.synced => Ok(()),
            Ok(progress) => Err(progress.ended.unwrap_or(HandlerSyncError::Stopped)),
            Err(_) => Err(HandlerSyncError::Stopped),
        }
    }

    /// Removes the handler. When the future completes, no call is running and none will start.
    ///
    /// Waiting notifications are dropped. Removing a handler twice, or after the informer has
    /// stopped, is a no-op. From inside a call of this handler, the future completes at once, and
    /// this call is the last one. Two handlers that remove each other, each from inside a call,
    /// deadlock.
    ///
    /// # Cancel safety
    ///
    /// The first poll removes the handler. Dropping the future after that only stops waiting for
    /// the running call.
    pub async fn remove(&self) {
        self.detach();
        if !self.status.is_calling() {
            self.status.ended().await;
        }
    }

    /// Returns the counters of the handler.
    #[must_use]
    pub fn stats(&self) -> HandlerStats {
        self.status.counters.read()
    }

    /// Returns the name of the handler and of its informer if a call of the handler runs or may run.
    pub(crate) fn unfinished(&self) -> Option<String> {
        let Status { informer, name, .. } = &*self.status;
        let is_running = self.status.progress.borrow().ended.is_none();
        is_running.then(|| format!("handler {name:?} of informer {informer:?}"))
    }

    /// Returns the measurements of the handler, with its name and number.
    pub(crate) fn metrics(&self) -> HandlerMetrics {
        HandlerMetrics {
            name: self.name().to_owned(),
            id: self.id.number(),
            stats: self.stats(),
        }
    }

    #[cfg(test)]
    pub(crate) fn id(&self) -> HandlerId {
        self.id
    }
}

impl fmt::Debug for HandlerRegistration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HandlerRegistration")
            .field("informer", &self.status.informer)
            .field("name", &self.status.name)
            .field("progress", &*self.status.progress.borrow())
            .finish_non_exhaustive()
    }
}

// === impl Status ===

impl Status {
    pub(super) fn new(informer: Arc<str>, name: String) -> Self {
        Self {
            informer,
            name,
            progress: watch::Sender::default(),
            counters: Counters::default(),
        }
    }

    pub(super) fn set_synced(&self) {
        self.progress.send_modify(|progress| progress.synced = true);
    }

    /// Records that no call runs or will run. The first reason is kept.
    pub(super) fn end(&self, reason: HandlerSyncError) {
        self.progress.send_if_modified(|progress| {
            let is_first = progress.ended.is_none();
            progress.ended.get_or_insert(reason);
            is_first
        });
    }

    async fn ended(&self) {
        let mut progress = self.progress.subscribe();
        // Cannot fail, because `self` owns the sender.
        let _ended = progress.wait_for(|progress| progress.ended.is_some()).await;
    }

    /// Returns `true` inside a call of the handler.
    fn is_calling(self: &Arc<Self>) -> bool {
        CALLER
            .try_with(|caller| Arc::ptr_eq(caller, self))
            .unwrap_or(false)
    }
}

// === impl Counters ===

impl Counters {
    pub(super) fn set_pending(&self, pending: usize, bytes: usize) {
        self.pending.store(pending, Ordering::Relaxed);
        self.pending_bytes.store(bytes, Ordering::Relaxed);
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    fn read(&self) -> HandlerStats {
        let calls = self.calls.get();
        HandlerStats {
            delivered: self.delivered.get(),
            coalesced: self.coalesced.get(),
            panics: self.panics.get(),
            resyncs_skipped: self.resyncs_skipped.get(),
            pending: self.pending(),
            pending_bytes: self.pending_bytes.load(Ordering::Relaxed),
            busy: calls.sum(),
            calls,
        }
    }
}
