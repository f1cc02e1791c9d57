//! [`Mailbox`]: what one handler has not seen yet.
//!
//! Pure: no clock, no lock, no task. `listener.rs` owns one per handler.
//!
//! # Invariants
//!
//! 1. Below capacity nothing is merged, and no key is hashed.
//! 2. Nothing is merged across a barrier: a replay, or the marker of the end of the initial state.
//! 3. With [`WhenFull::Coalesce`], of the notifications that came in while the mailbox was full and
//!    behind the same barrier at most two of a key wait: a deletion and an add. There are at most
//!    three barriers.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::mem;
use std::num::NonZeroUsize;

use super::merge::{Merged, merge};
use super::{Replay, ReplayKind, Replaying, WhenFull};
use crate::event::Event;
use crate::object::ObjectKey;

/// How many cancelled slots are left in place at least, before the rest moves together.
const MIN_CANCELLED: usize = 16;

/// Holds what one handler has not seen yet, and merges it when there is too much of it.
///
/// # Ordering
///
/// Notifications leave in the order in which they came; a merge keeps the place of the earlier one.
pub struct Mailbox<H> {
    capacity: NonZeroUsize,
    when_full: WhenFull,
    slots: VecDeque<Slot<H>>,
    /// The sequence number of the front slot; those behind it count on.
    first: u64,
    /// How many slots hold an event.
    waiting: usize,
    /// How many slots hold nothing any more.
    cancelled: usize,
    /// The sequence number of the last barrier: events before it are merged with nothing.
    barrier: u64,
    /// The sequence number of the last event of each key behind the barrier. Built when the mailbox
    /// gets full, thrown away when it is half empty.
    latest: Option<HashMap<ObjectKey, u64>>,
    /// Whether a resync waits.
    resync_waits: bool,
    /// Whether the marker has been pushed, ever.
    synced: bool,
}

/// What leaves a mailbox.
#[derive(Debug)]
pub enum Item<H> {
    /// One notification.
    Event(Event<H>),
    /// Notifications that are still to be made.
    Replay(Replaying<H>),
    /// The initial state ends here.
    Synced,
}

/// What became of a notification that was pushed.
///
/// What a merge displaces comes back, so that it can be dropped outside of locks.
#[derive(Debug)]
#[must_use]
pub enum Pushed<H> {
    /// It waits in a place of its own.
    Queued,
    /// It was merged with the one that waits; this is what is left over.
    Merged(Event<H>),
    /// It and the one that waited cancel out.
    Cancelled(Event<H>, Event<H>),
    /// There is no room for it, and [`WhenFull::Block`] says to wait.
    Full(Event<H>),
}

enum Slot<H> {
    Event(Event<H>),
    Replay(Replaying<H>),
    Synced,
    Cancelled,
}

// === impl Mailbox ===

impl<H: Clone> Mailbox<H> {
    /// An empty mailbox; at `capacity` notifications `when_full` applies.
    #[must_use]
    pub fn new(capacity: NonZeroUsize, when_full: WhenFull) -> Self {
        Self {
            capacity,
            when_full,
            slots: VecDeque::new(),
            first: 0,
            waiting: 0,
            cancelled: 0,
            barrier: 0,
            latest: None,
            resync_waits: false,
            synced: false,
        }
    }

    /// How many notifications wait. What a replay holds is not counted.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.waiting
    }

    /// Whether there are as many notifications as the capacity, or more.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.waiting >= self.capacity.get()
    }

    /// Whether the mailbox is as empty as one should be before it is filled again.
    #[must_use]
    pub fn is_half_empty(&self) -> bool {
        self.waiting <= self.capacity.get() / 2
    }

    /// Adds a notification, or merges it with the one that waits for its key.
    pub fn push(&mut self, event: Event<H>) -> Pushed<H> {
        if self.is_full() {
            match self.when_full {
                WhenFull::Block => return Pushed::Full(event),
                WhenFull::Coalesce => {
                    if let Some(sequence) = self.latest_of(event.key()) {
                        return self.merge_into(sequence, event);
                    }
                }
            }
        }
        self.append(event);
        Pushed::Queued
    }

    /// Adds a replay behind everything that waits.
    ///
    /// # Errors
    ///
    /// Gives a resync back if another one waits: it will show the same objects.
    pub fn push_replay(
        &mut self,
        kind: ReplayKind,
        replay: Box<dyn Replay<H>>,
    ) -> Result<(), Replaying<H>> {
        let replaying = Replaying::new(kind, replay);
        if kind == ReplayKind::Resync {
            if self.resync_waits {
                return Err(replaying);
            }
            self.resync_waits = true;
        }
        self.push_barrier(Slot::Replay(replaying));
        Ok(())
    }

    /// Marks the end of the initial state; a second mark changes nothing.
    pub fn push_synced(&mut self) {
        if !mem::replace(&mut self.synced, true) {
            self.push_barrier(Slot::Synced);
        }
    }

    /// Removes what has waited longest.
    pub fn pop(&mut self) -> Option<Item<H>> {
        loop {
            let slot = self.slots.pop_front()?;
            let sequence = self.first;
            self.first += 1;
            match slot {
                Slot::Cancelled => self.cancelled -= 1,
                Slot::Synced => return Some(Item::Synced),
                Slot::Event(event) => {
                    self.waiting -= 1;
                    self.forget(event.key(), sequence);
                    return Some(Item::Event(event));
                }
                Slot::Replay(replay) => {
                    if replay.kind() == ReplayKind::Resync {
                        self.resync_waits = false;
                    }
                    return Some(Item::Replay(replay));
                }
            }
        }
    }

    /// Removes everything, to be dropped by the caller.
    #[must_use]
    pub fn take(&mut self) -> Self {
        let empty = Self::new(self.capacity, self.when_full);
        mem::replace(self, empty)
    }

    fn next_sequence(&self) -> u64 {
        self.first + self.slots.len() as u64
    }

    fn append(&mut self, event: Event<H>) {
        let sequence = self.next_sequence();
        if let Some(latest) = &mut self.latest {
            latest.insert(event.key().clone(), sequence);
        }
        self.slots.push_back(Slot::Event(event));
        self.waiting += 1;
    }

    fn push_barrier(&mut self, slot: Slot<H>) {
        self.barrier = self.next_sequence();
        self.slots.push_back(slot);
        self.latest = None;
    }

    /// Where the last event of `key` waits that another one can be merged into.
    fn latest_of(&mut self, key: &ObjectKey) -> Option<u64> {
        let (first, barrier) = (self.first, self.barrier);
        let slots = &self.slots;
        let latest = self.latest.get_or_insert_with(|| {
            (first..)
                .zip(slots)
                .filter(|(sequence, _)| *sequence >= barrier)
                .filter_map(|(sequence, slot)| match slot {
                    Slot::Event(event) => Some((event.key().clone(), sequence)),
                    Slot::Replay(_) | Slot::Synced | Slot::Cancelled => None,
                })
                .collect()
        });
        latest.get(key).copied()
    }

    fn merge_into(&mut self, sequence: u64, event: Event<H>) -> Pushed<H> {
        let slot = usize::try_from(sequence.saturating_sub(self.first))
            .ok()
            .and_then(|at| self.slots.get_mut(at));
        let Some(slot) = slot else {
            self.append(event);
            return Pushed::Queued;
        };
        let first = match mem::replace(slot, Slot::Cancelled) {
            Slot::Event(first) => first,
            other @ (Slot::Replay(_) | Slot::Synced | Slot::Cancelled) => {
                *slot = other;
                self.append(event);
                return Pushed::Queued;
            }
        };
        match merge(first, event) {
            Merged::One { kept, displaced } => {
                *slot = Slot::Event(kept);
                Pushed::Merged(displaced)
            }
            Merged::Both(first, last) => {
                *slot = Slot::Event(first);
                self.append(last);
                Pushed::Queued
            }
            Merged::None(first, last) => {
                self.waiting -= 1;
                self.cancelled += 1;
                if let Some(latest) = &mut self.latest {
                    latest.remove(last.key());
                }
                self.tidy();
                Pushed::Cancelled(first, last)
            }
        }
    }

    /// Keeps the slots that hold nothing fewer than the others.
    fn tidy(&mut self) {
        while let Some(Slot::Cancelled) = self.slots.back() {
            self.slots.pop_back();
            self.cancelled -= 1;
        }
        if self.cancelled > self.waiting + MIN_CANCELLED {
            self.slots.retain(|slot| !matches!(slot, Slot::Cancelled));
            self.cancelled = 0;
            self.latest = None;
            let is_barrier = |slot: &Slot<H>| matches!(slot, Slot::Replay(_) | Slot::Synced);
            let last = self.slots.iter().rposition(is_barrier).unwrap_or(0);
            self.barrier = self.first + last as u64;
        }
    }

    /// Keeps `latest` true when an event leaves, and gives memory back after a flood.
    fn forget(&mut self, key: &ObjectKey, sequence: u64) {
        if self.is_half_empty() {
            self.latest = None;
            let usual = self.capacity.get().saturating_mul(4).max(64);
            self.slots.shrink_to(usual);
        } else if let Some(latest) = &mut self.latest
            && latest.get(key) == Some(&sequence)
        {
            latest.remove(key);
        }
    }
}

impl<H> fmt::Debug for Mailbox<H> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mailbox")
            .field("capacity", &self.capacity)
            .field("when_full", &self.when_full)
            .field("waiting", &self.waiting)
            .finish_non_exhaustive()
    }
}
