//! [`Clock`]: chooses the next item to evict. Pure.
//!
//! A queue for each class, with second chances: an item that was read since the clock last passed it
//! goes to the end of its queue instead.

use std::collections::VecDeque;

use derive_where::derive_where;

/// Items in the order in which they are examined, by class.
#[derive(Debug)]
pub(super) struct Clock<T> {
    queues: Vec<Queue<T>>,
}

#[derive(Debug)]
#[derive_where(Default)]
struct Queue<T> {
    /// In the order of eviction.
    items: VecDeque<T>,
    /// Position of the next item to sweep.
    sweep: usize,
}

/// State of an item, as its owner knows it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    /// The item does not exist any more.
    Gone,
    /// The item was read since the clock last passed it.
    Read,
    Unread,
}

/// Maximum number of second chances in a search. The next item is evicted although it was read.
const CHANCES: usize = 64;
/// Number of items that a new item examines if some are gone. It exceeds 1, so these do not
/// accumulate.
const SWEEP: usize = 2;

// === impl Clock ===

impl<T> Clock<T> {
    pub(super) fn new(classes: usize) -> Self {
        Self {
            queues: (0..classes).map(|_| Queue::default()).collect(),
        }
    }

    /// Adds an item to those of its class, of which `live` are not gone. If others are, examines some
    /// items, and returns those that are gone, to be dropped without the lock.
    pub(super) fn push(
        &mut self,
        class: usize,
        item: T,
        live: usize,
        is_gone: impl Fn(&T) -> bool,
    ) -> Vec<T> {
        let Some(queue) = self.queues.get_mut(class) else {
            return Vec::new();
        };
        queue.items.push_back(item);
        let examined = if queue.items.len() > live { SWEEP } else { 0 };
        let gone = (0..examined).filter_map(|_| queue.sweep(&is_gone));
        gone.collect()
    }

    /// Removes and returns the item of a class to evict. Drops items that are gone.
    pub(super) fn victim(&mut self, class: usize, look: impl Fn(&T) -> Look) -> Option<T> {
        let items = &mut self.queues.get_mut(class)?.items;
        let mut chances = CHANCES;
        while let Some(next) = items.pop_front() {
            match look(&next) {
                Look::Gone => {}
                Look::Read if chances > 0 => {
                    chances -= 1;
                    items.push_back(next);
                }
                Look::Read | Look::Unread => return Some(next),
            }
        }
        None
    }
}

// === impl Queue ===

impl<T> Queue<T> {
    /// Examines the next item. Removes and returns the item if it is gone.
    fn sweep(&mut self, is_gone: impl Fn(&T) -> bool) -> Option<T> {
        if self.sweep >= self.items.len() {
            self.sweep = 0;
        }
        if self.items.get(self.sweep).is_some_and(is_gone) {
            return self.items.swap_remove_back(self.sweep);
        }
        self.sweep += 1;
        None
    }
}

#[cfg(test)]
mod tests;
