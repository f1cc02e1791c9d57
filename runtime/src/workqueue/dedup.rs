//! What is queued, what is in work, and what is both.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! 1. `waiting` has every item of `order`, and the marked ones: in work and added again.
//! 2. An item is handed out only if it waits and is not in work, whatever the order says.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::Hash;
use std::time::Duration;

use tokio::time::Instant;

/// The order in which a [`WorkQueue`](super::WorkQueue) hands its items out.
///
/// The queue itself sees to it that an item is pushed once only until it is popped. Called under
/// the queue's lock: quick, and no call back into the queue. client-go's counterpart is `Queue`.
///
/// An order that does not pop what was pushed loses it.
///
/// # Examples
///
/// Last in, first out:
///
/// ```
/// use informer_runtime::workqueue::{QueueOrder, WorkQueue};
///
/// #[derive(Default)]
/// struct Lifo(Vec<u32>);
///
/// impl QueueOrder<u32> for Lifo {
///     fn push(&mut self, item: u32) {
///         self.0.push(item);
///     }
///     fn pop(&mut self) -> Option<u32> {
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
    /// Called when an item that is queued already is added again: the hook for priorities. Does
    /// nothing by default.
    fn touch(&mut self, item: &T) {
        let _ = item;
    }

    /// Takes an item in.
    fn push(&mut self, item: T);

    /// Hands out the item whose turn it is.
    fn pop(&mut self) -> Option<T>;

    /// How many items it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out: the default [`QueueOrder`].
#[derive(Debug, Clone)]
pub struct Fifo<T>(VecDeque<T>);

/// The items of a queue, each known once.
pub(super) struct Dedup<T> {
    /// Items to hand out, since when: client-go's dirty set.
    waiting: HashMap<T, Instant>,
    /// Items handed out, since when: client-go's processing set.
    working: HashMap<T, Instant>,
    /// How many are in both.
    marked: usize,
    order: Box<dyn QueueOrder<T>>,
}

/// What an add came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// A worker can take it.
    Queued,
    /// It is in work, and will be queued when that is done.
    Marked,
    /// It was waiting before.
    Known,
}

/// An item that goes into work.
#[derive(Debug)]
pub(super) struct Claimed<T> {
    pub(super) item: T,
    /// How long it has waited, from the first add on.
    pub(super) latency: Duration,
}

/// What the end of an item's work came to.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Finished {
    /// How long it was in work.
    pub(super) duration: Duration,
    /// It had been marked: a worker can take it again.
    pub(super) requeued: bool,
}

// === impl Fifo ===

impl<T> Default for Fifo<T> {
    fn default() -> Self {
        Self(VecDeque::new())
    }
}

impl<T: Send> QueueOrder<T> for Fifo<T> {
    fn push(&mut self, item: T) {
        self.0.push_back(item);
    }

    fn pop(&mut self) -> Option<T> {
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
            waiting: HashMap::new(),
            working: HashMap::new(),
            marked: 0,
            order,
        }
    }

    pub(super) fn add(&mut self, item: T, now: Instant) -> Added {
        let in_work = self.working.contains_key(&item);
        match self.waiting.entry(item) {
            Entry::Occupied(known) => {
                if !in_work {
                    self.order.touch(known.key());
                }
                Added::Known
            }
            Entry::Vacant(new) if in_work => {
                new.insert(now);
                self.marked += 1;
                Added::Marked
            }
            Entry::Vacant(new) => {
                self.order.push(new.key().clone());
                new.insert(now);
                Added::Queued
            }
        }
    }

    pub(super) fn claim(&mut self, now: Instant) -> Option<Claimed<T>> {
        loop {
            let item = self.order.pop()?;
            if self.working.contains_key(&item) {
                continue;
            }
            let Some(since) = self.waiting.remove(&item) else {
                continue;
            };
            self.working.insert(item.clone(), now);
            return Some(Claimed {
                item,
                latency: now.saturating_duration_since(since),
            });
        }
    }

    /// Ends the work on `item`; `None` if it was not in work.
    pub(super) fn finish(&mut self, item: &T, now: Instant) -> Option<Finished> {
        let (item, since) = self.working.remove_entry(item)?;
        let requeued = self.waiting.contains_key(&item);
        if requeued {
            self.marked -= 1;
            self.order.push(item);
        }
        Some(Finished {
            duration: now.saturating_duration_since(since),
            requeued,
        })
    }

    /// How many items a worker could take now.
    pub(super) fn queued(&self) -> usize {
        self.order.len()
    }

    /// How many items wait for a worker, marked ones included.
    pub(super) fn depth(&self) -> usize {
        self.order.len() + self.marked
    }

    /// Whether nothing is queued, marked or in work.
    pub(super) fn is_idle(&self) -> bool {
        self.order.is_empty() && self.working.is_empty()
    }

    /// How long each item in work has been there.
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
