//! From notifications to what kube's watcher would say. Pure.

use std::collections::VecDeque;

use kube::runtime::watcher;

use crate::Event;

/// Where a stream is between its first event and the tail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Phase {
    /// Nothing was said.
    Created,
    /// The initial state is being told.
    Initial,
    /// It has been told whole.
    Live,
}

/// Tells `Init`, the initial state, `InitDone`, and then each change.
///
/// # Invariants
///
/// 1. `InitApply` comes between `Init` and `InitDone` only, which come once each.
/// 2. `Delete` comes after `InitDone` only: kube's store keeps the initial state in a buffer that a
///    `Delete` does not reach.
#[derive(Debug)]
pub(super) struct Machine<H> {
    phase: Phase,
    /// What is to be said; two at most.
    ready: VecDeque<watcher::Event<H>>,
}

// === impl Machine ===

impl<H: Clone> Machine<H> {
    pub(super) fn new() -> Self {
        Self {
            phase: Phase::Created,
            ready: VecDeque::with_capacity(2),
        }
    }

    /// The next thing to say.
    pub(super) fn next(&mut self) -> Option<watcher::Event<H>> {
        if self.phase == Phase::Created {
            self.phase = Phase::Initial;
            return Some(watcher::Event::Init);
        }
        self.ready.pop_front()
    }

    /// Takes in a notification; `synced` if it came after the initial state.
    pub(super) fn on_event(&mut self, event: &Event<H>, synced: bool) {
        if synced || matches!(event, Event::Deleted(_)) {
            self.on_synced();
        }
        let object = event.object().clone();
        self.ready.push_back(match (event, self.phase) {
            (Event::Deleted(_), _) => watcher::Event::Delete(object),
            (Event::Added(_) | Event::Updated(_), Phase::Live) => watcher::Event::Apply(object),
            (Event::Added(_) | Event::Updated(_), _) => watcher::Event::InitApply(object),
        });
    }

    /// The initial state was told.
    pub(super) fn on_synced(&mut self) {
        if self.phase != Phase::Live {
            self.phase = Phase::Live;
            self.ready.push_back(watcher::Event::InitDone);
        }
    }
}
