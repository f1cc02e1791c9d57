//! State of a [`WorkQueue`](super::WorkQueue). Pure.
//!
//! Time is an argument. [`Effects`] lists the actions that follow after the lock is released.

use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::dedup::{AddResult, Claimed, Dedup, QueueOrder};
use super::delay::Delayed;
use super::metrics::WorkQueueMetrics;
use super::reason::Reasons;

/// Practically infinite delay. The sum of this and an `Instant` does not overflow on any system.
const FAR: Duration = Duration::from_secs(86_400 * 365 * 30);

/// State of one queue.
#[derive(Debug)]
pub(super) struct QueueState<T> {
    pub(super) items: Dedup<T>,
    delayed: Delayed<T>,
    pub(super) phase: QueuePhase,
    /// Without the gauges.
    pub(super) counters: WorkQueueMetrics,
}

/// Phase of a queue's life cycle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum QueuePhase {
    /// Accepts items.
    Running,
    /// Ignores adds; a caller waits for all work to be done.
    Draining,
    /// Ignores adds.
    ShutDown,
}

/// Actions that follow after the lock is released.
#[derive(Debug, Default, Clone, Copy, PartialEq)]
#[must_use]
pub(super) struct Effects {
    /// Number of waiting workers to wake: one per item that became available.
    pub(super) workers: usize,
    /// `true` to wake all waiting workers, because the next due time has changed or no further item
    /// can come.
    pub(super) all_workers: bool,
    /// `true` to wake the callers that wait for the queue to drain.
    pub(super) drained: bool,
}

/// Result of a worker's attempt to take an item.
pub(super) enum Taken<T> {
    /// Item that is in work from now on.
    Item(Claimed<T>),
    /// No item is available. Contains the time at which the next delayed item is due.
    Wait(Option<Instant>),
    /// No further item can come.
    Ended,
}

// === impl QueueState ===

impl<T: Clone + Eq + Hash> QueueState<T> {
    pub(super) fn new(order: Box<dyn QueueOrder<T>>) -> Self {
        Self {
            items: Dedup::new(order),
            delayed: Delayed::default(),
            phase: QueuePhase::Running,
            counters: WorkQueueMetrics::default(),
        }
    }

    /// Adds an item with client-go's semantics: a delayed copy of the item stays.
    pub(super) fn add_after(
        &mut self,
        item: T,
        delay: Duration,
        priority: i32,
        reasons: Reasons,
        now: Instant,
    ) -> Effects {
        if self.phase != QueuePhase::Running {
            return Effects::default();
        }
        let mut effects = self.promote(now);
        self.place(item, delay, priority, reasons, now, &mut effects);
        effects
    }

    /// Adds an item with controller-runtime's semantics: merges this add with an existing one, to
    /// the earlier time and the higher priority.
    pub(super) fn add_with(
        &mut self,
        item: T,
        mut delay: Duration,
        mut priority: i32,
        mut reasons: Reasons,
        now: Instant,
    ) -> Effects {
        if self.phase != QueuePhase::Running {
            return Effects::default();
        }
        let mut effects = self.promote(now);
        if self.items.is_waiting(&item) {
            delay = Duration::ZERO;
        }
        if delay.is_zero()
            && let Some(delayed) = self.delayed.remove(&item)
        {
            priority = delayed.priority.max(priority);
            if self.items.recorder.is_some() {
                reasons.extend(delayed.reasons);
            }
        }
        self.place(item, delay, priority, reasons, now, &mut effects);
        effects
    }

    pub(super) fn take(&mut self, now: Instant) -> (Taken<T>, Effects) {
        let mut effects = self.promote(now);
        if let Some(claimed) = self.items.claim(now) {
            self.counters
                .claimed(claimed.latency, claimed.reasons.first());
            // This item may have been the last one, so waiting workers must see the end.
            effects.all_workers |= self.has_ended();
            return (Taken::Item(claimed), effects);
        }
        if self.has_ended() {
            return (Taken::Ended, effects);
        }
        (Taken::Wait(self.delayed.next_due()), effects)
    }

    pub(super) fn done(&mut self, item: &T, now: Instant) -> Effects {
        let mut effects = self.promote(now);
        let Some(finished) = self.items.finish(item, now) else {
            return effects;
        };
        self.counters.work_duration.record(finished.duration);
        effects.workers += usize::from(finished.requeued);
        effects.all_workers |= self.has_ended();
        effects.drained = self.is_drained();
        effects
    }

    /// Ignores further adds, and returns the delayed items, for the caller to drop.
    pub(super) fn shut_down(&mut self, phase: QueuePhase, now: Instant) -> (Delayed<T>, Effects) {
        let mut effects = self.promote(now);
        self.phase = phase;
        effects.all_workers = true;
        effects.drained = true;
        (std::mem::take(&mut self.delayed), effects)
    }

    /// Removes the items that wait and do not satisfy `keeps`, and returns them for the caller to drop.
    pub(super) fn retain(&mut self, keeps: impl Fn(&T) -> bool, now: Instant) -> (Vec<T>, Effects) {
        let mut removed = self.items.retain(&keeps, now);
        removed.extend(self.delayed.retain(keeps));
        let effects = Effects {
            all_workers: true,
            drained: true,
            ..Effects::default()
        };
        (removed, effects)
    }

    /// Reports whether no item is queued, marked or in work, and no item can be added.
    pub(super) fn is_drained(&self) -> bool {
        self.phase != QueuePhase::Running && self.items.is_idle()
    }

    /// Counts an `add_rate_limited`.
    pub(super) fn count_retry(&mut self) {
        if self.phase == QueuePhase::Running {
            self.counters.retries += 1;
        }
    }

    /// Returns the number of items that a worker could take at `now`.
    pub(super) fn len(&mut self, now: Instant) -> (usize, Effects) {
        let effects = self.promote(now);
        (self.items.queued(), effects)
    }

    pub(super) fn metrics(&mut self, now: Instant) -> (WorkQueueMetrics, Effects) {
        let effects = self.promote(now);
        let metrics = self.counters.with_gauges(
            self.items.depth(),
            self.delayed.len(),
            self.items.running(now),
        );
        (metrics, effects)
    }

    /// Queues each due item, as of the time at which it was due.
    fn promote(&mut self, now: Instant) -> Effects {
        let mut effects = Effects::default();
        while let Some((item, due)) = self.delayed.pop_due(now) {
            let (at, _) = due.slot;
            self.enqueue(item, due.priority, due.reasons, at, &mut effects);
        }
        effects
    }

    fn place(
        &mut self,
        item: T,
        delay: Duration,
        priority: i32,
        reasons: Reasons,
        now: Instant,
        effects: &mut Effects,
    ) {
        if delay.is_zero() {
            self.enqueue(item, priority, reasons, now, effects);
            return;
        }
        let at = now.checked_add(delay.min(FAR)).unwrap_or(now);
        let keeps_all = self.items.recorder.is_some();
        let delayed = &mut self.delayed;
        effects.all_workers |= delayed.insert(item, at, priority, reasons, keeps_all);
    }

    fn enqueue(
        &mut self,
        item: T,
        priority: i32,
        reasons: Reasons,
        now: Instant,
        effects: &mut Effects,
    ) {
        match self.items.add(item, priority, reasons, now) {
            AddResult::Known => return,
            AddResult::Queued => effects.workers += 1,
            AddResult::Marked => {}
        }
        self.counters.adds += 1;
    }

    /// Reports whether no further item can come. A marked item still comes when its work is done.
    fn has_ended(&self) -> bool {
        self.phase != QueuePhase::Running && self.items.depth() == 0
    }
}
