//! Protocol by which a replica owns slices. Pure: time is an argument.
//!
//! The lease of a slice names its holder. It is written when the holder changes, and not to renew it:
//! each replica renews one lease of its own, its *member lease*, by the protocol of leader election.
//! A replica lists all of these leases periodically. [`Ownership::observe`] compares them with the
//! [plan](super::plan), and returns what the replica has to do.
//!
//! # Invariants
//!
//! 1. A replica owns a slice from the answer to the write that made it the holder until it gives the
//!    slice away, and only while it has held its member lease without a gap since that write was sent.
//! 2. A replica takes the slice of another one if a list shows the member lease of the holder as it
//!    was in a list that had arrived the lease duration before this one was *sent*. The server has
//!    then seen no renewal for that time, so that the holder has lost its member lease.
//! 3. Each write of a slice's lease changes it, and names the resourceVersion on which it is based. A
//!    holder that has lost its member lease and renews it later has to write the leases of its slices
//!    again, and only one of the two writes of a lease succeeds.
//! 4. A slice is given away after its calls have ended. The caches have dropped it, unless a handler
//!    keeps them from it for longer than the grace period.
//! 5. A list tells nothing about a slice whose lease was being written when the list was sent, or
//!    later. The lease of a slice has one write at a time.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

use super::names::Names;
use super::plan::{Share, share};
use crate::base::names::non_empty;
use crate::reconcile::leader_election::{Request, Terms, duration, holder, released};

/// State of one replica.
#[derive(Debug)]
pub(super) struct Ownership {
    names: Names,
    /// Terms of the member lease.
    terms: Terms,
    members: HashMap<String, MemberLease>,
    /// Leases of the slices, as they were last listed or written.
    leases: BTreeMap<u16, Lease>,
    held: BTreeMap<u16, SlicePhase>,
    /// Writes of slices' leases: `None` for one in flight, and the end of one about which the last list
    /// tells nothing.
    writes: BTreeMap<u16, Option<Instant>>,
    /// Start of the last list that has arrived.
    listed: Instant,
    is_ending: bool,
}

/// Member lease of a replica.
#[derive(Debug)]
struct MemberLease {
    /// `None` if a slice names a replica without a lease.
    lease: Option<Lease>,
    /// Arrival of the first list that showed this `spec`.
    since: Instant,
    /// Time after `since` at which the replica counts as dead.
    lifetime: Duration,
}

/// State of a slice that this replica holds or held.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum SlicePhase {
    /// Was owned when the member lease was lost. The caches hold it still.
    Suspended,
    /// Held; the caches do not show all of its objects yet.
    Gaining,
    Owned,
    /// Held; calls end, and the caches drop its objects.
    Leaving,
    /// Another replica may own it; the caches drop its objects.
    Lost,
}

/// Slice whose lease names this replica.
struct Mine {
    slice: u16,
    /// `None` if the replica does not hold the slice.
    phase: Option<SlicePhase>,
}

/// Action of a replica.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Act {
    /// Becomes the holder. An answer `Written` is reported by [`Ownership::claimed`].
    Claim(u16, Request),
    /// Writes the lease of a slice without a holder.
    Release(u16, Lease),
    /// Hands the slice over, after its calls have ended, and reports by [`Ownership::left`].
    Leave(u16),
    /// Drops the calls of the slice at once, and reports by [`Ownership::left`].
    Drop(u16),
    /// Deletes the member lease of a dead replica.
    Collect(Lease),
}

/// State of a slice after its claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Claimed {
    /// The caches have its objects still.
    Owned,
    /// The caches have to show its objects next.
    Gaining,
    /// It is given away meanwhile. The next list shows that it is held.
    Leaving,
}

// === impl Ownership ===

impl Ownership {
    pub(super) fn new(names: Names, terms: Terms, now: Instant) -> Self {
        Self {
            names,
            terms,
            members: HashMap::new(),
            leases: BTreeMap::new(),
            held: BTreeMap::new(),
            writes: BTreeMap::new(),
            listed: now,
            is_ending: false,
        }
    }

    /// Returns the actions after a list that was sent at `sent` and has arrived. They replace those
    /// writes of earlier lists that have not begun. The replica holds its member lease.
    pub(super) fn observe(
        &mut self,
        listed: Vec<Lease>,
        sent: Instant,
        now: Instant,
        wall_clock: Timestamp,
    ) -> Vec<Act> {
        self.writes
            .retain(|_, ended| ended.is_none_or(|ended| ended >= sent));
        self.note(listed, now);
        self.listed = sent;
        let mut acts = self.lose();
        let Share { target, take } = self.share();
        acts.extend(self.balance(target, wall_clock));
        if self.may_claim() {
            for slice in take {
                if !self.held.contains_key(&slice) && !self.writes.contains_key(&slice) {
                    acts.push(self.claim(slice, wall_clock));
                }
            }
        }
        acts.extend(self.garbage());
        acts
    }

    /// Notes that a write of a slice's lease begins.
    pub(super) fn begins_write(&mut self, slice: u16) {
        self.writes.insert(slice, None);
    }

    /// Notes that a write of a slice's lease has ended, with or without an answer.
    pub(super) fn ended_write(&mut self, slice: u16, now: Instant) {
        self.writes.insert(slice, Some(now));
    }

    /// Notes that this replica is the holder of a slice.
    pub(super) fn claimed(&mut self, slice: u16, lease: Lease) -> Claimed {
        self.leases.insert(slice, lease);
        let (phase, claimed) = match self.held.get(&slice) {
            Some(SlicePhase::Suspended) => (SlicePhase::Owned, Claimed::Owned),
            Some(SlicePhase::Leaving | SlicePhase::Lost) => return Claimed::Leaving,
            Some(SlicePhase::Gaining | SlicePhase::Owned) | None => {
                (SlicePhase::Gaining, Claimed::Gaining)
            }
        };
        self.held.insert(slice, phase);
        claimed
    }

    /// Notes that the caches show the objects of a slice. Returns `true` if the slice is owned now.
    pub(super) fn entered(&mut self, slice: u16) -> bool {
        match self.held.get_mut(&slice) {
            Some(phase) if *phase == SlicePhase::Gaining => {
                *phase = SlicePhase::Owned;
                true
            }
            Some(_) | None => false,
        }
    }

    /// Notes that neither calls nor caches use a slice. Returns the lease to write, if it is held.
    pub(super) fn left(&mut self, slice: u16, wall_clock: Timestamp) -> Option<Lease> {
        let phase = self.held.remove(&slice)?;
        let lease = self.leases.get(&slice)?;
        if phase != SlicePhase::Leaving || !self.is_mine(lease) {
            return None;
        }
        Some(released(lease.clone(), wall_clock))
    }

    /// Notes the loss of the member lease: this replica owns nothing. Returns the slices that the
    /// caches have to drop.
    pub(super) fn suspend(&mut self) -> BTreeSet<u16> {
        self.writes.clear();
        let mut gone = BTreeSet::new();
        self.held.retain(|slice, phase| {
            let is_owned = matches!(phase, SlicePhase::Owned | SlicePhase::Suspended);
            *phase = SlicePhase::Suspended;
            if !is_owned {
                gone.insert(*slice);
            }
            is_owned
        });
        gone
    }

    /// Begins to give everything away.
    pub(super) fn end(&mut self) -> Vec<Act> {
        self.is_ending = true;
        let slices: Vec<u16> = self.held.keys().copied().collect();
        slices
            .into_iter()
            .filter_map(|slice| self.leave(slice))
            .collect()
    }

    pub(super) fn has_ended(&self) -> bool {
        self.is_ending && self.held.is_empty()
    }

    /// Returns the time of the next list: after the retry period, or when a lease expires.
    pub(super) fn next_list(&self, now: Instant) -> Instant {
        let next = self
            .members
            .iter()
            .filter(|(identity, _)| **identity != self.terms.identity)
            .map(|(_, member)| member.since + member.lifetime)
            // One that passed since the last list was sent has not been seen yet.
            .filter(|expiry| *expiry > self.listed)
            .min();
        let regular = now + self.terms.retry_period;
        next.map_or(regular, |expiry| expiry.clamp(now, regular))
    }

    pub(super) fn held(&self) -> &BTreeMap<u16, SlicePhase> {
        &self.held
    }

    /// Returns the slices in a phase.
    pub(super) fn in_phase(&self, phase: SlicePhase) -> Vec<u16> {
        self.held
            .iter()
            .filter(|(_, of)| **of == phase)
            .map(|(slice, _)| *slice)
            .collect()
    }

    /// Returns the holder of each slice, dead or alive.
    pub(super) fn holders(&self) -> Vec<Option<&str>> {
        (0..self.names.count())
            .map(|slice| non_empty(holder(self.leases.get(&slice)?)))
            .collect()
    }

    /// Returns the transitions of a slice's lease, as it was last seen.
    pub(super) fn fence(&self, slice: u16) -> i32 {
        self.leases
            .get(&slice)
            .and_then(|lease| lease.spec.as_ref()?.lease_transitions)
            .unwrap_or_default()
    }

    /// Returns the replicas that were alive when the last list was sent.
    pub(super) fn replicas(&self) -> BTreeSet<&str> {
        let mut replicas = BTreeSet::from([self.terms.identity.as_str()]);
        for (identity, member) in &self.members {
            let is_held = match &member.lease {
                Some(lease) => !holder(lease).is_empty(),
                None => false,
            };
            if is_held && self.is_alive(identity) {
                replicas.insert(identity);
            }
        }
        replicas
    }

    /// Reports whether a live replica cuts the hashes differently. Nothing is claimed then.
    pub(super) fn disagrees(&self) -> bool {
        for replica in self.replicas() {
            if let Some(lease) = self.member_lease(replica)
                && !self.names.has_layout(lease)
            {
                return true;
            }
        }
        false
    }

    fn may_claim(&self) -> bool {
        !self.is_ending && !self.disagrees()
    }

    fn member_lease(&self, identity: &str) -> Option<&Lease> {
        self.members.get(identity)?.lease.as_ref()
    }

    /// Records a list.
    fn note(&mut self, listed: Vec<Lease>, now: Instant) {
        self.leases
            .retain(|slice, _| self.writes.contains_key(slice));
        let mut members: HashMap<String, Option<Lease>> = HashMap::new();
        for lease in listed {
            if let Some(slice) = self.names.slice_of(&lease) {
                if !self.writes.contains_key(&slice) {
                    self.leases.insert(slice, lease);
                }
            } else if let Some(identity) = self.names.member_of(&lease) {
                members.insert(identity.to_owned(), Some(lease));
            }
        }
        for lease in self.leases.values() {
            members.entry(holder(lease).to_owned()).or_default();
        }
        members.remove("");
        let known = std::mem::take(&mut self.members);
        for (identity, lease) in members {
            let member = self.member(lease, known.get(&identity), now);
            self.members.insert(identity, member);
        }
    }

    /// Returns the state of a replica. `known` is its state after the previous list.
    fn member(
        &self,
        lease: Option<Lease>,
        known: Option<&MemberLease>,
        now: Instant,
    ) -> MemberLease {
        let spec = spec_of(lease.as_ref());
        let since = match known {
            Some(known) if spec_of(known.lease.as_ref()) == spec => known.since,
            Some(_) | None => now,
        };
        let lifetime = match &lease {
            Some(_) => duration(spec),
            None => self.terms.lease_duration,
        };
        MemberLease {
            lease,
            since,
            lifetime,
        }
    }

    /// Gives up what another replica holds by now.
    fn lose(&mut self) -> Vec<Act> {
        let mut lost = Vec::new();
        for (slice, phase) in &mut self.held {
            let is_mine = match self.leases.get(slice) {
                Some(lease) => holder(lease) == self.terms.identity,
                None => false,
            };
            if is_mine || *phase == SlicePhase::Lost {
                continue;
            }
            // The hand-over of a slice that leaves goes on.
            if *phase != SlicePhase::Leaving {
                lost.push(Act::Drop(*slice));
            }
            *phase = SlicePhase::Lost;
        }
        lost
    }

    fn share(&self) -> Share {
        let holders: Vec<Option<&str>> = self
            .holders()
            .into_iter()
            .map(|holder| holder.filter(|holder| self.is_alive(holder)))
            .collect();
        let mine = self.terms.identity.as_str();
        let mut members = self.replicas();
        members.retain(|member| match self.member_lease(member) {
            _ if *member == mine => !self.is_ending,
            Some(lease) => self.names.has_layout(lease) && !Names::is_leaving(lease),
            None => false,
        });
        share(&holders, &members, mine)
    }

    /// Gives away what exceeds the share, and claims what names this replica although it does not
    /// own it: after a write without an answer, or after a loss of the member lease.
    fn balance(&mut self, target: usize, wall_clock: Timestamp) -> Vec<Act> {
        let mut mine = self.mine();
        // What is not in the caches goes first, then the last ranges.
        mine.sort_by_key(|mine| (mine.phase, Reverse(mine.slice)));
        let excess = mine.len().saturating_sub(target);
        let may_claim = self.may_claim();
        let mut acts = Vec::new();
        for (rank, Mine { slice, phase }) in mine.into_iter().enumerate() {
            let is_excess = rank < excess;
            match phase {
                Some(_) if self.writes.get(&slice) == Some(&None) => {}
                Some(_) if is_excess => acts.extend(self.leave(slice)),
                None if is_excess => {
                    if let Some(lease) = self.released(slice, wall_clock) {
                        acts.push(Act::Release(slice, lease));
                    }
                }
                None | Some(SlicePhase::Suspended) if may_claim => {
                    acts.push(self.claim(slice, wall_clock));
                }
                None | Some(_) => {}
            }
        }
        acts
    }

    /// Returns the slices whose leases name this replica, and that are not given away yet.
    fn mine(&self) -> Vec<Mine> {
        let mut mine = Vec::new();
        for (slice, lease) in &self.leases {
            if !self.is_mine(lease) {
                continue;
            }
            let phase = self.held.get(slice).copied();
            let counts = match phase {
                // The write may be a release.
                None => !self.writes.contains_key(slice),
                // What is given away counts already.
                Some(phase) => phase < SlicePhase::Leaving,
            };
            if counts {
                mine.push(Mine {
                    slice: *slice,
                    phase,
                });
            }
        }
        mine
    }

    fn leave(&mut self, slice: u16) -> Option<Act> {
        let phase = self.held.get_mut(&slice)?;
        *phase = match *phase {
            SlicePhase::Leaving | SlicePhase::Lost => return None,
            SlicePhase::Suspended => SlicePhase::Lost,
            SlicePhase::Gaining | SlicePhase::Owned => SlicePhase::Leaving,
        };
        Some(Act::Leave(slice))
    }

    /// Returns the write that makes this replica the holder. It counts as a transition even if the
    /// lease names this replica already.
    fn claim(&self, slice: u16, wall_clock: Timestamp) -> Act {
        let terms = self.names.slice_terms(&self.terms, slice);
        let lease = self.released(slice, wall_clock);
        Act::Claim(slice, terms.write(lease, wall_clock))
    }

    /// Returns the lease of a slice without a holder.
    fn released(&self, slice: u16, wall_clock: Timestamp) -> Option<Lease> {
        let lease = self.leases.get(&slice)?;
        Some(released(lease.clone(), wall_clock))
    }

    /// Returns the deletions of what dead replicas have left. One replica deletes.
    fn garbage(&self) -> Vec<Act> {
        if self.replicas().first() != Some(&self.terms.identity.as_str()) {
            return Vec::new();
        }
        let holders = self.holders();
        let mut garbage = Vec::new();
        for (identity, member) in &self.members {
            let is_holder = holders.contains(&Some(identity.as_str()));
            if is_holder || *identity == self.terms.identity {
                continue;
            }
            if self.listed < member.since + 2 * member.lifetime {
                continue;
            }
            if let Some(lease) = &member.lease {
                garbage.push(Act::Collect(lease.clone()));
            }
        }
        garbage
    }

    fn is_mine(&self, lease: &Lease) -> bool {
        holder(lease) == self.terms.identity
    }

    /// Reports whether a replica may have held its member lease when the last list was sent.
    fn is_alive(&self, identity: &str) -> bool {
        if identity == self.terms.identity {
            return true;
        }
        match self.members.get(identity) {
            Some(member) => self.listed < member.since + member.lifetime,
            None => false,
        }
    }
}

fn spec_of(lease: Option<&Lease>) -> Option<&LeaseSpec> {
    lease?.spec.as_ref()
}

#[cfg(test)]
mod tests;
