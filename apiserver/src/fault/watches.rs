//! The running watches, so that they can be counted and ended from outside.

use std::collections::HashMap;
use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::{Notify, watch};

use crate::registry::Resource;
use crate::store::ResourceId;

/// How a watch is ended from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum End {
    /// The body ends as it does at the timeout.
    Clean,
    /// The connection breaks.
    Cut,
    /// The last event says that the version has expired.
    Expired,
}

/// All running watches of a server.
#[derive(Debug, Default)]
pub(crate) struct Watches {
    running: Mutex<Running>,
    changed: watch::Sender<()>,
    /// For those that have ended and whose client does not know.
    disconnected: Notify,
}

#[derive(Debug, Default)]
struct Running {
    next: u64,
    /// The server is going down; nothing starts any more.
    closed: bool,
    watches: HashMap<u64, Entry>,
}

#[derive(Debug)]
struct Entry {
    resource: Arc<Resource>,
    end: watch::Sender<Option<End>>,
    /// What it has read up to, if it has nothing to send.
    settled: Option<u64>,
}

/// Keeps a watch in the list for as long as it lives.
#[derive(Debug)]
pub(crate) struct WatchGuard {
    id: u64,
    all: Arc<Watches>,
    end: watch::Receiver<Option<End>>,
}

// === impl Watches ===

impl Watches {
    pub(crate) fn register(self: &Arc<Self>, resource: &Arc<Resource>) -> WatchGuard {
        let (id, end) = {
            let mut running = self.running.lock();
            let sender = watch::Sender::new(running.closed.then_some(End::Clean));
            let end = sender.subscribe();
            let id = running.next;
            running.next += 1;
            let entry = Entry {
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
            all: Arc::clone(self),
            end,
        }
    }

    /// Ends the watches of `resource`, or all of them.
    pub(crate) fn end(&self, resource: Option<&str>, how: End) {
        let running = self.running.lock();
        for entry in running.watches.values() {
            if resource.is_none_or(|name| entry.resource.answers_to(name)) {
                entry.end.send_replace(Some(how));
            }
        }
        if how == End::Cut {
            self.disconnected.notify_waiters();
        }
    }

    /// Resolves when connections of watches are broken from outside.
    pub(crate) async fn disconnected(&self) {
        self.disconnected.notified().await;
    }

    /// Ends every watch, also those that are still to start.
    pub(crate) fn close(&self) {
        self.running.lock().closed = true;
        self.end(None, End::Clean);
    }

    pub(crate) fn count(&self, resource: &str) -> usize {
        let running = self.running.lock();
        let of = |entry: &&Entry| entry.resource.answers_to(resource);
        running.watches.values().filter(of).count()
    }

    /// Which resources are watched, and up to which revision what has happened was sent.
    pub(crate) fn positions(&self) -> Vec<(ResourceId, Option<u64>)> {
        let running = self.running.lock();
        let entries = running.watches.values();
        entries
            .map(|entry| (entry.resource.id, entry.settled))
            .collect()
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Resolves when as many watches of `resource` are running as `wanted` says.
    pub(crate) async fn wait(&self, resource: &str, wanted: usize) {
        let mut changed = self.changed.subscribe();
        while self.count(resource) != wanted {
            // The sender is ours, so this cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }
}

// === impl WatchGuard ===

impl WatchGuard {
    /// Everything up to `position` has been sent.
    pub(crate) fn settle(&self, position: u64) {
        if let Some(entry) = self.all.running.lock().watches.get_mut(&self.id) {
            entry.settled = Some(position);
        }
        self.all.changed.send_replace(());
    }

    pub(crate) fn ended(&self) -> Option<End> {
        *self.end.borrow()
    }

    pub(crate) async fn wait_ended(&mut self) {
        // An error means that the entry is gone, which only `drop` does.
        let _ = self.end.wait_for(Option::is_some).await;
    }
}

impl Drop for WatchGuard {
    fn drop(&mut self) {
        self.all.running.lock().watches.remove(&self.id);
        self.all.changed.send_replace(());
    }
}
