//! All that a queue knows: the pure part of [`WorkQueue`](super::WorkQueue).
//!
//! Time is an argument, and a [`Wake`] says who is to be woken once the lock is released.

use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

use super::dedup::{Added, Claimed, Dedup, QueueOrder};
use super::delay::Delayed;
use super::metrics::{Metrics, Recorder};

/// As good as for ever; an `Instant` plus this does not overflow on any system.
const FAR: Duration = Duration::from_secs(86_400 * 365 * 30);

/// The state of one queue.
#[derive(Debug)]
pub(super) struct State<T> {
    items: Dedup<T>,
    delayed: Delayed<T>,
    phase: Phase,
    recorder: Recorder,
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

/// Who is to be woken.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
#[must_use]
pub(super) struct Wake {
    /// As many waiting workers: so many items came.
    pub(super) workers: usize,
    /// All waiting workers: the time to wait until has changed, or there is nothing to wait for.
    pub(super) all_workers: bool,
    /// Those who wait for the queue to be drained.
    pub(super) drained: bool,
}

/// What a worker gets.
#[derive(Debug)]
pub(super) enum Taken<T> {
    /// An item, in work from now on.
    Item(T),
    /// Nothing yet; the next delayed item is due then.
    Wait(Option<Instant>),
    /// Nothing ever again.
    Ended,
}

// === impl State ===

impl<T: Clone + Eq + Hash> State<T> {
    pub(super) fn new(order: Box<dyn QueueOrder<T>>) -> Self {
        Self {
            items: Dedup::new(order),
            delayed: Delayed::default(),
            phase: Phase::Running,
            recorder: Recorder::default(),
        }
    }

    pub(super) fn phase(&self) -> Phase {
        self.phase
    }

    pub(super) fn add(&mut self, item: T, now: Instant) -> Wake {
        if self.phase != Phase::Running {
            return Wake::default();
        }
        let mut wake = self.promote(now);
        self.enqueue(item, now, &mut wake);
        wake
    }

    pub(super) fn add_after(&mut self, item: T, delay: Duration, now: Instant) -> Wake {
        if self.phase != Phase::Running {
            return Wake::default();
        }
        let mut wake = self.promote(now);
        if delay.is_zero() {
            self.enqueue(item, now, &mut wake);
            return wake;
        }
        let at = now.checked_add(delay.min(FAR)).unwrap_or(now);
        wake.all_workers |= self.delayed.insert(item, at);
        wake
    }

    pub(super) fn take(&mut self, now: Instant) -> (Taken<T>, Wake) {
        let mut wake = self.promote(now);
        if let Some(Claimed { item, latency }) = self.items.claim(now) {
            self.recorder.claimed(latency);
            // That may have been the last one: who still waits has nothing to wait for.
            wake.all_workers |= self.has_ended();
            return (Taken::Item(item), wake);
        }
        if self.has_ended() {
            return (Taken::Ended, wake);
        }
        (Taken::Wait(self.delayed.next_due()), wake)
    }

    pub(super) fn done(&mut self, item: &T, now: Instant) -> Wake {
        let mut wake = self.promote(now);
        let Some(finished) = self.items.finish(item, now) else {
            return wake;
        };
        self.recorder.finished(finished.duration);
        wake.workers += usize::from(finished.requeued);
        wake.all_workers |= self.has_ended();
        wake.drained = self.is_drained();
        wake
    }

    /// Takes no more items, and gives back those whose time has not come, to be dropped.
    pub(super) fn shut_down(&mut self, phase: Phase, now: Instant) -> (Delayed<T>, Wake) {
        let mut wake = self.promote(now);
        self.phase = phase;
        wake.all_workers = true;
        wake.drained = true;
        (std::mem::take(&mut self.delayed), wake)
    }

    /// Whether nothing is queued, marked or in work any more, and nothing can be added.
    pub(super) fn is_drained(&self) -> bool {
        self.phase != Phase::Running && self.items.is_idle()
    }

    /// Counts an `add_rate_limited`.
    pub(super) fn count_retry(&mut self) {
        if self.phase == Phase::Running {
            self.recorder.retries += 1;
        }
    }

    /// Counts a reconciliation that failed.
    pub(super) fn count_failure(&mut self, panicked: bool) {
        self.recorder.failures += 1;
        self.recorder.panics += u64::from(panicked);
    }

    /// How many items a worker could take at `now`.
    pub(super) fn len(&mut self, now: Instant) -> (usize, Wake) {
        let wake = self.promote(now);
        (self.items.queued(), wake)
    }

    pub(super) fn metrics(&mut self, now: Instant) -> (Metrics, Wake) {
        let wake = self.promote(now);
        let metrics = self.recorder.snapshot(
            self.items.depth(),
            self.delayed.len(),
            self.items.running(now),
        );
        (metrics, wake)
    }

    /// Queues what is due, as of the time at which it was due.
    fn promote(&mut self, now: Instant) -> Wake {
        let mut wake = Wake::default();
        while let Some((due, item)) = self.delayed.pop_due(now) {
            self.enqueue(item, due, &mut wake);
        }
        wake
    }

    fn enqueue(&mut self, item: T, now: Instant, wake: &mut Wake) {
        let added = self.items.add(item, now);
        self.recorder.adds += u64::from(added != Added::Known);
        wake.workers += usize::from(added == Added::Queued);
    }

    /// Whether no item can come any more: a marked one still does when its work is done.
    fn has_ended(&self) -> bool {
        self.phase != Phase::Running && self.items.depth() == 0
    }
}
