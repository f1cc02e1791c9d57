//! [`Board`]: the slices that this replica owns, for the gates of controllers and for status.
//!
//! # Invariants
//!
//! 1. A call begins only while its slice is open, and the member lease is held.
//! 2. A slice that was closed has no calls after [`Board::idle`] has completed.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::sync::watch;
use tokio_util::sync::CancellationToken;

use crate::base::sync::Mutex;
use crate::reconcile::leader_election::Held;

/// Slices with their calls.
pub(crate) struct Board {
    slots: Mutex<Slots>,
    /// Wakes those who wait for a slot.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Slots {
    cached: BTreeMap<u16, Slot>,
    /// Number of the next slot.
    next: u64,
    /// Number of the calls of each slice that has any, also of closed ones.
    calls: BTreeMap<u16, usize>,
    /// Member lease.
    member: Option<Held>,
}

/// Slice that the caches have, or are about to have.
struct Slot {
    /// Differs for a slice that was given away and is gained again.
    number: u64,
    /// `None` if the slice is not owned: keys wait.
    grant: Option<Grant>,
}

/// Right to work on a slice.
#[derive(Clone)]
pub(crate) struct Grant {
    /// Member lease of this replica.
    pub(crate) held: Held,
    /// Ends the calls of the slice.
    pub(crate) ended: CancellationToken,
    /// Transitions of the slice's lease.
    pub(crate) fence: i32,
}

/// Answer for a key.
pub(crate) enum Turn {
    Run(Call),
    /// The slice will be open, or be removed.
    Wait,
    /// The slice belongs to another replica.
    Foreign,
}

/// Running call.
pub(crate) struct Call {
    board: Arc<Board>,
    slice: Option<u16>,
    grant: Grant,
}

// === impl Board ===

impl Board {
    pub(crate) fn new() -> Self {
        Self {
            slots: Mutex::default(),
            changed: watch::Sender::new(()),
        }
    }

    /// Returns the right to work on a slice. `None` stands for the slices of deleted objects, which
    /// nobody knows: the member lease is enough.
    pub(crate) fn begin(self: &Arc<Self>, slice: Option<u16>) -> Turn {
        let mut slots = self.slots.lock();
        let grant = match slice {
            Some(slice) => match slots.cached.get(&slice) {
                Some(slot) => slot.grant.clone(),
                None => return Turn::Foreign,
            },
            None => slots.member.clone().map(|held| Grant {
                held,
                ended: CancellationToken::new(),
                fence: 0,
            }),
        };
        let Some(grant) = grant.filter(|grant| !grant.held.is_over()) else {
            return Turn::Wait;
        };
        if let Some(slice) = slice {
            *slots.calls.entry(slice).or_insert(0) += 1;
        }
        Turn::Run(Call {
            board: Arc::clone(self),
            slice,
            grant,
        })
    }

    /// Reports whether a key of the slice would have to wait.
    pub(crate) fn waits(&self, slice: Option<u16>) -> bool {
        let slots = self.slots.lock();
        match slice {
            Some(slice) => {
                let slot = slots.cached.get(&slice);
                slot.is_some_and(|slot| slot.grant.is_none())
            }
            None => slots.member.is_none(),
        }
    }

    /// Returns the fence of an open slice.
    pub(crate) fn fence(&self, slice: u16) -> Option<i32> {
        let slots = self.slots.lock();
        let grant = slots.cached.get(&slice)?.grant.as_ref()?;
        (!grant.held.is_over()).then_some(grant.fence)
    }

    /// Adds the open slices to `known`, with the numbers of their slots, and removes closed ones.
    /// Returns the slices that are new.
    pub(crate) fn gained(&self, known: &mut BTreeMap<u16, u64>) -> BTreeSet<u16> {
        let slots = self.slots.lock();
        let cached = &slots.cached;
        known.retain(|slice, number| cached.get(slice).is_some_and(|slot| slot.number == *number));
        let open = cached.iter().filter(|(_, slot)| slot.grant.is_some());
        let new = open.filter(|(slice, slot)| known.insert(**slice, slot.number).is_none());
        new.map(|(slice, _)| *slice).collect()
    }

    /// Returns a receiver that is marked as changed after each change.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Notes that the member lease is held.
    pub(super) fn join(&self, held: Held) {
        self.slots.lock().member = Some(held);
        self.changed.send_replace(());
    }

    /// Makes the keys of a slice wait.
    pub(super) fn prepare(&self, slice: u16) {
        let mut slots = self.slots.lock();
        slots.next += 1;
        let number = slots.next;
        let slot = Slot {
            number,
            grant: None,
        };
        slots.cached.entry(slice).or_insert(slot);
    }

    /// Opens a slice whose keys wait.
    pub(super) fn open(&self, slice: u16, grant: Grant) {
        if let Some(slot) = self.slots.lock().cached.get_mut(&slice) {
            slot.grant = Some(grant);
        }
        self.changed.send_replace(());
    }

    /// Lets no call of the slice begin. Returns the token that ends its calls.
    pub(super) fn close(&self, slice: u16) -> Option<CancellationToken> {
        let slot = self.slots.lock().cached.remove(&slice);
        self.changed.send_replace(());
        slot?.grant.map(|grant| grant.ended)
    }

    /// Lets no call begin until slices are opened again: the member lease is lost.
    pub(super) fn suspend(&self) {
        let mut slots = self.slots.lock();
        slots.member = None;
        for slot in slots.cached.values_mut() {
            slot.grant = None;
        }
    }

    pub(super) fn is_idle(&self, slice: u16) -> bool {
        !self.slots.lock().calls.contains_key(&slice)
    }

    /// Completes when no call of the slice runs.
    pub(super) async fn idle(&self, slice: u16) {
        let mut changes = self.changes();
        while !self.is_idle(slice) {
            // The sender is `self`.
            _ = changes.changed().await;
        }
    }
}

// === impl Call ===

impl Call {
    /// Runs a call. Returns `None` if it was dropped, because the slice was lost or given away.
    pub(crate) async fn run<F: Future>(self, call: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            () = self.grant.ended.cancelled() => None,
            () = self.grant.held.lost() => None,
            output = call => Some(output),
        }
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let Some(slice) = self.slice else { return };
        let mut slots = self.board.slots.lock();
        if let Some(calls) = slots.calls.get_mut(&slice) {
            *calls -= 1;
            if *calls == 0 {
                slots.calls.remove(&slice);
                let is_awaited = !slots.cached.contains_key(&slice);
                drop(slots);
                if is_awaited {
                    self.board.changed.send_replace(());
                }
            }
        }
    }
}
