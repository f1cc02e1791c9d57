//! [`HandlerRegistration`]: one handler, as its owner sees it.

use std::fmt;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;

use super::HandlerSyncError;
use crate::event::HandlerId;
use crate::status::{AtomicHistogram, HandlerMetrics, HandlerStats};

crate::base::sync::task_local! {
    /// Whose call this is: set while a handler's task runs.
    pub(super) static CALLER: Arc<Status>;
}

/// A handler that was added to an informer.
///
/// Dropping it, and all clones of it, keeps the handler; [`remove`](Self::remove) takes it away.
/// A handler added twice has two registrations and sees everything twice.
///
/// client-go's counterpart is `ResourceEventHandlerRegistration`.
#[derive(Clone)]
pub struct HandlerRegistration {
    id: HandlerId,
    status: Arc<Status>,
    owner: Weak<dyn Owner>,
}

/// Where a registration's handler can be taken away.
pub(super) trait Owner: Send + Sync {
    /// Makes sure that no call begins any more, and that the handler's consumer ends.
    fn detach(&self, id: HandlerId);
}

/// What is known of a handler, whatever its type: shared by listener, task and registrations.
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
    /// Why no call runs or will run.
    ended: Option<HandlerSyncError>,
}

/// Only added to, and read one by one: no order between them is needed.
#[derive(Debug, Default)]
pub(super) struct Counters {
    delivered: AtomicU64,
    coalesced: AtomicU64,
    panics: AtomicU64,
    resyncs_skipped: AtomicU64,
    pending: AtomicUsize,
    calls: AtomicHistogram,
}

// === impl HandlerRegistration ===

impl HandlerRegistration {
    pub(super) fn new(id: HandlerId, status: Arc<Status>, owner: Weak<dyn Owner>) -> Self {
        Self { id, status, owner }
    }

    /// The handler's name: as its options say, or the name of its type.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.status.name
    }

    /// Whether the informer is synced and the handler has returned from all of its initial adds.
    ///
    /// Stays true from then on. A panic in an add counts as a return.
    #[must_use]
    pub fn has_synced(&self) -> bool {
        self.status.progress.borrow().synced
    }

    /// Waits until [`has_synced`](Self::has_synced) is true. Any number of tasks can wait.
    ///
    /// # Errors
    ///
    /// The handler was removed, or the informer stopped, before that.
    ///
    /// # Cancel safety
    ///
    /// Waiting changes nothing; it can be given up at any time.
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

    /// Takes the handler away: when this completes, no call runs and none will.
    ///
    /// Notifications that waited are dropped. Removing twice, or after the informer has stopped,
    /// changes nothing. From inside a call of this handler it completes at once, and this call is
    /// the last one; two handlers that remove each other, each from inside a call, wait for ever.
    ///
    /// # Cancel safety
    ///
    /// The first poll takes the handler away; a future dropped later only gives up waiting for the
    /// call that runs.
    pub async fn remove(&self) {
        if let Some(owner) = self.owner.upgrade() {
            owner.detach(self.id);
        }
        if !self.status.is_calling() {
            self.status.ended().await;
        }
    }

    /// What the handler has done so far.
    #[must_use]
    pub fn stats(&self) -> HandlerStats {
        self.status.counters.read()
    }

    /// Its measurements, under its name and number.
    pub(crate) fn metrics(&self) -> HandlerMetrics {
        HandlerMetrics {
            name: self.name().to_owned(),
            id: self.id.number(),
            stats: self.stats(),
        }
    }

    pub(crate) fn id(&self) -> HandlerId {
        self.id
    }

    pub(super) fn is_owned_by(&self, owner: &Weak<dyn Owner>) -> bool {
        Weak::ptr_eq(&self.owner, owner)
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

    /// Says that no call runs or will run. The first reason stays.
    pub(super) fn end(&self, why: HandlerSyncError) {
        self.progress.send_if_modified(|progress| {
            let is_first = progress.ended.is_none();
            progress.ended.get_or_insert(why);
            is_first
        });
    }

    async fn ended(&self) {
        let mut progress = self.progress.subscribe();
        // Cannot fail: the sender lives as long as `self`.
        let _ended = progress.wait_for(|progress| progress.ended.is_some()).await;
    }

    /// Whether this code runs inside a call of the handler.
    fn is_calling(self: &Arc<Self>) -> bool {
        CALLER
            .try_with(|caller| Arc::ptr_eq(caller, self))
            .unwrap_or(false)
    }
}

// === impl Counters ===

impl Counters {
    pub(super) fn add_delivered(&self) {
        self.delivered.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_coalesced(&self, count: u64) {
        self.coalesced.fetch_add(count, Ordering::Relaxed);
    }

    pub(super) fn add_panic(&self) {
        self.panics.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_resync_skipped(&self) {
        self.resyncs_skipped.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_busy(&self, time: Duration) {
        self.calls.record(time);
    }

    pub(super) fn set_pending(&self, pending: usize) {
        self.pending.store(pending, Ordering::Relaxed);
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.load(Ordering::Relaxed)
    }

    fn read(&self) -> HandlerStats {
        let calls = self.calls.get();
        HandlerStats {
            delivered: self.delivered.load(Ordering::Relaxed),
            coalesced: self.coalesced.load(Ordering::Relaxed),
            panics: self.panics.load(Ordering::Relaxed),
            resyncs_skipped: self.resyncs_skipped.load(Ordering::Relaxed),
            pending: self.pending(),
            busy: calls.sum(),
            calls,
        }
    }
}
