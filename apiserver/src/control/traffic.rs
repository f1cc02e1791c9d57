//! Requests: seen, counted, held and waited for.

use std::sync::Arc;

use super::Control;
use crate::fault::requests::{Matcher, RecordedRequest};
use crate::registry::target::Verb;
use crate::store::ResourceId;

// === impl Control ===

impl Control {
    /// The last requests (10,000 by default), the oldest first.
    #[must_use]
    pub fn requests(&self) -> Vec<Arc<RecordedRequest>> {
        self.shared.requests.recent()
    }

    /// How many requests did `verb` on the plural `resource` since the start or the last
    /// [reset](Self::reset_requests). The first 10,000 pairs of verb and resource are counted.
    #[must_use]
    pub fn count(&self, verb: Verb, resource: &str) -> u64 {
        self.shared.requests.count(verb, resource)
    }

    /// How often an event was encoded for a watch since the start. Watches that look alike share
    /// one encoding; those that want tables have one each.
    #[must_use]
    pub fn event_encodings(&self) -> u64 {
        let encodings = &self.shared.encodings;
        encodings.load(std::sync::atomic::Ordering::Relaxed)
    }

    /// Forgets all requests and counts.
    pub fn reset_requests(&self) {
        self.shared.requests.reset();
    }

    /// The first remembered request that matches, at once or when it arrives.
    ///
    /// # Cancel safety
    ///
    /// Nothing is taken out of the log, so nothing is lost.
    pub async fn await_request(&self, matcher: Matcher) -> Arc<RecordedRequest> {
        self.await_nth_request(matcher, 1).await
    }

    /// The `nth` remembered request that matches, counted from 1, at once or when it arrives.
    ///
    /// # Cancel safety
    ///
    /// Nothing is taken out of the log, so nothing is lost.
    pub async fn await_nth_request(&self, matcher: Matcher, nth: usize) -> Arc<RecordedRequest> {
        self.shared.requests.wait(&matcher, nth).await
    }

    /// Holds every request that comes from now on before anything is done about it.
    pub fn pause_requests(&self) {
        self.shared.activity.shut(true);
    }

    /// Lets the held requests, and those that come, pass.
    pub fn resume_requests(&self) {
        self.shared.activity.shut(false);
    }

    /// Lets one request pass, now or when it comes, while the others are held.
    pub fn step_request(&self) {
        self.shared.activity.step();
    }

    /// How many requests are held.
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

    /// Resolves when nothing is going on: every request has its whole answer, no watch has
    /// something to send, the garbage collector has nothing to look at. An answer counts as sent
    /// when the last of it is with the operating system; what clients make of it is not known here.
    ///
    /// Never, while a request or a watch is held or stalled, or a client does not read a long
    /// answer to its end.
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

    /// Checks that nothing is going on, in the sense of [`await_idle`](Self::await_idle).
    ///
    /// # Panics
    ///
    /// If something is, saying what.
    #[track_caller]
    pub fn assert_idle(&self) {
        let busy = self.busy_with();
        assert!(busy.is_empty(), "the server is not idle: {busy}");
    }

    fn busy_with(&self) -> String {
        let running = self.shared.activity.running();
        let positions = self.shared.watches.positions();
        let state = self.shared.state();
        let behind = |(resource, settled): &&(ResourceId, Option<u64>)| {
            settled.is_none_or(|at| state.store.log.after(*resource, at).next().is_some())
        };
        let watches = positions.iter().filter(behind).count();
        let mut busy = Vec::new();
        if running > 0 {
            busy.push(format!("{running} requests without their whole answer"));
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
