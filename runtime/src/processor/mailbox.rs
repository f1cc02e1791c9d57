//! [`Mailbox`]: bounded queue of the notifications of one handler.
//!
//! Pure: no clock, no lock, no task. `listener.rs` owns one mailbox per handler.
//!
//! # Invariants
//!
//! 1. Below capacity no notification is merged and no key is hashed.
//! 2. Notifications are not merged across a barrier. Barriers are replays and the sync marker.
//! 3. With [`WhenFull::Coalesce`], at most two notifications per key wait among those that arrived
//!    while the mailbox was full, after the same barrier: a deletion and an add. There are at most
//!    three barriers.

#[cfg(test)]
mod tests;

use std::collections::{HashMap, VecDeque};
use std::mem;
use std::num::NonZeroUsize;

use super::merge::{Merged, merge};
use super::{Replay, ReplayKind, Replaying, WhenFull};
use crate::event::Event;
use crate::object::ObjectKey;
use crate::storage::Entry;

/// Minimum number of cancelled slots before the queue is compacted.
const MIN_CANCELLED: usize = 16;

/// Bounded queue of the notifications of one handler. Merges notifications when it is full.
///
/// # Ordering
///
/// Notifications leave in the order of arrival. A merged notification keeps the place of the
/// earlier one.
pub(crate) struct Mailbox {
    capacity: NonZeroUsize,
    capacity_bytes: NonZeroUsize,
    when_full: WhenFull,
    /// `None` for a cancelled event.
    slots: VecDeque<Option<Item>>,
    /// Sequence number of the front slot. The following slots have consecutive numbers.
    first: u64,
    /// Number of slots that hold an event.
    waiting: usize,
    /// Size of the objects that the waiting events hold in addition to the store.
    bytes: usize,
    /// Number of cancelled slots.
    cancelled: usize,
    /// Sequence number of the last barrier. Events before it are not merged.
    barrier: u64,
    /// Sequence number of the last event of each key after the barrier. Built when the mailbox
    /// becomes full, and dropped when it is half empty.
    latest: Option<HashMap<ObjectKey, u64>>,
    /// `true` if a resync waits.
    resync_waits: bool,
    /// `true` once the sync marker was pushed.
    synced: bool,
}

/// Item of a mailbox.
#[derive(Debug)]
pub(crate) enum Item {
    /// Notification.
    Event(Event<Entry>),
    /// Replay that still has to produce its notifications.
    Replay(Replaying),
    /// Sync marker: the end of the initial state.
    Synced,
}

/// Result of pushing a notification.
///
/// Displaced notifications are returned, so that the caller can drop them outside of locks.
#[derive(Debug)]
#[must_use]
pub(crate) enum Pushed {
    /// The notification waits in a slot of its own.
    Queued,
    /// The notification was merged with a waiting one. Contains the displaced part.
    Merged(Event<Entry>),
    /// The notification and a waiting one cancelled out.
    Cancelled(Event<Entry>, Event<Entry>),
    /// The mailbox is full, and [`WhenFull::Block`] requires the caller to wait with the notification.
    Full(Event<Entry>),
}

// === impl Mailbox ===

impl Mailbox {
    /// Creates an empty mailbox. `when_full` applies from `capacity` notifications on, or from
    /// `capacity_bytes` bytes of objects that are not in the store any more.
    #[must_use]
    pub(crate) fn new(
        capacity: NonZeroUsize,
        capacity_bytes: NonZeroUsize,
        when_full: WhenFull,
    ) -> Self {
        Self {
            capacity,
            capacity_bytes,
            when_full,
            slots: VecDeque::new(),
            first: 0,
            waiting: 0,
            bytes: 0,
            cancelled: 0,
            barrier: 0,
            latest: None,
            resync_waits: false,
            synced: false,
        }
    }

    /// Returns the number of waiting notifications. Those of a replay are not counted.
    #[must_use]
    pub(crate) fn pending(&self) -> usize {
        self.waiting
    }

    /// Returns the size of the objects that only the waiting notifications hold, in bytes.
    #[must_use]
    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns `true` if the notifications have reached the capacity, by their number or by their
    /// bytes.
    #[must_use]
    pub(crate) fn is_full(&self) -> bool {
        self.waiting >= self.capacity.get() || self.bytes >= self.capacity_bytes.get()
    }

    /// Returns `true` if the mailbox is empty enough to resume filling it.
    #[must_use]
    pub(crate) fn is_half_empty(&self) -> bool {
        self.waiting <= self.capacity.get() / 2 && self.bytes <= self.capacity_bytes.get() / 2
    }

    /// Adds a notification, or merges it with a waiting notification of its key.
    pub(crate) fn push(&mut self, event: Event<Entry>) -> Pushed {
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

    /// Adds a replay after all waiting items.
    ///
    /// # Errors
    ///
    /// Returns a resync if another one waits, which will show the same objects.
    pub(crate) fn push_replay(
        &mut self,
        kind: ReplayKind,
        replay: Replay,
    ) -> Result<(), Replaying> {
        let replaying = Replaying::new(kind, replay);
        if kind == ReplayKind::Resync {
            if self.resync_waits {
                return Err(replaying);
            }
            self.resync_waits = true;
        }
        self.push_barrier(Item::Replay(replaying));
        Ok(())
    }

    /// Marks the end of the initial state. A second marker is ignored.
    pub(crate) fn push_synced(&mut self) {
        if !mem::replace(&mut self.synced, true) {
            self.push_barrier(Item::Synced);
        }
    }

    /// Removes and returns the oldest item.
    pub(crate) fn pop(&mut self) -> Option<Item> {
        loop {
            let slot = self.slots.pop_front()?;
            let sequence = self.first;
            self.first += 1;
            match &slot {
                Some(Item::Event(event)) => {
                    self.waiting -= 1;
                    self.bytes -= event.bytes();
                    self.forget(event.key(), sequence);
                }
                Some(Item::Replay(replay)) => {
                    self.resync_waits &= replay.kind() != ReplayKind::Resync;
                }
                Some(Item::Synced) => {}
                None => {
                    self.cancelled -= 1;
                    continue;
                }
            }
            return slot;
        }
    }

    /// Removes all items, to be dropped by the caller.
    #[must_use]
    pub(crate) fn take(&mut self) -> Self {
        let empty = Self::new(self.capacity, self.capacity_bytes, self.when_full);
        mem::replace(self, empty)
    }

    fn next_sequence(&self) -> u64 {
        self.first + self.slots.len() as u64
    }

    fn append(&mut self, event: Event<Entry>) {
        let sequence = self.next_sequence();
        if let Some(latest) = &mut self.latest {
            latest.insert(event.key().clone(), sequence);
        }
        self.bytes += event.bytes();
        self.slots.push_back(Some(Item::Event(event)));
        self.waiting += 1;
    }

    fn push_barrier(&mut self, item: Item) {
        self.barrier = self.next_sequence();
        self.slots.push_back(Some(item));
        self.latest = None;
    }

    /// Returns the sequence number of the last event of `key` that another event can be merged
    /// into.
    fn latest_of(&mut self, key: &ObjectKey) -> Option<u64> {
        let first = self.first;
        let barrier = self.barrier;
        let slots = &self.slots;
        let latest = self.latest.get_or_insert_with(|| {
            (first..)
                .zip(slots)
                .filter(|(sequence, _)| *sequence >= barrier)
                .filter_map(|(sequence, slot)| match slot {
                    Some(Item::Event(event)) => Some((event.key().clone(), sequence)),
                    Some(Item::Replay(_) | Item::Synced) | None => None,
                })
                .collect()
        });
        latest.get(key).copied()
    }

    fn merge_into(&mut self, sequence: u64, event: Event<Entry>) -> Pushed {
        let slot = usize::try_from(sequence.saturating_sub(self.first))
            .ok()
            .and_then(|at| self.slots.get_mut(at));
        let Some(slot) = slot else {
            self.append(event);
            return Pushed::Queued;
        };
        let Some(Item::Event(first)) = slot.take_if(|item| matches!(item, Item::Event(_))) else {
            self.append(event);
            return Pushed::Queued;
        };
        self.bytes -= first.bytes();
        match merge(first, event) {
            Merged::One { kept, displaced } => {
                self.bytes += kept.bytes();
                *slot = Some(Item::Event(kept));
                Pushed::Merged(displaced)
            }
            Merged::Both(first, last) => {
                self.bytes += first.bytes();
                *slot = Some(Item::Event(first));
                self.append(last);
                Pushed::Queued
            }
            Merged::None(first, last) => {
                self.waiting -= 1;
                self.cancelled += 1;
                if let Some(latest) = &mut self.latest {
                    latest.remove(last.key());
                }
                self.compact();
                Pushed::Cancelled(first, last)
            }
        }
    }

    /// Keeps cancelled slots fewer than the others.
    fn compact(&mut self) {
        while let Some(None) = self.slots.back() {
            self.slots.pop_back();
            self.cancelled -= 1;
        }
        if self.cancelled > self.waiting + MIN_CANCELLED {
            self.slots.retain(Option::is_some);
            self.cancelled = 0;
            self.latest = None;
            let is_barrier =
                |slot: &Option<Item>| matches!(slot, Some(Item::Replay(_) | Item::Synced));
            let last = self.slots.iter().rposition(is_barrier).unwrap_or(0);
            self.barrier = self.first + last as u64;
        }
    }

    /// Updates `latest` when an event leaves, and releases memory after a flood.
    fn forget(&mut self, key: &ObjectKey, sequence: u64) {
        if self.is_half_empty() {
            self.latest = None;
            let typical = self.capacity.get().saturating_mul(4).max(64);
            self.slots.shrink_to(typical);
        } else if let Some(latest) = &mut self.latest
            && latest.get(key) == Some(&sequence)
        {
            latest.remove(key);
        }
    }
}
