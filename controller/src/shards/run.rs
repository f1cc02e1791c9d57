//! [`Replica`]: carries out the protocol of ownership. Decides nothing itself.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::coordination::v1::Lease;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until, timeout};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::board::{Calls, Grant};
use super::names::{LEAVING, Names};
use super::ownership::{Act, Ownership, Phase};
use super::shared::Shared;
use crate::base::request::within;
use crate::engine::Chain;
use crate::reconcile::leader_election::{
    Answer, Held, LeaderElector, Leadership, Request, send, wall_clock,
};

/// Number of requests in flight.
const PARALLEL: usize = 8;
/// Time after which a slice whose objects the caches do not have is reported.
const OVERDUE: Duration = Duration::from_secs(60);

/// Member of a group of replicas.
pub(super) struct Replica {
    pub(super) shared: Arc<Shared>,
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
    /// Hand-overs in progress.
    work: FuturesUnordered<BoxFuture<'static, Done>>,
    next_list: Instant,
}

/// End of a hand-over, and its start.
enum Done {
    Entered(BTreeSet<u16>, Instant),
    Left(BTreeSet<u16>, Instant),
}

// === impl Replica ===

impl Replica {
    /// Takes part until the replica is told to leave.
    pub(super) async fn run(self, first: Leadership) {
        let now = Instant::now();
        let terms = self.elector.terms.clone();
        let mut ownership = Ownership::new(self.names.clone(), terms, now);
        let mut leadership = Some(first);
        while let Some(member) = leadership.take() {
            let mut tenure = Tenure {
                replica: &self,
                held: member.held(),
                ownership: &mut ownership,
                work: FuturesUnordered::new(),
                next_list: Instant::now(),
            };
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
            self.shared.scope.leave(&gone).await;
            leadership = self.leaving.run_until_cancelled(self.rejoin()).await;
        }
    }

    /// Acquires the member lease again.
    async fn rejoin(&self) -> Leadership {
        loop {
            match self.elector.acquire().await {
                Ok(leadership) => return leadership,
                Err(error) => {
                    let (group, error) = (self.names.group(), Chain(&error));
                    warn!(group, %error, "cannot join the replicas again, retrying");
                }
            }
            sleep(self.elector.terms.renew_deadline).await;
        }
    }

    /// Removes the member lease.
    async fn depart(&self, leadership: Leadership) {
        leadership.release().await;
        let (name, params) = (&self.elector.terms.name, DeleteParams::default());
        let deleted = within(self.limit(), self.elector.leases.delete(name, &params)).await;
        if self.answered("delete the member lease", deleted).is_some() {
            info!(group = self.names.group(), "left the replicas");
        }
    }

    /// Tells the other replicas that this one gives its slices away.
    async fn announce(&self) {
        let label = json!({ "metadata": { "labels": { LEAVING: "true" } } });
        let (params, patch) = (PatchParams::default(), Patch::Merge(label));
        let (leases, name) = (&self.elector.leases, &self.elector.terms.name);
        let patched = within(self.limit(), leases.patch(name, &params, &patch)).await;
        self.answered("announce the end of this replica", patched);
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

    /// Returns the time that a request has: that of a renewal.
    fn limit(&self) -> Duration {
        self.elector.terms.renew_deadline / 2
    }

    /// Returns the answer to a request. A failure is logged; the next list of the leases shows what is
    /// left to do.
    fn answered<T>(&self, what: &'static str, answer: kube::Result<T>) -> Option<T> {
        let logged = |error: kube::Error| {
            let (group, error) = (self.names.group(), Chain(&error));
            warn!(group, %error, "cannot {what}");
        };
        answer.map_err(logged).ok()
    }
}

// === impl Tenure ===

impl Tenure<'_> {
    /// Owns slices until the member lease is lost, or everything is given away. Returns `true` in the
    /// second case.
    async fn last(&mut self) -> bool {
        let held = self.held.clone();
        let mut is_leaving = false;
        while !self.ownership.has_ended() {
            tokio::select! {
                biased;
                () = held.lost() => return false,
                () = self.replica.leaving.cancelled(), if !is_leaving => {
                    is_leaving = true;
                    self.replica.announce().await;
                    let acts = self.ownership.end();
                    self.carry_out(acts).await;
                }
                Some(done) = self.work.next() => self.finish(done).await,
                () = sleep_until(self.next_list) => self.list().await,
            }
        }
        true
    }

    /// Lists the leases, and acts on them.
    async fn list(&mut self) {
        let (replica, sent) = (self.replica, Instant::now());
        let params = ListParams::default().labels(&replica.names.selector());
        let listed = within(replica.limit(), replica.elector.leases.list(&params)).await;
        let listed = replica.answered("list the leases", listed);
        let now = Instant::now();
        self.next_list = now + replica.elector.terms.retry_period;
        if let Some(leases) = listed {
            let acts = self
                .ownership
                .observe(leases.items, sent, now, wall_clock());
            self.carry_out(acts).await;
            self.next_list = self.ownership.next_list(Instant::now());
            self.show();
        }
    }

    async fn carry_out(&mut self, acts: Vec<Act>) {
        let replica = self.replica;
        let board = &replica.shared.board;
        let (mut claims, mut others) = (Vec::new(), Vec::new());
        let (mut leaving, mut lost) = (Vec::new(), Vec::new());
        for act in acts {
            match act {
                Act::Claim(slice, request) => {
                    claims.push(async move { (slice, replica.write(request).await) });
                }
                Act::Release(lease) => {
                    others.push(replica.write(Request::Replace(lease)).map(drop).boxed());
                }
                Act::Collect(lease) => others.push(replica.collect(lease).boxed()),
                Act::Leave(slice) => leaving.push((slice, board.close(slice))),
                Act::Drop(slice) => lost.push((slice, board.close(slice))),
            }
        }
        self.leave(lost, Duration::ZERO);
        self.leave(leaving, replica.grace_period);
        let others = stream::iter(others);
        others.for_each_concurrent(PARALLEL, |other| other).await;
        let claims = stream::iter(claims).buffer_unordered(PARALLEL);
        let claimed: Vec<(u16, Answer)> = claims.collect().await;
        // What was written after the loss of the member lease is not owned.
        if !self.held.is_over() {
            self.claimed(claimed);
        }
    }

    /// Lets the objects of the claimed slices enter the caches.
    fn claimed(&mut self, answers: Vec<(u16, Answer)>) {
        let shared = Arc::clone(&self.replica.shared);
        let mut entering = BTreeSet::new();
        for (slice, answer) in answers {
            let Answer::Written(lease) = answer else {
                continue;
            };
            shared.board.prepare(slice);
            if self.ownership.claimed(slice, lease) {
                self.open(slice);
            } else {
                entering.insert(slice);
            }
        }
        if entering.is_empty() {
            return;
        }
        let (mut entered, began) = (Box::pin(shared.scope.enter(&entering)), Instant::now());
        self.work.push(Box::pin(async move {
            if timeout(OVERDUE, &mut entered).await.is_err() {
                shared.status(|status| status.overdue.extend(&entering));
                warn!(
                    slices = ?entering,
                    "slices are held but not reconciled: an informer cannot list their objects"
                );
                entered.await;
            }
            Done::Entered(entering, began)
        }));
    }

    /// Hands slices over: each after its calls, those without calls together.
    fn leave(&mut self, leaving: Vec<(u16, Calls)>, grace_period: Duration) {
        let began = Instant::now();
        let (idle, busy): (Vec<_>, Vec<_>) =
            leaving.into_iter().partition(|(_, calls)| calls.is_idle());
        let busy = busy.into_iter().map(|one| vec![one]);
        for group in busy.chain([idle]).filter(|group| !group.is_empty()) {
            let shared = Arc::clone(&self.replica.shared);
            let slices: BTreeSet<u16> = group.iter().map(|(slice, _)| *slice).collect();
            self.work.push(Box::pin(async move {
                for (slice, calls) in group {
                    if calls.end(grace_period).await {
                        warn!(
                            slice,
                            ?grace_period,
                            "calls dropped: the slice is another replica's"
                        );
                    }
                }
                shared.scope.leave(&slices).await;
                Done::Left(slices, began)
            }));
        }
    }

    /// Acts on the end of a hand-over.
    async fn finish(&mut self, done: Done) {
        let replica = self.replica;
        let shared = &replica.shared;
        match done {
            Done::Entered(slices, began) => {
                for slice in slices {
                    if self.ownership.entered(slice) {
                        self.open(slice);
                        shared.handed_over(began, |status| &mut status.gained);
                    }
                }
            }
            Done::Left(slices, began) => {
                let left = slices.into_iter();
                let left = left.filter_map(|slice| self.ownership.left(slice, wall_clock()));
                let writes = left.map(|lease| replica.write(Request::Replace(lease)));
                let writes: Vec<_> = writes.collect();
                let mut writes = stream::iter(writes).buffer_unordered(PARALLEL);
                while writes.next().await.is_some() {
                    shared.handed_over(began, |status| &mut status.released);
                }
            }
        }
        self.show();
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
            let replicas = ownership.replicas().into_iter();
            status.replicas = replicas.map(str::to_owned).collect();
            status.is_blocked = ownership.disagrees();
            let holders = ownership.holders().into_iter();
            status.holders = holders.map(|holder| holder.map(str::to_owned)).collect();
            status.owned = ownership.in_phase(Phase::Owned);
            let gaining = ownership.in_phase(Phase::Gaining);
            status.overdue.retain(|slice| gaining.contains(slice));
        });
    }
}
