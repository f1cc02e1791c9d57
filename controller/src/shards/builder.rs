//! [`ShardsBuilder`]: settings of a member of a group of replicas.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use kube::Client;
use kube::api::ListParams;
use tokio_util::sync::CancellationToken;
use tracing::Instrument as _;

use super::board::Board;
use super::cached_slices::CachedSlices;
use super::error::ShardsError;
use super::handle::{Membership, Shards};
use super::names::Names;
use super::run::Replica;
use super::shared::ShardsShared;
use super::slices::{MOST_SLICES, ShardBy};
use super::status::ShardsStatus;
use crate::base::request::within;
use crate::base::sync::{JoinSet, Mutex};
use crate::reconcile::leader_election::{LeaderElector, Terms};

const SLICES: u16 = 32;
const GRACE_PERIOD: Duration = Duration::from_secs(20);
/// Greatest length of names and identities, so that the names of leases have at most 253 characters.
const LONGEST: usize = 63;

/// Settings of a member. Created by [`Shards::builder`].
#[must_use = "a builder does nothing until `join`"]
pub struct ShardsBuilder {
    client: Client,
    group: String,
    by: ShardBy,
    slices: u16,
    /// Terms of the member lease, without its name and labels.
    terms: Terms,
    grace_period: Duration,
}

// === impl Shards ===

impl Shards {
    /// Returns a builder for a member of the group `name`, which names the group's leases.
    ///
    /// `client` needs the verbs `list`, `get`, `create`, `update`, `patch` and `delete` for `leases`
    /// of `coordination.k8s.io`.
    pub fn builder(client: Client, name: impl Into<String>) -> ShardsBuilder {
        // `join` names the lease.
        let terms = Terms::new(client.default_namespace(), "", "replica");
        ShardsBuilder {
            client,
            group: name.into(),
            by: ShardBy::default(),
            slices: SLICES,
            terms,
            grace_period: GRACE_PERIOD,
        }
    }
}

// === impl ShardsBuilder ===

impl ShardsBuilder {
    /// Sets the namespace of the leases. Default: the default namespace of the client.
    pub fn namespace(mut self, namespace: impl Into<String>) -> Self {
        self.terms.namespace = namespace.into();
        self
    }

    /// Sets the property that decides which slice an object belongs to. Default: its
    /// [namespace](ShardBy::Namespace). All replicas must agree.
    pub fn by(mut self, by: ShardBy) -> Self {
        self.by = by;
        self
    }

    /// Sets the number of slices: 1 to 1024, some times the number of replicas. Default: 32. All
    /// replicas must agree: a replica takes nothing while another one with a different number lives.
    pub fn slices(mut self, slices: u16) -> Self {
        self.slices = slices;
        self
    }

    /// Sets the name of this replica in leases and statuses, for example the name of its Pod.
    /// Default: `replica`. A random suffix is added, because a process must not continue the work of
    /// another one with the same name.
    pub fn identity(mut self, identity: impl Into<String>) -> Self {
        self.terms.identity = identity.into();
        self
    }

    /// Sets the time without a renewal after which other replicas take the slices of this one.
    /// Default: 15 s; see [`LeaderElector::lease_duration`]. All replicas should agree.
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.terms.lease_duration = duration;
        self
    }

    /// Sets the time without a renewal after which this replica drops its calls. Default: 10 s; see
    /// [`LeaderElector::renew_deadline`].
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.terms.renew_deadline = deadline;
        self
    }

    /// Sets the pause between two renewals of this replica's lease, and between two lists of all
    /// leases. Default: 2 s.
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.terms.retry_period = period;
        self
    }

    /// Sets the time that running calls of a slice have to finish when the slice is given away.
    /// Then they are dropped at their next `.await`, and their keys are left to the next owner.
    /// Default: 20 s.
    pub fn grace_period(mut self, period: Duration) -> Self {
        self.grace_period = period;
        self
    }

    /// Joins the group. The slices follow soon after: see [`Shards::status`].
    ///
    /// # Errors
    ///
    /// Fails if a setting is invalid, or if the client may not list the leases. All other failures are
    /// logged and retried.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, a member lease may stay until it expires.
    pub async fn join(self) -> Result<Shards, ShardsError> {
        self.check()?;
        let names = Names::new(&self.group, self.by, self.slices);
        let mut terms = self.terms;
        // Two processes must not hold the same member lease.
        terms.identity = format!("{}-{:06x}", terms.identity, fastrand::u32(..1 << 24));
        terms.name = names.member(&terms.identity);
        terms.labels = names.member_labels();
        let identity = terms.identity.as_str().into();
        let elector = LeaderElector::on(self.client, terms);
        check_list(&elector, &names).await?;
        let leadership =
            Box::pin(elector.acquire())
                .await
                .map_err(|source| ShardsError::Lease {
                    name: names.group().to_owned(),
                    source: Box::new(source),
                })?;
        let shared = Arc::new(ShardsShared {
            board: Board::default(),
            cached: CachedSlices::new(self.by, self.slices),
            status: Mutex::new(ShardsStatus {
                name: names.group().into(),
                identity,
                ..ShardsStatus::default()
            }),
        });
        let leaving = CancellationToken::new();
        let ended = CancellationToken::new();
        let replica = Replica {
            shared: Arc::clone(&shared),
            elector,
            names,
            grace_period: self.grace_period,
            leaving: leaving.clone(),
        };
        let guard = ended.clone().drop_guard();
        let mut task = JoinSet::new();
        let run = async move {
            replica.run(leadership).await;
            drop(guard);
        };
        task.spawn(run.in_current_span());
        Ok(Shards {
            inner: Arc::new(Membership {
                shared,
                leaving,
                ended,
                _task: task,
            }),
        })
    }

    fn check(&self) -> Result<(), ShardsError> {
        let invalid = |field, value: &dyn fmt::Display, reason| ShardsError::Invalid {
            field,
            value: value.to_string(),
            reason,
        };
        if self.slices == 0 || self.slices > MOST_SLICES {
            return Err(invalid("slices", &self.slices, "it must be 1 to 1024"));
        }
        for (field, name) in [("name", &self.group), ("identity", &self.terms.identity)] {
            if !is_label(name) {
                let reason = "it must have at most 63 lower-case letters, digits and dashes, and begin and end with a letter or digit";
                return Err(invalid(field, name, reason));
            }
        }
        Ok(())
    }
}

/// Makes one list, so that a missing permission is an error of the caller.
async fn check_list(elector: &LeaderElector, names: &Names) -> Result<(), ShardsError> {
    let params = ListParams::default().labels(&names.selector()).limit(1);
    let limit = elector.terms.renew_deadline / 2;
    match within(limit, elector.leases.list(&params)).await {
        Err(source) if is_refused(&source) => Err(ShardsError::List {
            name: names.group().to_owned(),
            namespace: elector.terms.namespace.clone(),
            source,
        }),
        // Transient failures are retried later.
        Ok(_) | Err(_) => Ok(()),
    }
}

fn is_refused(error: &kube::Error) -> bool {
    matches!(error, kube::Error::Api(status) if matches!(status.code, 401 | 403 | 404))
}

/// Reports whether a name is a label of DNS.
fn is_label(name: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit();
    if name.len() > LONGEST || !name.starts_with(is_plain) || !name.ends_with(is_plain) {
        return false;
    }
    name.chars().all(|c| is_plain(c) || c == '-')
}

impl fmt::Debug for ShardsBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ShardsBuilder")
            .field("group", &self.group)
            .field("by", &self.by)
            .field("slices", &self.slices)
            .field("terms", &self.terms)
            .finish_non_exhaustive()
    }
}
