//! What goes wrong: faults, watches that end, versions that are forgotten, a collector that waits.

use super::Control;
use crate::api::collector::{collect_one, settle};
use crate::api::rewind;
use crate::fault::requests::Matcher;
use crate::fault::watches::End;
use crate::fault::{Fault, FaultRun, FaultScript};
use crate::status::ApiError;

// --- faults ---

impl Control {
    /// Makes the next `n` requests that match fail. Faults apply in the order in which they were
    /// given, one to a request.
    pub fn fail_next(&self, n: usize, matcher: Matcher, fault: Fault) {
        if n > 0 {
            self.shared.faults.lock().arm(n, matcher, fault);
        }
    }

    /// Starts a script of faults. Its steps count the requests that come from now on; several
    /// scripts, and what [`fail_next`](Self::fail_next) was given, work beside each other.
    pub fn play(&self, script: FaultScript) -> FaultRun {
        script.play(std::sync::Arc::clone(&self.shared.faults))
    }

    /// Takes back the faults that have not happened, those of scripts as well.
    pub fn clear_faults(&self) {
        self.shared.faults.lock().clear();
    }

    /// How many requests are still to fail.
    #[must_use]
    pub fn faults_left(&self) -> usize {
        self.shared.faults.lock().waiting()
    }

    /// Answers `sendInitialEvents` with 422 Invalid, as a server without WatchList does.
    pub fn refuse_watch_list(&self, refuse: bool) {
        self.shared.switches().refuse_watch_list = refuse;
    }

    /// Answers every request for `resource` with 403 Forbidden, in RBAC's words. Running watches
    /// go on.
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
    /// How many watches of `resource` are running.
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
        self.shared.watches.end(None, End::Cut);
    }

    /// Breaks the connections of the watches of `resource`.
    pub fn disconnect_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Cut);
    }

    /// Ends all watches cleanly, as a timeout does.
    pub fn close_watches(&self) {
        self.shared.watches.end(None, End::Clean);
    }

    /// Ends the watches of `resource` cleanly, as a timeout does.
    pub fn close_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Clean);
    }

    /// Ends all watches with an `ERROR` event of code 410, as a server does that cannot go on from
    /// where they are.
    pub fn expire_watches(&self) {
        self.shared.watches.end(None, End::Expired);
    }

    /// Ends the watches of `resource` with an `ERROR` event of code 410.
    pub fn expire_watches_of(&self, resource: &str) {
        self.shared.watches.end(Some(resource), End::Expired);
    }

    /// Makes every object what it was at `resource_version`, which counts on from there, and
    /// breaks the connections of all watches: etcd restored from a backup. Versions that clients
    /// have seen are given a second time.
    ///
    /// # Errors
    ///
    /// If the version is still to come, is older than the event window, or if a
    /// `CustomResourceDefinition` has changed since.
    pub fn rewind_to(&self, resource_version: u64) -> Result<(), ApiError> {
        rewind(&mut self.shared.state(), resource_version)?;
        self.disconnect_watches();
        Ok(())
    }

    /// As [`rewind_to`](Self::rewind_to), by so many versions or as far as it goes. Not at all
    /// where a definition has changed since.
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

    /// Makes the server's clock wrong by so many seconds: what it writes into `creationTimestamp`,
    /// `deletionTimestamp` and the header `Date`. 0 puts it right.
    pub fn set_clock_skew(&self, seconds: i64) {
        self.shared.state().clock.set_skew(seconds);
    }

    /// Breaks the connections of all watches and fills the watch cache anew, as a restart of the API
    /// server alone does: a watch from before the last event answers 410, while etcd still has the
    /// history that lists at exactly an older version read.
    pub fn restart_watch_cache(&self) {
        {
            let mut state = self.shared.state();
            let revision = state.store.revision();
            state.store.log.fill_watch_cache(revision);
        }
        self.disconnect_watches();
    }

    /// Forgets every event: a watch or list from before the last event answers 410. Running
    /// watches that have read everything go on.
    pub fn compact(&self) {
        self.shared.state().store.log.compact();
    }
}

// --- garbage collection ---

impl Control {
    /// Keeps the garbage collector from working, or lets it work off what has come up. Held, it is
    /// what a real one is between two of its rounds: the owner is gone, its dependents are not yet.
    pub fn hold_garbage_collection(&self, hold: bool) {
        let mut state = self.shared.state();
        state.dependents.held = hold;
        settle(&mut state);
        drop(state);
        self.shared.activity.notify();
    }

    /// Lets a held garbage collector look at one object. False if there is none to look at.
    #[expect(
        clippy::must_use_candidate,
        reason = "to step is what it is called for"
    )]
    pub fn step_garbage_collection(&self) -> bool {
        let worked = collect_one(&mut self.shared.state());
        self.shared.activity.notify();
        worked
    }
}
