//! [`PriorityOrder`]: an order by priority without starvation.
//!
//! Pure: no clock, no lock, no task.
//!
//! # Invariants
//!
//! `items`, `places` and `by_priority` hold the same items, each once.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::fmt;
use std::hash::Hash;
use std::num::NonZeroU32;
use std::time::Duration;

use foldhash::HashMap;
use tokio::time::Instant;

use super::dedup::QueueOrder;

/// Priority of items that are not changes: objects of a handler's initial list, and resyncs. An
/// ordinary add has priority 0. Equal to controller-runtime's `LowPriority`.
pub const LOW_PRIORITY: i32 = -100;

const DEFAULT_AGEING: Duration = Duration::from_secs(10);
const DEFAULT_SHARE: NonZeroU32 = NonZeroU32::new(5).unwrap();

/// Order by priority, then by time, without starvation.
///
/// An item has the highest priority with which it was added. When its priority rises, the item goes
/// behind the other items of the new priority. [`enqueue_into`](crate::workqueue::enqueue_into) adds initial
/// lists and resyncs with [`LOW_PRIORITY`], so a change is handled at once even if thousands of
/// unchanged objects wait.
///
/// controller-runtime's counterpart is `priorityqueue`, in which items of low priority wait as long
/// as items of higher priority keep coming. Here every fifth turn goes to the item that has waited
/// longest, regardless of its priority, if its wait exceeds 10 s. Items of high priority thus keep
/// four fifths of the turns, even if many other items have aged. The wait of each item is bounded,
/// because only finitely many items are older. [`ageing`](Self::ageing) and [`share`](Self::share)
/// change both numbers.
///
/// A push or pop costs O(log n). [`WorkQueue::priority`](super::WorkQueue::priority) has an example.
pub struct PriorityOrder<T> {
    ageing: Duration,
    share: NonZeroU32,
    /// Items by the number of their first add, which never changes: the oldest item comes first.
    items: BTreeMap<u64, Queued<T>>,
    /// Numbers of the items, as in `items`.
    places: HashMap<T, u64>,
    /// Numbers of the items by priority, then by the time at which they received it.
    by_priority: BTreeMap<(Reverse<i32>, u64), u64>,
    next_number: u64,
    /// Number of consecutive turns in which an aged item was passed over.
    passed_over: u32,
}

struct Queued<T> {
    item: T,
    since: Instant,
    rank: (Reverse<i32>, u64),
}

// === impl PriorityOrder ===

impl<T> PriorityOrder<T> {
    /// Creates an empty order with the defaults: items age after 10 s, and aged items get every
    /// fifth turn.
    #[must_use]
    pub fn new() -> Self {
        Self {
            ageing: DEFAULT_AGEING,
            share: DEFAULT_SHARE,
            items: BTreeMap::new(),
            places: HashMap::default(),
            by_priority: BTreeMap::new(),
            next_number: 0,
            passed_over: 0,
        }
    }

    /// Sets the wait after which an item may come before items of higher priority. Default: 10 s.
    /// [`Duration::MAX`] disables ageing: priorities are then strict, as in controller-runtime.
    #[must_use]
    pub fn ageing(mut self, ageing: Duration) -> Self {
        self.ageing = ageing;
        self
    }

    /// Sets the interval, in turns, at which the oldest item comes first if it has aged. Default:
    /// 5, which is every fifth turn. With 1, aged items always come first.
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
    /// Returns the number of the next item.
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
