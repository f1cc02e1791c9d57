//! Requests: recorded, counted, held and awaited.

use std::sync::Arc;

use super::Control;
use crate::fault::requests::{Matcher, RecordedRequest};
use crate::registry::target::Verb;
use crate::store::ResourceId;

// === impl Control ===

impl Control {
    /// Returns the last 10,000 requests, oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        self.shared.requests.recent()
    }

    /// Returns the number of requests with `verb` for the plural `resource` since the start or the
    /// last [reset](Self::reset_requests). Only the first 10,000 pairs of verb and resource are
    /// counted.
    #[must_use]
    pub fn count(&self, verb: Verb, resource: &str) -> u64 {
        self.shared.requests.count(verb, resource)
    }

    /// Returns the number of events that were encoded for watches since the start. Watches with
    /// equal options share one encoding; each watch of tables has its own.
    #[must_use]
    pub fn event_encodings(&self) -> u64 {
        let encodings = &self.shared.encodings;
        encodings.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Clears the recorded requests and the counts.
    pub fn reset_requests(&self) {
        self.shared.requests.reset();
    }

    /// Resolves with the first recorded request that matches, at once or when it arrives.
    ///
    /// # Cancel safety
    ///
    /// Safe: the request stays in the log.
    pub async fn await_request(&self, matcher: Matcher) -> Arc<RecordedRequest> {
        self.await_nth_request(matcher, 1).await
    }

    /// Resolves with the `nth` recorded request that matches, counted from 1, at once or when it
    /// arrives.
    ///
    /// # Cancel safety
    ///
    /// Safe: the request stays in the log.
    pub async fn await_nth_request(&self, matcher: Matcher, nth: usize) -> Arc<RecordedRequest> {
        self.shared.requests.wait(&matcher, nth).await
    }

    /// Holds every new request before the server processes it.
    pub fn pause_requests(&self) {
        self.shared.activity.close(true);
    }

    /// Releases the held requests, and lets new ones pass.
    pub fn resume_requests(&self) {
        self.shared.activity.close(false);
    }

    /// Releases one request, now or when it arrives, while the others stay held.
    pub fn step_request(&self) {
        self.shared.activity.step();
    }

    /// Returns the number of held requests.
    #[must_use]
    pub fn held_requests(&self) -> usize {
        self.shared.activity.held()
    }

    /// Resolves when exactly `count` requests are held.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_held_requests(&self, count: usize) {
        let mut changed = self.shared.activity.subscribe();
        while self.held_requests() != count {
            // The sender lives in `shared`, so this cannot fail.
            if changed.changed().await.is_err() {
                return;
            }
        }
    }

    /// Resolves when the server is idle: every request has its complete response, no watch has an
    /// event to send, and the garbage collector's queue is empty. A response counts as sent when
    /// the operating system has its last byte; the server cannot tell whether the client has
    /// processed it.
    ///
    /// Does not resolve while a request or a watch is held or stalled, or while a client does not
    /// read a long response to its end.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_idle(&self) {
        let mut requests = self.shared.activity.subscribe();
        let mut watches = self.shared.watches.subscribe();
        while !self.busy_with().is_empty() {
            // The senders live in `shared`, so neither can fail.
            tokio::select! {
                _ = requests.changed() => {}
                _ = watches.changed() => {}
            }
        }
    }

    /// Checks that the server is idle, in the sense of [`await_idle`](Self::await_idle).
    ///
    /// # Panics
    ///
    /// If the server is not idle; the message lists the pending work.
    #[track_caller]
    pub fn assert_idle(&self) {
        let busy = self.busy_with();
        assert!(busy.is_empty(), "the server is not idle: {busy}");
    }

    fn busy_with(&self) -> String {
        let running = self.shared.activity.running();
        let positions = self.shared.watches.positions();
        let state = self.shared.state();
        let lags = |(resource, settled): &&(ResourceId, Option<u64>)| {
            settled.is_none_or(|at| state.store.log.after(*resource, at).next().is_some())
        };
        let watches = positions.iter().filter(lags).count();
        let mut busy = Vec::new();
        if running > 0 {
            busy.push(format!("{running} requests without a complete response"));
        }
        if watches > 0 {
            busy.push(format!("{watches} watches with events to send"));
        }
        if !state.dependents.is_idle() {
            busy.push("objects to collect".to_owned());
        }
        busy.join(", ")
    }
}
