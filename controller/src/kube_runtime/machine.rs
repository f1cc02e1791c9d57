//! Translation of events into those of kube's watcher. Pure.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use informer_runtime::{Event, ObjectKey};
use kube::runtime::watcher;

/// Emits `Init`, the initial state, `InitDone`, and then each change.
///
/// # Invariants
///
/// 1. `InitApply` occurs only between `Init` and `InitDone`, which occur once each.
/// 2. `Delete` occurs only after `InitDone`: kube's store buffers the initial state, and a `Delete`
///    has no effect on that buffer.
/// 3. `InitDone` occurs only after the whole initial state, because `Store::wait_until_ready` waits
///    for it.
#[derive(Debug)]
pub(super) struct Machine<T> {
    /// `true` after the complete initial state was emitted.
    is_live: bool,
    /// Objects of the initial state that were deleted before its end, which deletes them.
    deleted: BTreeMap<ObjectKey, Arc<T>>,
    /// Events to emit; emptied before the next event is taken.
    ready: VecDeque<watcher::Event<Arc<T>>>,
}

// === impl Machine ===

impl<T> Machine<T> {
    pub(super) fn new() -> Self {
        Self {
            is_live: false,
            deleted: BTreeMap::new(),
            ready: VecDeque::from([watcher::Event::Init]),
        }
    }

    /// Returns the next event to emit.
    pub(super) fn next(&mut self) -> Option<watcher::Event<Arc<T>>> {
        self.ready.pop_front()
    }

    /// Handles an event. `synced` is `true` if the event follows the initial state.
    pub(super) fn on_event(&mut self, event: &Event<T>, synced: bool) {
        if synced {
            self.on_synced();
        }
        let key = event.key();
        let object = Arc::clone(event.object());
        let is_deleted = matches!(event, Event::Deleted(_));
        if self.is_live {
            let change = if is_deleted {
                watcher::Event::Delete(object)
            } else {
                watcher::Event::Apply(object)
            };
            self.ready.push_back(change);
        } else if is_deleted {
            self.deleted.insert(key.clone(), object);
        } else {
            self.deleted.remove(key);
            self.ready.push_back(watcher::Event::InitApply(object));
        }
    }

    /// Handles the end of the initial state.
    pub(super) fn on_synced(&mut self) {
        if !self.is_live {
            self.is_live = true;
            self.ready.push_back(watcher::Event::InitDone);
            let deleted = std::mem::take(&mut self.deleted).into_values();
            self.ready.extend(deleted.map(watcher::Event::Delete));
        }
    }
}
