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
/// the queue's lock: quick, and no call back into the queue. client-go's counterpart is `Queue`,
/// which knows neither priorities nor time.
///
/// `now` is when the call's cause happened: for a delayed item the time at which it was due. It
/// never goes back by more than that. An order that does not pop what was pushed loses it.
///
/// # Examples
///
/// Last in, first out:
///
/// ```
/// # use informer_runtime::workqueue::{QueueOrder, WorkQueue};
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
    /// Called when an item that is queued already is added again, with the priority of that add,
    /// which may be lower than the item's. Does nothing by default.
    fn touch(&mut self, item: &T, priority: i32, now: Instant) {
        let _ = (item, priority, now);
    }

    /// Takes an item in. An order without priorities ignores that.
    fn push(&mut self, item: T, priority: i32, now: Instant);

    /// Hands out the item whose turn it is.
    fn pop(&mut self, now: Instant) -> Option<T>;

    /// How many items it holds.
    fn len(&self) -> usize;

    /// Whether it holds none.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

/// First in, first out, whatever the priority: the default [`QueueOrder`].
#[derive(Debug, Clone)]
pub struct Fifo<T>(VecDeque<T>);

/// The items of a queue, each known once.
pub(super) struct Dedup<T> {
    /// Items to hand out: client-go's dirty set.
    waiting: HashMap<T, Waiting>,
    /// Items handed out, since when: client-go's processing set.
    working: HashMap<T, Instant>,
    /// How many are in both.
    marked: usize,
    order: Box<dyn QueueOrder<T>>,
}

/// An item that waits.
#[derive(Debug)]
struct Waiting {
    /// From the first add on.
    since: Instant,
    /// The highest of all adds.
    priority: i32,
}

/// What an add came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Added {
    /// A worker can take it.
    Queued,
    /// It is in work, and will be queued when that is done.
    Marked,
    /// It was waiting before, with at least this priority.
    Known,
    /// It was waiting before, with a lower priority: this one.
    Raised(i32),
}

/// An item that goes into work.
#[derive(Debug)]
pub(super) struct Claimed<T> {
    pub(super) item: T,
    pub(super) priority: i32,
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
            waiting: HashMap::new(),
            working: HashMap::new(),
            marked: 0,
            order,
        }
    }

    pub(super) fn add(&mut self, item: T, priority: i32, now: Instant) -> Added {
        let in_work = self.working.contains_key(&item);
        let waiting = Waiting {
            since: now,
            priority,
        };
        match self.waiting.entry(item) {
            Entry::Occupied(mut known) => {
                if !in_work {
                    self.order.touch(known.key(), priority, now);
                }
                let before = known.get().priority;
                if priority <= before {
                    return Added::Known;
                }
                known.get_mut().priority = priority;
                Added::Raised(before)
            }
            Entry::Vacant(new) if in_work => {
                new.insert(waiting);
                self.marked += 1;
                Added::Marked
            }
            Entry::Vacant(new) => {
                self.order.push(new.key().clone(), priority, now);
                new.insert(waiting);
                Added::Queued
            }
        }
    }

    /// Whether `item` is queued or marked.
    pub(super) fn is_waiting(&self, item: &T) -> bool {
        self.waiting.contains_key(item)
    }

    pub(super) fn claim(&mut self, now: Instant) -> Option<Claimed<T>> {
        loop {
            let item = self.order.pop(now)?;
            if self.working.contains_key(&item) {
                continue;
            }
            let Some(Waiting { since, priority }) = self.waiting.remove(&item) else {
                continue;
            };
            self.working.insert(item.clone(), now);
            return Some(Claimed {
                item,
                priority,
                latency: now.saturating_duration_since(since),
            });
        }
    }

    /// Ends the work on `item`; `None` if it was not in work.
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
