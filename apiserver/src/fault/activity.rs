//! Gate in front of the requests, and the number of requests in flight.

use std::sync::Arc;

use parking_lot::Mutex;
use tokio::sync::watch;

/// Counts the requests without a complete response, and holds requests while the gate is closed.
#[derive(Debug)]
pub(crate) struct Activity {
    gate: Mutex<RequestGate>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct RequestGate {
    closed: bool,
    /// Number of requests that may pass while the gate is closed.
    permits: usize,
    held: usize,
    running: usize,
}

/// A request without a complete response.
#[derive(Debug)]
pub(crate) struct RunningRequest(Arc<Activity>);

/// A request that waits at the gate.
struct HeldRequest<'a>(&'a Activity);

// === impl Activity ===

impl Default for Activity {
    fn default() -> Self {
        Self {
            gate: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }
}

impl Activity {
    /// Counts a request and waits until it may pass.
    pub(crate) async fn enter(self: &Arc<Self>) -> RunningRequest {
        self.gate.lock().running += 1;
        let running = RunningRequest(Arc::clone(self));
        if self.pass() {
            return running;
        }
        self.gate.lock().held += 1;
        let _held = HeldRequest(self);
        self.notify();
        let mut changed = self.changed.subscribe();
        while !self.pass() {
            // `self` owns the sender, so this cannot fail.
            if changed.changed().await.is_err() {
                break;
            }
        }
        running
    }

    fn pass(&self) -> bool {
        let mut gate = self.gate.lock();
        if !gate.closed {
            return true;
        }
        let has_permit = gate.permits > 0;
        gate.permits = gate.permits.saturating_sub(1);
        has_permit
    }

    /// Closes or opens the gate.
    pub(crate) fn close(&self, close: bool) {
        {
            let mut gate = self.gate.lock();
            gate.closed = close;
            gate.permits = 0;
        }
        self.notify();
    }

    /// Lets one request pass.
    pub(crate) fn step(&self) {
        self.gate.lock().permits += 1;
        self.notify();
    }

    pub(crate) fn held(&self) -> usize {
        self.gate.lock().held
    }

    pub(crate) fn running(&self) -> usize {
        self.gate.lock().running
    }

    pub(crate) fn notify(&self) {
        self.changed.send_replace(());
    }

    pub(crate) fn subscribe(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

impl Drop for RunningRequest {
    fn drop(&mut self) {
        self.0.gate.lock().running -= 1;
        self.0.notify();
    }
}

impl Drop for HeldRequest<'_> {
    fn drop(&mut self) {
        self.0.gate.lock().held -= 1;
        self.0.notify();
    }
}
