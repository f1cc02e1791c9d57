//! The running watches, which tests count and end.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::registry::Resource;
use crate::store::ResourceId;

/// Manner in which a test ends a watch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum WatchEnd {
    /// The body ends as at the timeout.
    Clean,
    /// The connection breaks.
    Cut,
    /// The last event reports that the version has expired.
    Expired,
}

/// All running watches of a server.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    running: Mutex<WatchesState>,
    changed: watch::Sender<()>,
    /// Wakes stalled watches, whose connections stay open although the watch has ended.
    disconnected: Notify,
}

#[derive(Debug, Default)]
struct WatchesState {
    next: u64,
    /// `true` after the shutdown has begun: new watches end at once.
    closed: bool,
    watches: HashMap<u64, RunningWatch>,
}

#[derive(Debug)]
struct RunningWatch {
    resource: Arc<Resource>,
    end: watch::Sender<Option<WatchEnd>>,
    /// Position up to which the watch has sent all events; `None` while it has events to send.
    settled: Option<u64>,
}

/// Registration of a running watch, removed on drop.
#[derive(Debug)]
pub(crate) struct WatchGuard {
    id: u64,
    watches: Arc<Watches>,
    end: watch::Receiver<Option<WatchEnd>>,
}

// === impl Watches ===

impl Watches {
    pub(crate) fn register(self: &Arc<Self>, resource: &Arc<Resource>) -> WatchGuard {
        let (id, end) = {
            let mut running = self.running.lock();
            let sender = watch::Sender::new(running.closed.then_some(WatchEnd::Clean));
            let end = sender.subscribe();
            let id = running.next;
            running.next += 1;
            let entry = RunningWatch {
                resource: Arc::clone(resource),
                end: sender,
                settled: None,
            };
            running.watches.insert(id, entry);
            (id, end)
        };
        self.changed.send_replace(());
        WatchGuard {
            id,
            watches: Arc::clone(self),
            end,
        }
    }

    /// Ends the watches of `resource`, or all of them.
    pub(crate) fn end(&self, resource: Option<&str>, how: WatchEnd) {
        let running = self.running.lock();
        for entry in running.watches.values() {
            if resource.is_none_or(|name| entry.resource.answers_to(name)) {
                entry.end.send_replace(Some(how));
            }
        }
        if how == WatchEnd::Cut {
            self.disconnected.notify_waiters();
        }
    }

    /// Resolves when a test breaks the connections of watches.
    pub(crate) async fn disconnected(&self) {
        self.disconnected.notified().await;
    }

    /// Ends every watch, including later ones.
    pub(crate) fn close(&self) {
        self.running.lock().closed = true;
        self.end(None, WatchEnd::Clean);
    }

    pub(crate) fn count(&self, resource: &str) -> usize {
        let running = self.running.lock();
        let matches = |entry: &&RunningWatch| entry.resource.answers_to(resource);
        running.watches.values().filter(matches).count()
    }

    /// Returns the resource of each watch, and the revision up to which the watch has sent all
    /// events.
    pub(crate) fn positions(&self) -> Vec<(ResourceId, Option<u64>)> {
        let running = self.running.lock();
        running
            .watches
            .values()
            .map(|entry| (entry.resource.id, entry.settled))
            .collect()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Resolves when exactly `wanted` watches of `resource` are running.
    pub(crate) async fn wait(&self, resource: &str, wanted: usize) {
        let mut changed = self.changed.subscribe();
        while self.count(resource) != wanted {
            // `self` owns the sender, so this cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }
}

// === impl WatchGuard ===

impl WatchGuard {
    /// Records that the watch has sent all events up to `position`.
    pub(crate) fn settle(&self, position: u64) {
        if let Some(entry) = self.watches.running.lock().watches.get_mut(&self.id) {
            entry.settled = Some(position);
        }
        self.watches.changed.send_replace(());
    }

    pub(crate) fn ended(&self) -> Option<WatchEnd> {
        *self.end.borrow()
    }

    pub(crate) async fn wait_ended(&mut self) {
        // An error means that the entry is gone, and only `drop` removes it.
        let _ = self.end.wait_for(Option::is_some).await;
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.watches.running.lock().watches.remove(&self.id);
        self.watches.changed.send_replace(());
    }
}
