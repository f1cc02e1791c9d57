//! Pending faults.

use super::kind::Fault;
use super::plan::FaultPlan;
use crate::fault::requests::{Matcher, RecordedRequest};

/// Pending faults.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// Faults of `fail_next`: at most one applies to a request, in the order in which they were
    /// added.
    next: Vec<Armed>,
    /// Steps of scripts: each applies to its request, in addition to any other fault.
    scripted: Vec<Scripted>,
    runs: u64,
}

#[derive(Debug)]
struct Armed {
    matcher: Matcher,
    fault: Fault,
    left: usize,
}

/// One step of a running script.
#[derive(Debug)]
struct Scripted {
    run: u64,
    matcher: Matcher,
    /// Number of matching requests to come, including the one that the step applies to.
    countdown: usize,
    fault: Fault,
}

// === impl Faults ===

impl Faults {
    pub(crate) fn arm(&mut self, n: usize, matcher: Matcher, fault: Fault) {
        self.next.push(Armed {
            matcher,
            fault,
            left: n,
        });
    }

    /// Arms the steps of a script and returns the number of the run, which identifies them.
    pub(super) fn play(&mut self, steps: impl Iterator<Item = (Matcher, usize, Fault)>) -> u64 {
        self.runs += 1;
        let run = self.runs;
        let steps = steps.map(|(matcher, nth, fault)| Scripted {
            run,
            matcher,
            countdown: nth.max(1),
            fault,
        });
        self.scripted.extend(steps);
        run
    }

    pub(super) fn stop(&mut self, run: u64) {
        self.scripted.retain(|step| step.run != run);
    }

    /// Returns the number of pending steps of a run.
    pub(super) fn left_of(&self, run: u64) -> usize {
        self.scripted.iter().filter(|step| step.run == run).count()
    }

    pub(crate) fn clear(&mut self) {
        self.next.clear();
        self.scripted.clear();
    }

    /// Removes and returns the faults that apply to `request`.
    pub(crate) fn take(&mut self, request: &RecordedRequest) -> FaultPlan {
        let mut faults = Vec::new();
        self.scripted.retain_mut(|step| {
            if step.matcher.matches(request) {
                step.countdown -= 1;
            }
            let due = step.countdown == 0;
            if due {
                faults.push(step.fault.clone());
            }
            !due
        });
        let mut next = self.next.iter_mut();
        if let Some(armed) = next.find(|armed| armed.matcher.matches(request)) {
            armed.left = armed.left.saturating_sub(1);
            faults.push(armed.fault.clone());
            self.next.retain(|armed| armed.left > 0);
        }
        FaultPlan::new(request.verb, faults)
    }

    pub(crate) fn waiting(&self) -> usize {
        self.next
            .iter()
            .map(|armed| armed.left)
            .fold(self.scripted.len(), usize::saturating_add)
    }
}
