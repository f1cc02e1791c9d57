//! [`Board`]: the slices that this replica owns, for the gates of controllers and for status.
//!
//! # Invariants
//!
//! 1. A call begins only while its slice is open, and the member lease is held.
//! 2. A slice that was closed has no calls after [`Calls::end`] has completed.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tokio_util::task::task_tracker::TaskTrackerToken;

use crate::base::sync::Mutex;
use crate::reconcile::leader_election::Held;

/// Slices with their calls.
#[derive(Default)]
pub(crate) struct Board {
    slots: Mutex<Slots>,
    /// Wakes those who wait for a slot.
    changed: watch::Sender<()>,
}

#[derive(Default)]
struct Slots {
    cached: BTreeMap<u16, CachedSlice>,
    moves: Moves,
}

/// Numbers of the slices that were opened and closed since the start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Moves {
    opened: u64,
    closed: u64,
}

/// Slices that were opened and closed in a time.
pub(crate) struct Moved {
    /// Moves at the end of the time.
    pub(crate) until: Moves,
    /// Slices that were opened, and are open.
    pub(crate) gained: BTreeSet<u16>,
    /// `true` if a slice was closed.
    pub(crate) has_lost: bool,
}

/// Slice that the caches have, or are about to have.
#[derive(Default)]
struct CachedSlice {
    /// `None` if the slice is not owned: keys wait.
    grant: Option<Grant>,
    /// Number of its opening, so that one that is closed and opened again is new; 0 before.
    number: u64,
    calls: Calls,
}

/// Right to work on a slice.
#[derive(Clone)]
pub(crate) struct Grant {
    /// Member lease of this replica.
    pub(crate) held: Held,
    /// Transitions of the slice's lease.
    pub(crate) fence: i32,
}

/// Running calls of a slice.
#[derive(Clone, Default)]
pub(crate) struct Calls {
    ended: CancellationToken,
    running: TaskTracker,
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
    held: Held,
    ended: CancellationToken,
    _running: TaskTrackerToken,
}

// === impl Board ===

impl Board {
    /// Returns the right to work on a slice. `None` stands for that of an unknown object.
    pub(crate) fn begin(&self, slice: Option<u16>) -> Turn {
        let slots = self.slots.lock();
        let Some(slot) = slice.and_then(|slice| slots.cached.get(&slice)) else {
            return Turn::Foreign;
        };
        match &slot.grant {
            Some(grant) if !grant.held.is_over() => Turn::Run(Call {
                held: grant.held.clone(),
                ended: slot.calls.ended.clone(),
                _running: slot.calls.running.token(),
            }),
            Some(_) | None => Turn::Wait,
        }
    }

    /// Reports whether a slice is cached, or about to be.
    pub(crate) fn has(&self, slice: Option<u16>) -> bool {
        match slice {
            Some(slice) => self.slots.lock().cached.contains_key(&slice),
            None => false,
        }
    }

    /// Reports whether a key of the slice would have to wait.
    pub(crate) fn waits(&self, slice: Option<u16>) -> bool {
        let slots = self.slots.lock();
        let slot = slice.and_then(|slice| slots.cached.get(&slice));
        slot.is_some_and(|slot| slot.grant.is_none())
    }

    /// Returns the fence of an open slice.
    pub(crate) fn fence(&self, slice: u16) -> Option<i32> {
        let slots = self.slots.lock();
        let grant = slots.cached.get(&slice)?.grant.as_ref()?;
        (!grant.held.is_over()).then_some(grant.fence)
    }

    /// Returns what has moved after `since`.
    pub(crate) fn moved(&self, since: Moves) -> Moved {
        let slots = self.slots.lock();
        let mut gained = BTreeSet::new();
        for (slice, slot) in &slots.cached {
            if slot.number > since.opened {
                gained.insert(*slice);
            }
        }
        Moved {
            until: slots.moves,
            gained,
            has_lost: slots.moves.closed > since.closed,
        }
    }

    /// Returns a receiver that is marked as changed after each change.
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }

    /// Makes the keys of a slice wait.
    pub(super) fn prepare(&self, slice: u16) {
        self.slots.lock().cached.entry(slice).or_default();
    }

    /// Opens a slice whose keys wait.
    pub(super) fn open(&self, slice: u16, grant: Grant) {
        let mut slots = self.slots.lock();
        let Slots { cached, moves } = &mut *slots;
        if let Some(slot) = cached.get_mut(&slice) {
            slot.grant = Some(grant);
            if slot.number == 0 {
                moves.opened += 1;
                slot.number = moves.opened;
            }
        }
        drop(slots);
        self.changed.send_replace(());
    }

    /// Lets no call of the slice begin. Returns those that run.
    pub(super) fn close(&self, slice: u16) -> Calls {
        let mut slots = self.slots.lock();
        slots.moves.closed += 1;
        let calls = slots.cached.remove(&slice).unwrap_or_default().calls;
        calls.running.close();
        drop(slots);
        self.changed.send_replace(());
        calls
    }

    /// Lets no call begin until slices are opened again: the member lease is lost.
    pub(super) fn suspend(&self) {
        for slot in self.slots.lock().cached.values_mut() {
            slot.grant = None;
        }
    }
}

// === impl Calls ===

impl Calls {
    pub(super) fn is_idle(&self) -> bool {
        self.running.is_empty()
    }

    /// Completes when no call runs. Returns `true` if calls had to be dropped after the period.
    pub(super) async fn end(&self, grace_period: Duration) -> bool {
        let is_late = timeout(grace_period, self.running.wait()).await.is_err();
        if is_late {
            self.ended.cancel();
            self.running.wait().await;
        }
        is_late
    }
}

// === impl Call ===

impl Call {
    /// Runs a call. Returns `None` if it was dropped, because the slice was lost or given away.
    pub(crate) async fn run<F: Future>(self, call: F) -> Option<F::Output> {
        tokio::select! {
            biased;
            () = self.ended.cancelled() => None,
            () = self.held.lost() => None,
            output = call => Some(output),
        }
    }
}
