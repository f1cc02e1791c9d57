//! Answers of the probes.

use std::fmt::Write as _;
use std::time::Duration;

use informer_controller::engine::Chain;
use informer_controller::{InformerState, SharedInformerFactory};

/// Answer of the readiness probe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Readiness {
    /// Reasons why the factory is not ready: a line for each informer.
    pub(crate) faults: Vec<String>,
    /// Lines of the informers that are ready.
    ready: Vec<String>,
}

// === impl Readiness ===

impl Readiness {
    /// Checks that all informers have synced, and that none has been without contact to the server
    /// for longer than `stale_after`.
    pub(crate) fn of(factory: Option<&SharedInformerFactory>, stale_after: Duration) -> Self {
        let Some(factory) = factory else {
            return Self {
                faults: vec!["the factory does not exist any more".to_owned()],
                ready: Vec::new(),
            };
        };
        let mut this = Self::default();
        if let Err(waiting) = factory.check_ready() {
            this.faults = waiting.to_string().lines().map(str::to_owned).collect();
        }
        for informer in factory.informers() {
            let status = informer.status();
            if !status.has_synced {
                continue;
            }
            let since = status.since.elapsed();
            let (name, state, seconds) = (informer.name(), &status.state, since.as_secs());
            let mut line = format!("{name}: {state} for {seconds} s");
            if let InformerState::Degraded { cause } | InformerState::Stale { cause } = state {
                // Writing into a string cannot fail.
                _ = write!(line, ": {}", Chain(&**cause));
                if since > stale_after {
                    this.faults.push(line);
                    continue;
                }
            }
            this.ready.push(line);
        }
        this
    }

    /// Returns the answer as text, with a line for each informer.
    pub(crate) fn text(&self) -> String {
        let faults = self.faults.iter().map(|line| format!("[-] {line}\n"));
        let ready = self.ready.iter().map(|line| format!("[+] {line}\n"));
        let lines: String = faults.chain(ready).collect();
        let state = if self.faults.is_empty() {
            "ready"
        } else {
            "not ready"
        };
        format!("{lines}{state}\n")
    }
}

/// Returns a line for each task that has died; empty if all live. A process with one of them has to
/// be restarted.
pub(crate) fn dead(factory: Option<&SharedInformerFactory>) -> String {
    let errors = factory.map(SharedInformerFactory::run_errors);
    let errors = errors.into_iter().flatten();
    let lines: Vec<String> = errors.map(|error| Chain(&error).to_string()).collect();
    lines.join("\n")
}
