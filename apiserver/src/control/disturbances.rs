//! Faults, ended watches, expired versions, and a paused garbage collector.

use super::Control;
use crate::api::collector::{collect_one, settle};
use crate::api::rewind;
use crate::fault::requests::Matcher;
use crate::fault::watches::WatchEnd;
use crate::fault::{Fault, FaultRun, FaultScript};
use crate::status::ApiError;

// --- faults ---

impl Control {
    /// Applies `fault` to the next `n` requests that match. Faults apply in the order in which they
    /// were added, one to a request.
    pub fn fail_next(&self, n: usize, matcher: Matcher, fault: Fault) {
        if n > 0 {
            self.shared.faults.lock().arm(n, matcher, fault);
        }
    }

    /// Starts a script of faults. Its steps count the requests that arrive from now on. Several
    /// scripts, and the faults of [`fail_next`](Self::fail_next), work side by side.
    pub fn play(&self, script: FaultScript) -> FaultRun {
        script.play(std::sync::Arc::clone(&self.shared.faults))
    }

    /// Removes all pending faults, including those of scripts.
    pub fn clear_faults(&self) {
        self.shared.faults.lock().clear();
    }

    /// Returns the number of pending faults.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.faults.lock().waiting()
    }

    /// Answers `sendInitialEvents` with 422 Invalid, as a server without WatchList does.
    pub fn refuse_watch_list(&self, refuse: bool) {
        self.shared.switches().refuse_watch_list = refuse;
    }

    /// Answers every request for `resource` with 403 Forbidden, in the words of RBAC. Running
    /// watches continue.
    pub fn set_forbidden(&self, resource: &str, forbidden: bool) {
        let mut switches = self.shared.switches();
        if forbidden {
            switches.forbidden.insert(resource.to_owned());
        } else {
            switches.forbidden.remove(resource);
        }
    }
}

// --- watches and versions ---

impl Control {
    /// Returns the number of running watches of `resource`.
    #[must_use]
    pub fn watch_count(&self, resource: &str) -> usize {
        self.shared.watches.count(resource)
    }

    /// Resolves when exactly `count` watches of `resource` are running.
    ///
    /// # Cancel safety
    ///
    /// Safe.
    pub async fn await_watches(&self, resource: &str, count: usize) {
        self.shared.watches.wait(resource, count).await;
    }

    /// Breaks the connections of all watches.
    pub fn disconnect_watches(&self) {
        self.shared.watches.end(None, WatchEnd::Cut);
    }

    /// Breaks the connections of the watches of `resource`.
    pub fn disconnect_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), WatchEnd::Cut);
    }

    /// Ends all watches cleanly, as a timeout does.
    pub fn close_watches(&self) {
        self.shared.watches.end(None, WatchEnd::Clean);
    }

    /// Ends the watches of `resource` cleanly, as a timeout does.
    pub fn close_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), WatchEnd::Clean);
    }

    /// Ends all watches with an `ERROR` event of code 410, as a server does that cannot continue
    /// from their position.
    pub fn expire_watches(&self) {
        self.shared.watches.end(None, WatchEnd::Expired);
    }

    /// Ends the watches of `resource` with an `ERROR` event of code 410.
    pub fn expire_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), WatchEnd::Expired);
    }

    /// Restores every object to its state at `resource_version`, continues counting from that
    /// version, and breaks the connections of all watches, as after a restore of etcd from a
    /// backup. Later changes reuse versions that clients have seen.
    ///
    /// # Errors
    ///
    /// If the version is in the future or older than the event window, or if a
    /// `CustomResourceDefinition` has changed since.
    pub fn rewind_to(&self, resource_version: u64) -> Result<(), ApiError> {
        rewind(&mut self.shared.state(), resource_version)?;
        self.disconnect_watches();
        Ok(())
    }

    /// Rewinds by `versions`, or as far as the event window allows, like
    /// [`rewind_to`](Self::rewind_to). Does nothing if a definition has changed since.
    pub(crate) fn rewind_by(&self, versions: u64) {
        let version = {
            let state = self.shared.state();
            let version = state.store.revision().saturating_sub(versions);
            version.max(state.store.log.compacted())
        };
        if let Err(error) = self.rewind_to(version) {
            tracing::debug!(%error, "cannot rewind");
        }
    }

    /// Shifts the server's clock by `seconds`. The clock determines `creationTimestamp`,
    /// `deletionTimestamp` and the header `Date`. 0 restores the correct time.
    pub fn set_clock_skew(&self, seconds: i64) {
        self.shared.state().clock.set_skew(seconds);
    }

    /// Breaks the connections of all watches and refills the watch cache, as a restart of the API
    /// server alone does. A watch from before the last event then answers 410; a list at an exact
    /// older version still succeeds, because etcd keeps its history.
    pub fn restart_watch_cache(&self) {
        {
            let mut state = self.shared.state();
            let revision = state.store.revision();
            state.store.log.fill_watch_cache(revision);
        }
        self.disconnect_watches();
    }

    /// Discards the event log: a watch or list from before the last event answers 410. A running
    /// watch that has read all events continues.
    pub fn compact(&self) {
        self.shared.state().store.log.compact();
    }
}

// --- garbage collection ---

impl Control {
    /// Pauses the garbage collector, or resumes it and works off its queue. While it is paused, an
    /// owner is deleted before its dependents are, as with a real collector between two rounds.
    pub fn hold_garbage_collection(&self, hold: bool) {
        let mut state = self.shared.state();
        state.dependents.held = hold;
        settle(&mut state);
        drop(state);
        self.shared.activity.notify();
    }

    /// Lets a paused garbage collector process one object. Returns `false` if its queue is empty.
    #[expect(
        clippy::must_use_candidate,
        reason = "callers need the side effect, not the result"
    )]
    pub fn step_garbage_collection(&self) -> bool {
        let worked = collect_one(&mut self.shared.state());
        self.shared.activity.notify();
        worked
    }
}
