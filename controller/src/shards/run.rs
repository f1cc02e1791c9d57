//! [`Replica`]: carries out the protocol of ownership. Decides nothing itself.

use std::collections::{BTreeSet, VecDeque};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::FuturesUnordered;
use futures::{FutureExt as _, StreamExt as _};
use informer_runtime::engine::{Chain, deadline};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::board::{Calls, Grant};
use super::names::{LEAVING, Names};
use super::ownership::{Act, Claimed, Ownership, SlicePhase};
use super::shared::ShardsShared;
use crate::base::request::within;
use crate::reconcile::leader_election::{
    Answer, Held, LeaderElector, Leadership, Request, send, wall_clock,
};

/// Number of writes in flight.
const PARALLEL: usize = 8;
/// Time that claimed slices wait for the answers to other claims: one list serves them all.
const LINGER: Duration = Duration::from_millis(200);
/// Time after which a slice whose objects the caches do not have is reported.
const OVERDUE: Duration = Duration::from_secs(60);

/// Member of a group of replicas.
pub(super) struct Replica {
    pub(super) shared: Arc<ShardsShared>,
    /// Candidate for the member lease.
    pub(super) elector: LeaderElector,
    pub(super) names: Names,
    pub(super) grace_period: Duration,
    pub(super) leaving: CancellationToken,
}

/// State while the member lease is held.
struct Tenure<'r> {
    replica: &'r Replica,
    held: Held,
    ownership: &'r mut Ownership,
    /// Requests and hand-overs in progress.
    work: FuturesUnordered<BoxFuture<'r, Done>>,
    dropping: &'r mut Dropping,
    /// Writes that wait for their turn.
    writes: VecDeque<Write>,
    /// Number of writes in flight.
    writing: usize,
    /// Slices that were claimed, and enter the caches together at this time.
    claimed: BTreeSet<u16>,
    enters: Option<Instant>,
    /// Time of the next list; `None` while one is in flight.
    next_list: Option<Instant>,
}

/// Changes of caches that still have objects of slices which this replica does not own any more.
type Dropping = FuturesUnordered<BoxFuture<'static, ()>>;

/// Write of a lease.
enum Write {
    Claim(u16, Request),
    Release {
        slice: u16,
        /// Lease without a holder.
        lease: Lease,
        /// Start of the hand-over that the write ends, if it does.
        began: Option<Instant>,
    },
    /// Deletion of the lease of a dead replica.
    Collect(Lease),
}

/// End of some work.
enum Done {
    Listed {
        leases: Option<Vec<Lease>>,
        sent: Instant,
    },
    Announced,
    Claimed {
        slice: u16,
        /// `None` if it was not written.
        lease: Option<Box<Lease>>,
    },
    Released {
        slice: u16,
        /// Start of the hand-over that the write has ended, if it has.
        began: Option<Instant>,
    },
    Collected,
    Entered {
        slices: BTreeSet<u16>,
        began: Instant,
    },
    Left {
        slices: BTreeSet<u16>,
        began: Instant,
        /// Work that is left to do for the caches.
        rest: Option<BoxFuture<'static, ()>>,
    },
}

// === impl Replica ===

impl Replica {
    /// Takes part until the replica is told to leave.
    pub(super) async fn run(self, first: Leadership) {
        let terms = self.elector.terms.clone();
        let mut ownership = Ownership::new(self.names.clone(), terms, Instant::now());
        let mut leadership = Some(first);
        let mut dropping = Dropping::new();
        while let Some(member) = leadership.take() {
            let tenure = Tenure::new(&self, &member, &mut ownership, &mut dropping);
            if tenure.last().await {
                return self.depart(member).await;
            }
            let lost = ownership.held().len();
            let gone = ownership.suspend();
            self.shared.board.suspend();
            for slice in &gone {
                self.shared.board.close(*slice);
            }
            self.shared.status(|status| {
                status.lost += lost as u64;
                status.owned.clear();
                status.overdue.clear();
            });
            warn!(
                group = self.names.group(),
                lost, "the member lease is lost: calls are dropped"
            );
            dropping.push(self.shared.cached.leave(&gone).boxed());
            let rejoined = async {
                let mut rejoined = pin!(self.rejoin());
                loop {
                    tokio::select! {
                        leadership = &mut rejoined => return leadership,
                        Some(()) = dropping.next() => {}
                    }
                }
            };
            leadership = self.leaving.run_until_cancelled(rejoined).await;
        }
    }

    /// Acquires the member lease again.
    async fn rejoin(&self) -> Leadership {
        loop {
            match self.elector.acquire().await {
                Ok(leadership) => return leadership,
                Err(error) => warn!(
                    group = self.names.group(),
                    error = %Chain(&error),
                    "cannot join the replicas again, retrying"
                ),
            }
            sleep(self.elector.terms.renew_deadline).await;
        }
    }

    /// Removes the member lease.
    async fn depart(&self, leadership: Leadership) {
        // Ends the renewals, which would make the lease again.
        drop(leadership);
        let LeaderElector { leases, terms, .. } = &self.elector;
        let params = DeleteParams::default();
        let deleted = within(self.limit(), leases.delete(&terms.name, &params)).await;
        if self.answered("delete the member lease", deleted).is_some() {
            info!(group = self.names.group(), "left the replicas");
        }
    }

    /// Tells the other replicas that this one gives its slices away.
    async fn announce(&self) {
        let label = json!({ "metadata": { "labels": { LEAVING: "true" } } });
        let LeaderElector { leases, terms, .. } = &self.elector;
        let params = PatchParams::default();
        let patch = Patch::Merge(label);
        let patched = within(self.limit(), leases.patch(&terms.name, &params, &patch)).await;
        self.answered("announce the end of this replica", patched);
    }

    async fn carry_out(&self, write: Write) -> Done {
        match write {
            Write::Claim(slice, request) => {
                let lease = match self.write(request).await {
                    Answer::Written(written) => Some(Box::new(written)),
                    Answer::Read(_) | Answer::Rejected | Answer::Failed => None,
                };
                Done::Claimed { slice, lease }
            }
            Write::Release {
                slice,
                lease,
                began,
            } => {
                self.write(Request::Replace(lease)).await;
                Done::Released { slice, began }
            }
            Write::Collect(lease) => {
                self.collect(lease).await;
                Done::Collected
            }
        }
    }

    /// Writes the lease of a slice.
    async fn write(&self, request: Request) -> Answer {
        let (Request::Create(lease) | Request::Replace(lease)) = &request else {
            return Answer::Failed;
        };
        let name = lease.metadata.name.as_deref().unwrap_or_default();
        let written = send(&self.elector.leases, name, &request, self.limit()).await;
        let answer = self.answered("write the lease of a slice", written);
        answer.unwrap_or(Answer::Failed)
    }

    /// Deletes the lease of a dead replica, unless another replica was faster.
    async fn collect(&self, lease: Lease) {
        let meta = lease.metadata;
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: meta.uid,
            resource_version: meta.resource_version,
        });
        let name = meta.name.unwrap_or_default();
        let deleted = within(self.limit(), self.elector.leases.delete(&name, &params)).await;
        self.answered("delete the lease of a dead replica", deleted);
    }

    /// Ends the calls of slices, then drops their objects from the caches.
    async fn leave(&self, leaving: Vec<(u16, Calls)>, grace_period: Duration) -> Done {
        let began = Instant::now();
        let slices: BTreeSet<u16> = leaving.iter().map(|(slice, _)| *slice).collect();
        for (slice, calls) in leaving {
            if calls.end(grace_period).await {
                warn!(
                    slice,
                    ?grace_period,
                    "calls dropped: the slice is another replica's"
                );
            }
        }
        let mut dropped = self.shared.cached.leave(&slices).boxed();
        let in_time = timeout(self.grace_period, &mut dropped).await.is_ok();
        if in_time {
            return Done::Left {
                slices,
                began,
                rest: None,
            };
        }
        let full = self.shared.cached.waits_for().join(", ");
        warn!(
            ?slices,
            "slices are given away before the caches have dropped them: {full} takes no events"
        );
        Done::Left {
            slices,
            began,
            rest: Some(dropped),
        }
    }

    /// Returns the time that a request has: that of a renewal.
    fn limit(&self) -> Duration {
        self.elector.terms.renew_deadline / 2
    }

    /// Returns the answer to a request. A failure is logged; the next list of the leases shows what is
    /// left to do.
    fn answered<T>(&self, what: &'static str, answer: kube::Result<T>) -> Option<T> {
        match answer {
            Ok(answer) => Some(answer),
            Err(error) => {
                warn!(group = self.names.group(), error = %Chain(&error), "cannot {what}");
                None
            }
        }
    }
}

// === impl Tenure ===

impl<'r> Tenure<'r> {
    fn new(
        replica: &'r Replica,
        member: &Leadership,
        ownership: &'r mut Ownership,
        dropping: &'r mut Dropping,
    ) -> Self {
        Self {
            replica,
            held: member.held(),
            ownership,
            work: FuturesUnordered::new(),
            dropping,
            writes: VecDeque::new(),
            writing: 0,
            claimed: BTreeSet::new(),
            enters: None,
            next_list: Some(Instant::now()),
        }
    }

    /// Owns slices until the member lease is lost, or everything is given away. Returns `true` in the
    /// second case.
    async fn last(mut self) -> bool {
        let held = self.held.clone();
        let replica = self.replica;
        let mut is_leaving = false;
        while !self.ownership.has_ended() || self.writing > 0 {
            tokio::select! {
                biased;
                () = held.lost() => return false,
                () = replica.leaving.cancelled(), if !is_leaving => {
                    is_leaving = true;
                    // Before the first slice is free, which is this replica's share otherwise.
                    self.work.push(replica.announce().map(|()| Done::Announced).boxed());
                }
                Some(done) = self.work.next() => self.finish(done),
                Some(()) = self.dropping.next() => {}
                () = deadline(self.enters) => self.enter(),
                () = deadline(self.next_list) => self.list(),
            }
            self.send();
        }
        true
    }

    /// Lists the leases.
    fn list(&mut self) {
        let replica = self.replica;
        let sent = Instant::now();
        self.next_list = None;
        self.work.push(Box::pin(async move {
            let params = ListParams::default().labels(&replica.names.selector());
            let answer = within(replica.limit(), replica.elector.leases.list(&params)).await;
            let listed = replica.answered("list the leases", answer);
            Done::Listed {
                leases: listed.map(|leases| leases.items),
                sent,
            }
        }));
    }

    /// Acts on a list of the leases.
    fn listed(&mut self, leases: Option<Vec<Lease>>, sent: Instant) {
        let arrived = Instant::now();
        self.next_list = Some(arrived + self.replica.elector.terms.retry_period);
        let Some(leases) = leases else {
            return;
        };
        // The releases of hand-overs have begun.
        self.writes
            .retain(|write| matches!(write, Write::Release { began: Some(_), .. }));
        let acts = self.ownership.observe(leases, sent, arrived, wall_clock());
        self.carry_out(acts);
        self.next_list = Some(self.ownership.next_list(arrived));
    }

    fn carry_out(&mut self, acts: Vec<Act>) {
        let board = &self.replica.shared.board;
        let mut leaving = Vec::new();
        let mut lost = Vec::new();
        for act in acts {
            match act {
                Act::Claim(slice, request) => self.writes.push_back(Write::Claim(slice, request)),
                Act::Release(slice, lease) => self.writes.push_back(Write::Release {
                    slice,
                    lease,
                    began: None,
                }),
                Act::Collect(lease) => self.writes.push_back(Write::Collect(lease)),
                Act::Leave(slice) => leaving.push((slice, board.close(slice))),
                Act::Drop(slice) => lost.push((slice, board.close(slice))),
            }
        }
        for (slice, _) in leaving.iter().chain(&lost) {
            self.claimed.remove(slice);
        }
        self.leave(lost, Duration::ZERO);
        self.leave(leaving, self.replica.grace_period);
    }

    /// Begins the writes whose turn it is.
    fn send(&mut self) {
        let replica = self.replica;
        while self.writing < PARALLEL
            && let Some(write) = self.writes.pop_front()
        {
            self.writing += 1;
            if let Write::Claim(slice, _) | Write::Release { slice, .. } = write {
                self.ownership.begins_write(slice);
            }
            self.work.push(Box::pin(replica.carry_out(write)));
        }
    }

    /// Acts on the end of some work.
    fn finish(&mut self, done: Done) {
        // What is written or shown after the loss of the member lease is not owned.
        if self.held.is_over() {
            return;
        }
        let shared = &self.replica.shared;
        match done {
            Done::Listed { leases, sent } => self.listed(leases, sent),
            Done::Announced => {
                let acts = self.ownership.end();
                self.carry_out(acts);
            }
            Done::Claimed { slice, lease } => {
                self.wrote(slice);
                if let Some(written) = lease {
                    self.claimed(slice, *written);
                }
            }
            Done::Released { slice, began } => {
                self.wrote(slice);
                if let Some(began) = began {
                    shared.handed_over(began, |status| &mut status.released);
                }
            }
            Done::Collected => self.writing -= 1,
            Done::Entered { slices, began } => {
                for slice in slices {
                    if self.ownership.entered(slice) {
                        self.open(slice);
                        shared.handed_over(began, |status| &mut status.gained);
                    }
                }
            }
            Done::Left {
                slices,
                began,
                rest,
            } => {
                self.dropping.extend(rest);
                for slice in slices {
                    let Some(lease) = self.ownership.left(slice, wall_clock()) else {
                        continue;
                    };
                    self.ownership.begins_write(slice);
                    self.writes.push_front(Write::Release {
                        slice,
                        lease,
                        began: Some(began),
                    });
                }
            }
        }
        self.show();
    }

    fn wrote(&mut self, slice: u16) {
        self.writing -= 1;
        self.ownership.ended_write(slice, Instant::now());
    }

    fn claimed(&mut self, slice: u16, lease: Lease) {
        let claimed = self.ownership.claimed(slice, lease);
        if claimed != Claimed::Leaving {
            self.replica.shared.board.prepare(slice);
        }
        match claimed {
            Claimed::Owned => self.open(slice),
            Claimed::Gaining => {
                self.claimed.insert(slice);
                let mut enters = Instant::now();
                if self.writing > 0 {
                    enters += LINGER;
                }
                match self.enters {
                    Some(due) if due <= enters => {}
                    Some(_) | None => self.enters = Some(enters),
                }
            }
            Claimed::Leaving => {}
        }
    }

    /// Lets the objects of the claimed slices enter the caches.
    fn enter(&mut self) {
        self.enters = None;
        let shared = Arc::clone(&self.replica.shared);
        let began = Instant::now();
        let entering = std::mem::take(&mut self.claimed);
        let mut entered = Box::pin(shared.cached.enter(&entering));
        self.work.push(Box::pin(async move {
            if timeout(OVERDUE, &mut entered).await.is_err() {
                shared.status(|status| status.overdue.extend(&entering));
                let reason = match shared.cached.waits_for().as_slice() {
                    [] => "an informer cannot list their objects".to_owned(),
                    full => format!("{} takes no events", full.join(", ")),
                };
                warn!(slices = ?entering, "slices are held but not reconciled: {reason}");
                entered.await;
            }
            Done::Entered {
                slices: entering,
                began,
            }
        }));
    }

    /// Hands slices over: each after its calls, those without calls together.
    fn leave(&mut self, leaving: Vec<(u16, Calls)>, grace_period: Duration) {
        let (idle, busy): (Vec<_>, Vec<_>) =
            leaving.into_iter().partition(|(_, calls)| calls.is_idle());
        let replica = self.replica;
        for one in busy {
            self.work
                .push(replica.leave(vec![one], grace_period).boxed());
        }
        if !idle.is_empty() {
            self.work.push(replica.leave(idle, grace_period).boxed());
        }
    }

    fn open(&self, slice: u16) {
        let grant = Grant {
            held: self.held.clone(),
            fence: self.ownership.fence(slice),
        };
        self.replica.shared.board.open(slice, grant);
    }

    /// Updates the status.
    fn show(&self) {
        let ownership = &*self.ownership;
        self.replica.shared.status(|status| {
            status.replicas = ownership
                .replicas()
                .into_iter()
                .map(str::to_owned)
                .collect();
            status.is_blocked = ownership.disagrees();
            status.holders = ownership
                .holders()
                .into_iter()
                .map(|holder| holder.map(str::to_owned))
                .collect();
            status.owned = ownership.in_phase(SlicePhase::Owned);
            let gaining = ownership.in_phase(SlicePhase::Gaining);
            status.overdue.retain(|slice| gaining.contains(slice));
        });
    }
}
