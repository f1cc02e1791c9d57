//! Answers of the probes.

use std::time::Duration;

use informer_runtime::engine::Chain;
use informer_runtime::{InformerState, SharedInformerFactory};

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
        let mut this = Self::default();
        let Some(factory) = factory else {
            this.faults
                .push("the factory does not exist any more".to_owned());
            return this;
        };
        if let Err(waiting) = factory.check_ready() {
            this.faults = waiting.to_string().lines().map(str::to_owned).collect();
        }
        for informer in factory.informers() {
            let status = informer.status();
            if !status.has_synced {
                continue;
            }
            let line = format!("{}: {status}", informer.name());
            if follows(&status.state) || status.since.elapsed() <= stale_after {
                this.ready.push(line);
            } else {
                this.faults.push(line);
            }
        }
        this
    }

    /// Returns the answer as text, with a line for each informer.
    pub(crate) fn text(&self) -> String {
        let faults = self.faults.iter().map(|line| format!("[-] {line}\n"));
        let ready = self.ready.iter().map(|line| format!("[+] {line}\n"));
        let not = if self.faults.is_empty() { "" } else { "not " };
        faults
            .chain(ready)
            .chain([format!("{not}ready\n")])
            .collect()
    }
}

/// Reports whether no failure keeps an informer from following the server now.
pub(crate) fn follows(state: &InformerState) -> bool {
    !matches!(
        state,
        InformerState::Degraded { .. } | InformerState::Stale { .. }
    )
}

/// Returns a line for each task that has died; empty if all live. A process with one of them has to
/// be restarted.
pub(crate) fn dead(factory: Option<&SharedInformerFactory>) -> String {
    factory
        .map(SharedInformerFactory::run_errors)
        .unwrap_or_default()
        .iter()
        .map(|error| Chain(error).to_string())
        .collect::<Vec<_>>()
        .join("\n")
}
