//! Records the requests to a source, and waits for them.

use parking_lot::Mutex;
use tokio::sync::Notify;

use crate::source::{ListOptions, WatchOptions};

/// A request that a source has received.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// LIST, one for each page.
    List(ListOptions),
    /// WATCH, including streaming lists.
    Watch(WatchOptions),
}

/// All requests so far, in order.
#[derive(Debug, Default)]
pub(super) struct Record {
    requests: Mutex<Vec<Request>>,
    added: Notify,
}

// === impl Record ===

impl Record {
    pub(super) fn add(&self, request: Request) {
        self.requests.lock().push(request);
        self.added.notify_waiters();
    }

    pub(super) fn requests(&self) -> Vec<Request> {
        self.requests.lock().clone()
    }

    pub(super) async fn wait_for(&self, count: usize) -> Vec<Request> {
        loop {
            // Created before the check, so that a notification between the check and the wait is
            // not lost.
            let added = self.added.notified();
            let requests = self.requests();
            if requests.len() >= count {
                return requests;
            }
            added.await;
        }
    }
}
