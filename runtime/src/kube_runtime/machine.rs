//! From notifications to what kube's watcher would say. Pure.

use std::collections::VecDeque;

use kube::runtime::watcher;

use crate::event::Event;

/// Tells `Init`, the initial state, `InitDone`, and then each change.
///
/// # Invariants
///
/// 1. `InitApply` comes between `Init` and `InitDone` only, which come once each.
/// 2. `Delete` comes after `InitDone` only: kube's store keeps the initial state in a buffer that a
///    `Delete` does not reach.
#[derive(Debug)]
pub(super) struct Machine<H> {
    /// Whether the initial state has been told whole.
    is_live: bool,
    /// What is to be said; emptied before the next notification is asked for.
    ready: VecDeque<watcher::Event<H>>,
}

// === impl Machine ===

impl<H: Clone> Machine<H> {
    pub(super) fn new() -> Self {
        Self {
            is_live: false,
            ready: VecDeque::from([watcher::Event::Init]),
        }
    }

    /// The next thing to say.
    pub(super) fn next(&mut self) -> Option<watcher::Event<H>> {
        self.ready.pop_front()
    }

    /// Takes in a notification; `synced` if it came after the initial state.
    pub(super) fn on_event(&mut self, event: &Event<H>, synced: bool) {
        if synced || matches!(event, Event::Deleted(_)) {
            self.on_synced();
        }
        let object = event.object().clone();
        self.ready.push_back(match event {
            Event::Deleted(_) => watcher::Event::Delete(object),
            Event::Added(_) | Event::Updated(_) if self.is_live => watcher::Event::Apply(object),
            Event::Added(_) | Event::Updated(_) => watcher::Event::InitApply(object),
        });
    }

    /// The initial state was told.
    pub(super) fn on_synced(&mut self) {
        if !self.is_live {
            self.is_live = true;
            self.ready.push_back(watcher::Event::InitDone);
        }
    }
}
