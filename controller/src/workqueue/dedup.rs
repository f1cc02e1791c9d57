//! Deduplication of items that are queued, in work, or both.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! 1. `waiting` contains every item of `order`, and the marked items: in work and added again.
//! 2. An item is handed out only if it is in `waiting` and not in work, whatever `order` returns.

use std::collections::VecDeque;
use std::collections::hash_map::Entry;
use std::fmt;
use std::hash::Hash;
use std::iter;
use std::sync::Arc;
use std::time::Duration;

use foldhash::HashMap;
use tokio::time::Instant;

use super::reason::Reasons;
use super::record::Recorder;

/// Order in which a [`WorkQueue`](super::WorkQueue) hands out its items.
///
/// The queue guarantees that an item is not pushed again before it is popped. All functions run
/// under the queue's lock: they must be fast, and must not call the queue. client-go's counterpart
/// is `Queue`, which has neither priorities nor times.
///
/// `now` is the time of the operation that caused the call; for a delayed item, the time at which
/// it was due. Times of consecutive calls can therefore go back, by at most such a delay. An item
/// that was pushed and is never popped is lost.
///
/// # Examples
///
/// Last in, first out:
///
/// ```
/// # use informer_controller::workqueue::{QueueOrder, WorkQueue};
/// use tokio::time::Instant;
///
/// #[derive(Default)]
/// struct Lifo(Vec<u32>);
///
/// impl QueueOrder<u32> for Lifo {
///     fn push(&mut self, item: u32, _priority: i32, _now: Instant) {
///         self.0.push(item);
///     }
///     fn pop(&mut self, _now: Instant) -> Option<u32> {
///         self.0.pop()
///     }
///     fn len(&self) -> usize {
///         self.0.len()
///     }
/// }
///
/// let queue: WorkQueue<u32> = WorkQueue::builder("numbers").order(Lifo::default()).build();
/// # drop(queue);
/// ```
pub trait QueueOrder<T>: Send {
    /// Notifies the order that a queued item was added again. `priority` is that of the new add,
    /// which may be lower than the item's. Default: does nothing.
    fn touch(&mut self, item: &T, priority: i32, now: Instant) {
        let _ = (item, priority, now);
    }

    /// Adds an item. An order without priorities ignores `priority`.
    fn push(&mut self, item: T, priority: i32, now: Instant);

    /// Removes and returns the next item.
    fn pop(&mut self, now: Instant) -> Option<T>;

    /// Returns the number of items.
    fn len(&self) -> usize;

    /// Reports whether the order has no items.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out, regardless of priorities: the default [`QueueOrder`].
#[derive(Debug, Clone)]
pub struct Fifo<T>(VecDeque<T>);

/// Items of a queue, without duplicates.
pub(super) struct Dedup<T> {
    /// Items to hand out: client-go's dirty set.
    waiting: HashMap<T, Waiting>,
    /// Items in work, with the time at which a worker took them: client-go's processing set.
    working: HashMap<T, Instant>,
    /// Number of items that are in both maps.
    marked: usize,
    order: Box<dyn QueueOrder<T>>,
    /// With a recorder, the reasons of all adds are kept.
    pub(super) recorder: Option<Arc<Recorder<T>>>,
}

/// Item that waits for a worker.
#[derive(Debug)]
struct Waiting {
    /// Time of the first add.
    since: Instant,
    /// Highest priority of all adds.
    priority: i32,
    /// Reason of the first add, and if they are kept, of the others.
    reasons: Reasons,
}

/// Result of an add.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AddResult {
    /// A worker can take the item.
    Queued,
    /// The item is in work, and will be queued when that work is done.
    Marked,
    /// The item was waiting already.
    Known,
}

/// Item that a worker has taken.
pub(super) struct Claimed<T> {
    pub(super) item: T,
    pub(super) priority: i32,
    pub(super) reasons: Reasons,
    /// Time since the first add.
    pub(super) latency: Duration,
    /// Recorder to which the call is to be reported.
    pub(super) recorder: Option<Arc<Recorder<T>>>,
}

/// Result of the end of an item's work.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finished {
    /// Time that the item was in work.
    pub(super) duration: Duration,
    /// `true` if the item was marked, so that a worker can take it again.
    pub(super) requeued: bool,
}

// === impl Fifo ===

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> QueueOrder<T> for Fifo<T> {
    fn push(&mut self, item: T, _priority: i32, _now: Instant) {
        self.0.push_back(item);
    }

    fn pop(&mut self, _now: Instant) -> Option<T> {
        self.0.pop_front()
    }

    fn len(&self) -> usize {
        self.0.len()
    }
}

// === impl Dedup ===

impl<T: Clone + Eq + Hash> Dedup<T> {
    pub(super) fn new(order: Box<dyn QueueOrder<T>>) -> Self {
        Self {
            waiting: HashMap::default(),
            working: HashMap::default(),
            marked: 0,
            order,
            recorder: None,
        }
    }

    pub(super) fn add(
        &mut self,
        item: T,
        priority: i32,
        reasons: Reasons,
        now: Instant,
    ) -> AddResult {
        let in_work = self.working.contains_key(&item);
        let waiting = |reasons| Waiting {
            since: now,
            priority,
            reasons,
        };
        match self.waiting.entry(item) {
            Entry::Occupied(mut known) => {
                if !in_work {
                    self.order.touch(known.key(), priority, now);
                }
                let waiting = known.get_mut();
                waiting.priority = waiting.priority.max(priority);
                if self.recorder.is_some() {
                    waiting.reasons.extend(reasons);
                }
                AddResult::Known
            }
            Entry::Vacant(new) if in_work => {
                new.insert(waiting(reasons));
                self.marked += 1;
                AddResult::Marked
            }
            Entry::Vacant(new) => {
                self.order.push(new.key().clone(), priority, now);
                new.insert(waiting(reasons));
                AddResult::Queued
            }
        }
    }

    /// Reports whether `item` is queued or marked.
    pub(super) fn is_waiting(&self, item: &T) -> bool {
        self.waiting.contains_key(item)
    }

    pub(super) fn claim(&mut self, now: Instant) -> Option<Claimed<T>> {
        loop {
            let item = self.order.pop(now)?;
            if self.working.contains_key(&item) {
                continue;
            }
            let Some(waiting) = self.waiting.remove(&item) else {
                continue;
            };
            self.working.insert(item.clone(), now);
            return Some(Claimed {
                item,
                priority: waiting.priority,
                reasons: waiting.reasons,
                latency: now.saturating_duration_since(waiting.since),
                recorder: self.recorder.clone(),
            });
        }
    }

    /// Ends the work on `item`. Returns `None` if the item was not in work.
    pub(super) fn finish(&mut self, item: &T, now: Instant) -> Option<Finished> {
        let (item, since) = self.working.remove_entry(item)?;
        let marked = self.waiting.get(&item).map(|waiting| waiting.priority);
        if let Some(priority) = marked {
            self.marked -= 1;
            self.order.push(item, priority, now);
        }
        Some(Finished {
            duration: now.saturating_duration_since(since),
            requeued: marked.is_some(),
        })
    }

    /// Removes and returns the items that do not satisfy `keeps`. Those in work stay there, but are not
    /// marked any more.
    pub(super) fn retain(&mut self, keeps: impl Fn(&T) -> bool, now: Instant) -> Vec<T> {
        let removed: Vec<T> = self
            .waiting
            .extract_if(|item, _| !keeps(item))
            .map(|(item, _)| item)
            .collect();
        for item in &removed {
            if self.working.contains_key(item) {
                self.marked -= 1;
            }
        }
        // An order cannot remove, so that its items are queued again.
        let queued: Vec<T> = iter::from_fn(|| self.order.pop(now)).collect();
        for item in queued {
            if let Some(waiting) = self.waiting.get(&item) {
                self.order.push(item, waiting.priority, waiting.since);
            }
        }
        removed
    }

    pub(super) fn in_work(&self) -> Vec<T> {
        self.working.keys().cloned().collect()
    }

    /// Returns at most `most` of the items that wait.
    pub(super) fn waiting(&self, most: usize, now: Instant) -> Vec<(T, Reasons, Duration)> {
        let waiting = self.waiting.iter().take(most);
        let shown = waiting.map(|(item, waiting)| {
            let time = now.saturating_duration_since(waiting.since);
            (item.clone(), waiting.reasons.clone(), time)
        });
        shown.collect()
    }

    /// Returns the number of items that a worker could take now.
    pub(super) fn queued(&self) -> usize {
        self.order.len()
    }

    /// Returns the number of items that wait for a worker, including marked ones.
    pub(super) fn depth(&self) -> usize {
        self.order.len() + self.marked
    }

    /// Reports whether no item is queued, marked or in work.
    pub(super) fn is_idle(&self) -> bool {
        self.order.is_empty() && self.working.is_empty()
    }

    /// Returns the time that each item has been in work.
    pub(super) fn running(&self, now: Instant) -> impl Iterator<Item = Duration> {
        let since = self.working.values();
        since.map(move |since| now.saturating_duration_since(*since))
    }
}

impl<T: fmt::Debug> fmt::Debug for Dedup<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Dedup")
            .field("queued", &self.order.len())
            .field("waiting", &self.waiting)
            .field("working", &self.working)
            .finish_non_exhaustive()
    }
}
