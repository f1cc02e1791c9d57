//! All that a queue knows: the pure part of [`WorkQueue`](super::WorkQueue).
//!
//! Time is an argument, and [`Effects`] say what is to be done once the lock is released.

use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::dedup::{Added, Claimed, Dedup, QueueOrder};
use super::delay::{Delayed, Ready};
use super::metrics::{Counters, WorkQueueMetrics};
use super::recorder::Observed;

/// As good as for ever; an `Instant` plus this does not overflow on any system.
const FAR: Duration = Duration::from_secs(86_400 * 365 * 30);

/// The state of one queue.
#[derive(Debug)]
pub(super) struct State<T> {
    items: Dedup<T>,
    delayed: Delayed<T>,
    phase: Phase,
    counters: Counters,
    /// Whether somebody wants to hear what happens as it happens.
    is_observed: bool,
}

/// How far a queue is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Phase {
    /// Takes items.
    Running,
    /// Takes no more, and somebody waits for all work to be done.
    Draining,
    /// Takes no more.
    ShutDown,
}

/// What is to be done once the lock is released.
#[derive(Debug, Default, PartialEq)]
#[must_use]
pub(super) struct Effects {
    /// As many waiting workers are to be woken: so many items came.
    pub(super) workers: usize,
    /// All waiting workers are: the time to wait until has changed, or there is nothing to wait for.
    pub(super) all_workers: bool,
    /// Those are who wait for the queue to be drained.
    pub(super) drained: bool,
    /// What the user's recorder is to be told; empty if there is none.
    pub(super) observed: Vec<Observed>,
}

/// What a worker gets.
#[derive(Debug)]
pub(super) enum Taken<T> {
    /// An item, in work from now on, and its priority.
    Item(T, i32),
    /// Nothing yet; the next delayed item is due then.
    Wait(Option<Instant>),
    /// Nothing ever again.
    Ended,
}

// === impl State ===

impl<T: Clone + Eq + Hash> State<T> {
    pub(super) fn new(order: Box<dyn QueueOrder<T>>, is_observed: bool) -> Self {
        Self {
            items: Dedup::new(order),
            delayed: Delayed::default(),
            phase: Phase::Running,
            counters: Counters::default(),
            is_observed,
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn add(&mut self, item: T, now: Instant) -> Effects {
        self.add_after(item, Duration::ZERO, 0, now)
    }

    /// Adds an item as client-go does: its delayed copy, if there is one, stays.
    pub(super) fn add_after(
        &mut self,
        item: T,
        delay: Duration,
        priority: i32,
        now: Instant,
    ) -> Effects {
        if self.phase != Phase::Running {
            return Effects::default();
        }
        let mut effects = self.promote(now);
        self.place(item, delay, priority, now, &mut effects);
        effects
    }

    /// Adds an item as controller-runtime does: it is in one place only, at the earlier time and
    /// with the higher priority.
    pub(super) fn add_with(
        &mut self,
        item: T,
        mut delay: Duration,
        mut priority: i32,
        now: Instant,
    ) -> Effects {
        if self.phase != Phase::Running {
            return Effects::default();
        }
        let mut effects = self.promote(now);
        if self.items.is_waiting(&item) {
            delay = Duration::ZERO;
        }
        if delay.is_zero() {
            let delayed = self.delayed.remove(&item);
            priority = delayed.map_or(priority, |delayed| delayed.max(priority));
        }
        self.place(item, delay, priority, now, &mut effects);
        effects
    }

    pub(super) fn take(&mut self, now: Instant) -> (Taken<T>, Effects) {
        let mut effects = self.promote(now);
        if let Some(Claimed {
            item,
            priority,
            latency,
        }) = self.items.claim(now)
        {
            self.counters.claimed(latency);
            self.observe(&mut effects, Observed::Claimed { priority, latency });
            // That may have been the last one: who still waits has nothing to wait for.
            effects.all_workers |= self.has_ended();
            return (Taken::Item(item, priority), effects);
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
        self.counters.finished(finished.duration);
        self.observe(&mut effects, Observed::Finished(finished.duration));
        effects.workers += usize::from(finished.requeued);
        effects.all_workers |= self.has_ended();
        effects.drained = self.is_drained();
        effects
    }

    /// Takes no more items, and gives back those whose time has not come, to be dropped.
    pub(super) fn shut_down(&mut self, phase: Phase, now: Instant) -> (Delayed<T>, Effects) {
        let mut effects = self.promote(now);
        self.phase = phase;
        effects.all_workers = true;
        effects.drained = true;
        (std::mem::take(&mut self.delayed), effects)
    }

    /// Whether nothing is queued, marked or in work any more, and nothing can be added.
    pub(super) fn is_drained(&self) -> bool {
        self.phase != Phase::Running && self.items.is_idle()
    }

    /// Counts an `add_rate_limited`.
    pub(super) fn count_retry(&mut self, effects: &mut Effects) {
        if self.phase == Phase::Running {
            self.counters.retries += 1;
            self.observe(effects, Observed::Retried);
        }
    }

    /// Counts a reconciliation that failed.
    pub(super) fn count_failure(&mut self, panicked: bool) -> Effects {
        self.counters.failures += 1;
        self.counters.panics += u64::from(panicked);
        let mut effects = Effects::default();
        self.observe(&mut effects, Observed::Failed { panicked });
        effects
    }

    /// How many items a worker could take at `now`.
    pub(super) fn len(&mut self, now: Instant) -> (usize, Effects) {
        let effects = self.promote(now);
        (self.items.queued(), effects)
    }

    pub(super) fn metrics(&mut self, now: Instant) -> (WorkQueueMetrics, Effects) {
        let effects = self.promote(now);
        let metrics = self.counters.snapshot(
            self.items.depth(),
            self.delayed.len(),
            self.items.running(now),
        );
        (metrics, effects)
    }

    /// Queues what is due, as of the time at which it was due.
    fn promote(&mut self, now: Instant) -> Effects {
        let mut effects = Effects::default();
        while let Some(Ready { item, priority, at }) = self.delayed.pop_due(now) {
            self.enqueue(item, priority, at, &mut effects);
        }
        effects
    }

    fn place(
        &mut self,
        item: T,
        delay: Duration,
        priority: i32,
        now: Instant,
        effects: &mut Effects,
    ) {
        if delay.is_zero() {
            self.enqueue(item, priority, now, effects);
            return;
        }
        let at = now.checked_add(delay.min(FAR)).unwrap_or(now);
        effects.all_workers |= self.delayed.insert(item, at, priority);
    }

    fn enqueue(&mut self, item: T, priority: i32, now: Instant, effects: &mut Effects) {
        match self.items.add(item, priority, now) {
            Added::Known => return,
            Added::Raised(from) => {
                let to = priority;
                return self.observe(effects, Observed::Raised { from, to });
            }
            Added::Queued => effects.workers += 1,
            Added::Marked => {}
        }
        self.counters.adds += 1;
        self.observe(effects, Observed::Added { priority });
    }

    fn observe(&self, effects: &mut Effects, observed: Observed) {
        if self.is_observed {
            effects.observed.push(observed);
        }
    }

    /// Whether no item can come any more: a marked one still does when its work is done.
    fn has_ended(&self) -> bool {
        self.phase != Phase::Running && self.items.depth() == 0
    }
}
