//! The gate in front of the requests, and how many of them are on their way.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::{Frame, SizeHint};
use parking_lot::Mutex;
use tokio::sync::watch;

use crate::http::response::{Body, Cut};

/// Counts the requests that do not have their whole answer yet, and holds them if it is shut.
#[derive(Debug)]
pub(crate) struct Activity {
    gate: Mutex<Gate>,
    changed: watch::Sender<()>,
}

#[derive(Debug, Default)]
struct Gate {
    shut: bool,
    /// How many may pass although it is shut.
    permits: usize,
    held: usize,
    running: usize,
}

/// A request that does not have its whole answer yet.
#[derive(Debug)]
pub(crate) struct Running(Arc<Activity>);

/// The body of an answer; its request runs until it has been taken.
struct Tracked {
    body: Body,
    running: Option<Running>,
}

/// A request at the gate.
struct Held<'a>(&'a Activity);

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
    pub(crate) async fn enter(self: &Arc<Self>) -> Running {
        self.gate.lock().running += 1;
        let running = Running(Arc::clone(self));
        if self.pass() {
            return running;
        }
        self.gate.lock().held += 1;
        let _held = Held(self);
        self.notify();
        let mut changed = self.changed.subscribe();
        while !self.pass() {
            // The sender is ours, so this cannot fail.
            if changed.changed().await.is_err() {
                break;
            }
        }
        running
    }

    fn pass(&self) -> bool {
        let mut gate = self.gate.lock();
        if !gate.shut {
            return true;
        }
        let may = gate.permits > 0;
        gate.permits = gate.permits.saturating_sub(1);
        may
    }

    /// Shuts or opens the gate.
    pub(crate) fn shut(&self, shut: bool) {
        {
            let mut gate = self.gate.lock();
            gate.shut = shut;
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

// === impl Running ===

impl Running {
    /// Goes on until `body` is sent.
    pub(crate) fn until_sent(self, body: Body) -> Body {
        let running = Some(self);
        Tracked { body, running }.boxed_unsync()
    }
}

impl hyper::body::Body for Tracked {
    type Data = Bytes;
    type Error = Cut;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Cut>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(polled, Poll::Ready(None | Some(Err(_)))) {
            self.running = None;
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.0.gate.lock().running -= 1;
        self.0.notify();
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        self.0.gate.lock().held -= 1;
        self.0.notify();
    }
}
