//! [`PriorityOrder`]: what matters first, and nothing never.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! `items`, `places` and `by_priority` hold the same items, each once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use tokio::time::Instant;

use super::dedup::QueueOrder;

/// The priority of what is not a change: objects of a handler's initial list, and resyncs. An
/// ordinary add has 0. The same as controller-runtime's `LowPriority`.
pub const LOW_PRIORITY: i32 = -100;

const DEFAULT_AGEING: Duration = Duration::from_secs(10);
const DEFAULT_SHARE: NonZeroU32 = NonZeroU32::new(5).unwrap();

/// Hands out the item with the highest priority first, and of one priority the one that came
/// first; but lets no item starve.
///
/// An item has the highest priority with which it was added; when that rises it queues up behind
/// the others of the new one. With [`LOW_PRIORITY`] for initial lists and resyncs, as
/// [`enqueue_into`](crate::enqueue_into) has it, a change is handled at once though thousands of
/// unchanged objects wait.
///
/// controller-runtime's counterpart is `priorityqueue`, whose low priorities wait for as long as
/// higher ones keep coming. Here every fifth turn goes to the item that has waited longest,
/// whatever its priority, if that is longer than 10 s. So high priorities keep four fifths of the
/// workers even while a flood of others has aged, and a low one comes when those before it, a
/// finite number, have had their fifths. [`ageing`](Self::ageing) and [`share`](Self::share)
/// change the numbers.
///
/// A push or pop costs O(log n).
///
/// # Examples
///
/// ```
/// # extern crate informer_runtime as informer;
/// use informer::ObjectKey;
/// # use informer_runtime::workqueue::{AddOptions, LOW_PRIORITY, PriorityOrder, WorkQueue};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() {
/// let queue: WorkQueue<&str> = WorkQueue::builder("foos").order(PriorityOrder::new()).build();
/// queue.add_with("unchanged", AddOptions { priority: LOW_PRIORITY, ..AddOptions::default() });
/// queue.add("changed");
/// assert_eq!(queue.get().await.as_deref(), Some(&"changed"));
/// # }
/// ```
pub struct PriorityOrder<T> {
    ageing: Duration,
    share: NonZeroU32,
    /// By the number of the first add, which never changes: the oldest comes first.
    items: BTreeMap<u64, Queued<T>>,
    /// Where an item is in `items`.
    places: HashMap<T, u64>,
    /// The numbers in `items` by priority, and then by when they got it.
    by_priority: BTreeMap<(Reverse<i32>, u64), u64>,
    next_number: u64,
    /// How often in a row an aged item was passed over.
    passed_over: u32,
}

struct Queued<T> {
    item: T,
    since: Instant,
    rank: (Reverse<i32>, u64),
}

// === impl PriorityOrder ===

impl<T> PriorityOrder<T> {
    /// An empty order with the defaults: items age after 10 s, and get every fifth turn then.
    #[must_use]
    pub fn new() -> Self {
        Self {
            ageing: DEFAULT_AGEING,
            share: DEFAULT_SHARE,
            items: BTreeMap::new(),
            places: HashMap::new(),
            by_priority: BTreeMap::new(),
            next_number: 0,
            passed_over: 0,
        }
    }

    /// After how long an item may come before one of a higher priority; 10 s by default.
    /// [`Duration::MAX`] means never: priorities are strict then, as controller-runtime's.
    #[must_use]
    pub fn ageing(mut self, ageing: Duration) -> Self {
        self.ageing = ageing;
        self
    }

    /// Every how-manieth turn goes to the item that has waited longest, once that has aged; 5 by
    /// default. 1 means that aged items come first.
    #[must_use]
    pub fn share(mut self, share: NonZeroU32) -> Self {
        self.share = share;
        self
    }

    fn number(&mut self) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        number
    }
}

impl<T: Eq + Hash> PriorityOrder<T> {
    /// The number of the item whose turn it is.
    fn turn(&mut self, now: Instant) -> Option<u64> {
        let (_, &first) = self.by_priority.first_key_value()?;
        let (&oldest, queued) = self.items.first_key_value()?;
        let has_aged = now.saturating_duration_since(queued.since) >= self.ageing;
        if oldest == first || !has_aged {
            self.passed_over = 0;
            return Some(first);
        }
        if self.passed_over + 1 < self.share.get() {
            self.passed_over += 1;
            return Some(first);
        }
        self.passed_over = 0;
        Some(oldest)
    }
}

impl<T: Clone + Eq + Hash + Send> QueueOrder<T> for PriorityOrder<T> {
    fn touch(&mut self, item: &T, priority: i32, _now: Instant) {
        let rank = (Reverse(priority), self.number());
        let Some(place) = self.places.get(item) else {
            return;
        };
        let Some(queued) = self.items.get_mut(place) else {
            return;
        };
        if queued.rank.0.0 >= priority {
            return;
        }
        self.by_priority.remove(&queued.rank);
        self.by_priority.insert(rank, *place);
        queued.rank = rank;
    }

    fn push(&mut self, item: T, priority: i32, now: Instant) {
        let number = self.number();
        let rank = (Reverse(priority), number);
        self.places.insert(item.clone(), number);
        self.by_priority.insert(rank, number);
        self.items.insert(
            number,
            Queued {
                item,
                since: now,
                rank,
            },
        );
    }

    fn pop(&mut self, now: Instant) -> Option<T> {
        let number = self.turn(now)?;
        let queued = self.items.remove(&number)?;
        self.by_priority.remove(&queued.rank);
        self.places.remove(&queued.item);
        Some(queued.item)
    }

    fn len(&self) -> usize {
        self.items.len()
    }
}

impl<T> Default for PriorityOrder<T> {
    fn default() -> Self {
        Self::new()
    }
}

impl<T> fmt::Debug for PriorityOrder<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PriorityOrder")
            .field("len", &self.items.len())
            .field("ageing", &self.ageing)
            .field("share", &self.share)
            .finish_non_exhaustive()
    }
}
