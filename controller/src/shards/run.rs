//! [`Replica`]: carries out the protocol of ownership. Decides nothing itself.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use futures::future::BoxFuture;
use futures::stream::{self, FuturesUnordered};
use futures::{FutureExt as _, StreamExt as _};
use k8s_openapi::api::coordination::v1::Lease;
use kube::Api;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, Preconditions};
use serde_json::json;
use tokio::time::{Instant, sleep, sleep_until, timeout, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use super::board::Grant;
use super::names::{LEAVING, Names};
use super::ownership::{Act, Ownership, Phase};
use super::shared::Shared;
use super::slices::Slices;
use crate::engine::Chain;
use crate::reconcile::leader_election::{
    Answer, Held, LeaderElector, Leadership, Request, Terms, send, wall_clock,
};

/// Number of requests in flight.
const PARALLEL: usize = 8;

/// Member of a group of replicas.
pub(super) struct Replica {
    pub(super) shared: Arc<Shared>,
    pub(super) leases: Api<Lease>,
    pub(super) elector: LeaderElector,
    pub(super) names: Names,
    /// Terms of the member lease.
    pub(super) terms: Terms,
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
    /// Start of the last list that arrived.
    listed: Instant,
}

/// End of a hand-over, and its start.
enum Done {
    Entered(Slices, Instant),
    Left(Slices, Instant),
}

// === impl Replica ===

impl Replica {
    /// Takes part until the replica is told to leave.
    pub(super) async fn run(self, first: Leadership) {
        let mut ownership = Ownership::new(self.names.clone(), self.terms.clone());
        let mut leadership = Some(first);
        while let Some(member) = leadership.take() {
            self.shared.board.join(member.held());
            let mut tenure = Tenure {
                replica: &self,
                held: member.held(),
                ownership: &mut ownership,
                work: FuturesUnordered::new(),
                next_list: Instant::now(),
                listed: Instant::now(),
            };
            if tenure.last().await {
                return self.depart(member).await;
            }
            self.shared.board.suspend();
            let lost = ownership.held().len();
            let gone = self.slices(ownership.suspend());
            for slice in gone.iter() {
                self.shared.board.close(slice);
            }
            self.shared.status(|status| {
                status.lost += lost as u64;
                status.owned.clear();
            });
            warn!(
                group = self.names.group(),
                lost, "the member lease is lost: calls are dropped"
            );
            self.shared.scope.leave(&gone).await;
            leadership = self.rejoin().await;
        }
    }

    /// Acquires the member lease again. Returns `None` if the replica is told to leave.
    async fn rejoin(&self) -> Option<Leadership> {
        loop {
            let acquired = tokio::select! {
                biased;
                () = self.leaving.cancelled() => return None,
                acquired = self.elector.acquire() => acquired,
            };
            match acquired {
                Ok(leadership) => return Some(leadership),
                Err(error) => self.report(&error, "cannot join the replicas again, retrying"),
            }
            sleep(self.terms.renew_deadline).await;
        }
    }

    /// Removes the member lease.
    async fn depart(&self, leadership: Leadership) {
        leadership.release().await;
        let params = DeleteParams::default();
        let deleted = self.leases.delete(&self.terms.name, &params);
        match timeout(self.terms.renew_deadline, deleted).await {
            Ok(Ok(_)) => info!(group = self.names.group(), "left the replicas"),
            Ok(Err(error)) => self.report(&error, "cannot delete the member lease"),
            Err(_) => warn!(group = self.names.group(), "cannot delete the member lease"),
        }
    }

    /// Tells the other replicas that this one gives its slices away.
    async fn announce(&self) {
        let label = json!({ "metadata": { "labels": { LEAVING: "true" } } });
        let (params, patch) = (PatchParams::default(), Patch::Merge(label));
        let patched = self.leases.patch(&self.terms.name, &params, &patch);
        if let Ok(Err(error)) = timeout(self.limit(), patched).await {
            self.report(&error, "cannot announce the end of this replica");
        }
    }

    /// Sends a request for a lease. A failure is logged.
    async fn write(&self, request: Request) -> Answer {
        let (Request::Create(lease) | Request::Replace(lease)) = &request else {
            return Answer::Failed;
        };
        let name = lease.metadata.name.clone().unwrap_or_default();
        match timeout(self.limit(), send(&self.leases, &name, &request)).await {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => {
                self.report(&error, "cannot write the lease of a slice, retrying");
                Answer::Failed
            }
            Err(_) => Answer::Failed,
        }
    }

    async fn collect(&self, lease: Lease) {
        let meta = lease.metadata;
        let name = meta.name.unwrap_or_default();
        let params = DeleteParams::default().preconditions(Preconditions {
            uid: meta.uid,
            resource_version: meta.resource_version,
        });
        // Another replica may have deleted it. The next list shows what is left.
        let _deleted = timeout(self.limit(), self.leases.delete(&name, &params)).await;
    }

    /// Time limit of a request: that of a renewal.
    fn limit(&self) -> Duration {
        self.terms.renew_deadline / 2
    }

    fn slices(&self, slices: impl IntoIterator<Item = u16>) -> Slices {
        Slices::of(self.names.count(), slices)
    }

    fn report(&self, error: &(dyn std::error::Error + 'static), what: &'static str) {
        let error = Chain(error).to_string();
        warn!(group = self.names.group(), error, "{what}");
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
        let replica = self.replica;
        let sent = Instant::now();
        let params = ListParams::default().labels(&replica.names.selector());
        let listed = timeout_at(sent + replica.limit(), replica.leases.list(&params)).await;
        self.next_list = Instant::now() + replica.terms.retry_period;
        let leases = match listed {
            Ok(Ok(list)) => list.items,
            Ok(Err(error)) => return replica.report(&error, "cannot list the leases, retrying"),
            Err(_) => {
                return warn!(
                    group = replica.names.group(),
                    "no answer to a list of the leases"
                );
            }
        };
        self.listed = sent;
        let acts = self
            .ownership
            .observe(leases, sent, Instant::now(), wall_clock());
        self.carry_out(acts).await;
        self.next_list = self.ownership.next_list(Instant::now());
        self.show();
    }

    async fn carry_out(&mut self, acts: Vec<Act>) {
        let replica = self.replica;
        let (mut claims, mut others, mut leaving) = (Vec::new(), Vec::new(), Vec::new());
        for act in acts {
            match act {
                Act::Claim(slice, request) => claims.push((slice, request)),
                Act::Release(lease) => {
                    others.push(replica.write(Request::Replace(lease)).map(drop).boxed());
                }
                Act::Collect(lease) => others.push(replica.collect(lease).boxed()),
                Act::Leave(slice) => leaving.push((slice, replica.shared.board.close(slice))),
                Act::Drop(slice) => {
                    let ended = replica.shared.board.close(slice);
                    if let Some(ended) = &ended {
                        ended.cancel();
                        replica.shared.status(|status| status.lost += 1);
                    }
                    leaving.push((slice, ended));
                }
            }
        }
        self.leave(leaving);
        stream::iter(others)
            .for_each_concurrent(PARALLEL, |other| other)
            .await;
        let claims = claims
            .into_iter()
            .map(|(slice, request)| async move { (slice, replica.write(request).await) });
        let claimed: BTreeMap<u16, Answer> = stream::iter(claims)
            .buffer_unordered(PARALLEL)
            .collect()
            .await;
        // What was written after the loss of the member lease is not owned.
        if !self.held.is_over() {
            self.claimed(claimed);
        }
    }

    /// Lets the objects of the claimed slices enter the caches.
    fn claimed(&mut self, answers: BTreeMap<u16, Answer>) {
        let shared = &self.replica.shared;
        let mut entering = self.replica.slices([]);
        for (slice, answer) in answers {
            let Answer::Written(lease) = answer else {
                continue;
            };
            let is_cached = self.ownership.held().get(&slice) == Some(&Phase::Suspended);
            self.ownership.claimed(slice, lease);
            shared.board.prepare(slice);
            if is_cached {
                self.ownership.entered(slice);
                self.open(slice);
            } else {
                entering.insert(slice);
            }
        }
        if !entering.is_empty() {
            let (entered, began) = (shared.scope.enter(&entering), Instant::now());
            self.work.push(
                entered
                    .map(move |()| Done::Entered(entering, began))
                    .boxed(),
            );
        }
    }

    /// Hands slices over: each after its calls, those without calls together.
    fn leave(&mut self, leaving: Vec<(u16, Option<CancellationToken>)>) {
        let (began, grace) = (Instant::now(), self.replica.grace_period);
        let mut idle = self.replica.slices([]);
        for (slice, ended) in leaving {
            if self.replica.shared.board.is_idle(slice) {
                idle.insert(slice);
                continue;
            }
            let (shared, one) = (
                Arc::clone(&self.replica.shared),
                self.replica.slices([slice]),
            );
            let left = async move {
                if timeout(grace, shared.board.idle(slice)).await.is_err() {
                    warn!(
                        slice,
                        "calls dropped: the slice is given away, and the grace period is over"
                    );
                    if let Some(ended) = ended {
                        ended.cancel();
                    }
                    shared.board.idle(slice).await;
                }
                shared.scope.leave(&one).await;
                Done::Left(one, began)
            };
            self.work.push(left.boxed());
        }
        if !idle.is_empty() {
            let left = self.replica.shared.scope.leave(&idle);
            self.work
                .push(left.map(move |()| Done::Left(idle, began)).boxed());
        }
    }

    /// Acts on the end of a hand-over.
    async fn finish(&mut self, done: Done) {
        let replica = self.replica;
        match done {
            Done::Entered(slices, began) => {
                for slice in slices.iter() {
                    if self.ownership.entered(slice) {
                        self.open(slice);
                        replica
                            .shared
                            .handed_over(began, |status| &mut status.gained);
                    }
                }
            }
            Done::Left(slices, began) => {
                let left = slices
                    .iter()
                    .filter_map(|slice| self.ownership.left(slice, wall_clock()));
                let writes: Vec<_> = left
                    .map(|lease| replica.write(Request::Replace(lease)))
                    .collect();
                let mut writes = stream::iter(writes).buffer_unordered(PARALLEL);
                while writes.next().await.is_some() {
                    replica
                        .shared
                        .handed_over(began, |status| &mut status.released);
                }
            }
        }
        self.show();
    }

    fn open(&self, slice: u16) {
        let spec = self
            .ownership
            .lease(slice)
            .and_then(|lease| lease.spec.as_ref());
        let grant = Grant {
            held: self.held.clone(),
            ended: CancellationToken::new(),
            fence: spec
                .and_then(|spec| spec.lease_transitions)
                .unwrap_or_default(),
        };
        self.replica.shared.board.open(slice, grant);
    }

    /// Updates the status.
    fn show(&self) {
        let (ownership, sent) = (&*self.ownership, self.listed);
        self.replica.shared.status(|status| {
            status.replicas = ownership
                .replicas(sent)
                .into_iter()
                .map(str::to_owned)
                .collect();
            status.is_blocked = ownership.disagrees(sent);
            status.holders = ownership.holders();
            let owned = ownership
                .held()
                .iter()
                .filter(|(_, phase)| **phase == Phase::Owned);
            status.owned = owned.map(|(slice, _)| *slice).collect();
        });
    }
}
