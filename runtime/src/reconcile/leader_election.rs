//! Leader election: one of several processes does the work.
//!
//! The processes compete for a `Lease`. Its holder renews it every few seconds. If the holder stops
//! renewing, another process takes the lease over after its duration. Each process measures times
//! with its own clock, from the moment at which it sees the lease change, so the clocks of the
//! processes need not agree.
//!
//! If a process is suspended, two processes can for a short time both act as the leader. Operations
//! that must not run twice need an additional fence, such as a resourceVersion. The counterpart is
//! client-go's `leaderelection`, which has the same limit.
//!
//! # Examples
//!
//! ```
//! # extern crate informer_runtime as informer;
//! use informer::leader_election::LeaderElector;
//! # use std::sync::Arc;
//! # use informer::{Action, Lister, ObjectKey, WorkQueue, Workers};
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # type Context = ();
//! # async fn reconcile(_: Arc<ConfigMap>, _: Arc<Context>) -> Result<Action, kube::Error> { Ok(Action::Done) }
//! # async fn doc(client: kube::Client, queue: WorkQueue<ObjectKey>, lister: Lister<ConfigMap>, context: Arc<Context>)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! let identity = std::env::var("POD_NAME")?;
//! let elector = LeaderElector::new(client, "default", "my-operator", identity);
//! let leadership = elector.acquire().await?; // waits while another process leads
//!
//! // The workers end when the lease is lost.
//! let workers = Workers::new(4).graceful_shutdown_on(leadership.lost());
//! queue.run_controller(&lister, workers, context, reconcile, |_, _, _, _| Action::Requeue).await;
//! leadership.release().await; // the next leader need not wait for the lease to expire
//! # Ok(())
//! # }
//! ```

mod lease;

use std::fmt;
use std::time::{Duration, SystemTime};

use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::time::{Instant, sleep, sleep_until, timeout_at};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

use self::lease::{Decision, Observed, Terms};
use crate::base::chain::Chain;
use crate::base::sync::JoinSet;

const LEASE_DURATION: Duration = Duration::from_secs(15);
const RENEW_DEADLINE: Duration = Duration::from_secs(10);
const RETRY_PERIOD: Duration = Duration::from_secs(2);

/// Candidate for a `Lease`. See the [module](self).
#[derive(Clone)]
pub struct LeaderElector {
    leases: Api<Lease>,
    terms: Terms,
}

/// Held lease. It is renewed until this value is [released](Self::release) or dropped, or the lease
/// is lost.
#[must_use = "dropping it stops the renewal of the lease"]
pub struct Leadership {
    lost: CancellationToken,
    release: CancellationToken,
    /// Task that renews the lease; dropped with this value.
    renewal: JoinSet<()>,
}

/// Error of a candidate that cannot acquire the lease.
#[derive(Debug, thiserror::Error)]
pub enum LeaderElectionError {
    /// The durations are invalid: the lease duration must exceed the renew deadline, and the renew
    /// deadline must exceed the retry period.
    #[error(
        "the lease duration ({lease_duration:?}), the renew deadline ({renew_deadline:?}) and the retry \
         period ({retry_period:?}) must be in descending order, and the lease duration at least 1s"
    )]
    Durations {
        /// Lease duration.
        lease_duration: Duration,
        /// Renew deadline.
        renew_deadline: Duration,
        /// Retry period.
        retry_period: Duration,
    },
    /// The API server rejects the lease permanently: not authorized, forbidden, or no such
    /// namespace.
    #[error("cannot acquire the lease {namespace}/{name}")]
    Refused {
        /// Namespace of the lease.
        namespace: String,
        /// Name of the lease.
        name: String,
        /// Response of the API server.
        #[source]
        source: kube::Error,
    },
}

// === impl LeaderElector ===

impl LeaderElector {
    /// Creates a candidate for the lease `name` in `namespace`.
    ///
    /// `identity` distinguishes the candidate from others, for example the name of its Pod. The
    /// service account needs the verbs `get`, `create` and `update` for `leases` of
    /// `coordination.k8s.io`. The default durations are those of client-go: a lease of 15 s that is
    /// renewed every 2 s, and is lost after 10 s without a renewal.
    #[must_use]
    pub fn new(client: Client, namespace: &str, name: &str, identity: impl Into<String>) -> Self {
        Self {
            leases: Api::namespaced(client, namespace),
            terms: Terms {
                namespace: namespace.to_owned(),
                name: name.to_owned(),
                identity: identity.into(),
                lease_duration: LEASE_DURATION,
                renew_deadline: RENEW_DEADLINE,
                retry_period: RETRY_PERIOD,
            },
        }
    }

    /// Sets the time without a renewal after which other candidates take the lease over. Default:
    /// 15 s. Fractions of a second are ignored.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.terms.lease_duration = duration;
        self
    }

    /// Sets the time for which the holder tries to renew the lease before it treats the lease as
    /// lost. Default: 10 s.
    #[must_use]
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.terms.renew_deadline = deadline;
        self
    }

    /// Sets the pause between two attempts to acquire or renew the lease. Default: 2 s. Attempts to
    /// acquire add up to 20 % of jitter, so that candidates do not collide.
    #[must_use]
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.terms.retry_period = period;
        self
    }

    /// Waits until this candidate holds the lease.
    ///
    /// Transient failures, such as a conflict or an unreachable API server, are logged and retried.
    ///
    /// # Errors
    ///
    /// Fails if the durations are invalid, or if the API server rejects the lease permanently.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped just after the lease was acquired, the lease stays until it
    /// expires.
    pub async fn acquire(&self) -> Result<Leadership, LeaderElectionError> {
        check(&self.terms)?;
        let mut observed = Observed::default();
        loop {
            let started = Instant::now();
            match self.attempt(&mut observed).await {
                Ok(true) => break,
                Ok(false) => {}
                Err(source) if is_final(&source) => {
                    return Err(LeaderElectionError::Refused {
                        namespace: self.terms.namespace.clone(),
                        name: self.terms.name.clone(),
                        source,
                    });
                }
                Err(error) => self.report(&error, "cannot acquire the lease, retrying"),
            }
            sleep_until(started + jittered(self.terms.retry_period)).await;
        }
        info!(
            lease = self.terms.name,
            identity = self.terms.identity,
            "leading"
        );
        let (lost, release) = (CancellationToken::new(), CancellationToken::new());
        let renewal = {
            let (elector, lost, release) = (self.clone(), lost.clone(), release.clone());
            // The guard reports a loss however the task ends, including by a panic.
            let lost = lost.drop_guard();
            async move {
                let is_held = elector.renew(&mut observed, &release).await;
                drop(lost);
                if is_held {
                    elector.give_up(&observed).await;
                }
            }
        };
        let mut tasks = JoinSet::new();
        tasks.spawn(renewal);
        Ok(Leadership {
            lost,
            release,
            renewal: tasks,
        })
    }

    /// Renews the lease until it is released or lost. Returns `true` if it is still held.
    async fn renew(&self, observed: &mut Observed, release: &CancellationToken) -> bool {
        let mut deadline = Instant::now() + self.terms.renew_deadline;
        loop {
            tokio::select! {
                () = release.cancelled() => return true,
                () = sleep(self.terms.retry_period) => {}
            }
            // Taken before the request, because the server records the renewal before the response
            // arrives.
            let started = Instant::now();
            match timeout_at(deadline, self.attempt(observed)).await {
                Ok(Ok(true)) => deadline = started + self.terms.renew_deadline,
                Ok(Ok(false)) => {
                    warn!(
                        lease = self.terms.name,
                        "lease lost: another candidate holds it"
                    );
                    return false;
                }
                Ok(Err(error)) => self.report(&error, "cannot renew the lease, retrying"),
                Err(_) => {}
            }
            if Instant::now() >= deadline {
                warn!(
                    lease = self.terms.name,
                    "lease lost: not renewed within the renew deadline"
                );
                return false;
            }
        }
    }

    /// Makes one attempt to acquire or renew the lease. Returns `true` if the lease is held
    /// afterwards.
    async fn attempt(&self, observed: &mut Observed) -> Result<bool, kube::Error> {
        if let Some(lease) = observed.renewal(&self.terms, Instant::now(), wall_clock()) {
            match self.replace(&lease).await {
                // Another writer has changed or deleted the lease: read it from the API server.
                Err(kube::Error::Api(_)) => {}
                written => {
                    observed.note(&written?, Instant::now());
                    return Ok(true);
                }
            }
        }
        let lease = self.leases.get_opt(&self.terms.name).await?;
        let written = match observed.decide(&self.terms, lease, Instant::now(), wall_clock()) {
            Decision::Wait => return Ok(false),
            Decision::Create(lease) => self.leases.create(&PostParams::default(), &lease).await,
            Decision::Replace(lease) => self.replace(&lease).await,
        };
        observed.note(&written?, Instant::now());
        Ok(true)
    }

    async fn replace(&self, lease: &Lease) -> Result<Lease, kube::Error> {
        let (name, params) = (&self.terms.name, PostParams::default());
        self.leases.replace(name, &params, lease).await
    }

    /// Writes the lease without a holder.
    async fn give_up(&self, observed: &Observed) {
        let Some(lease) = observed.released(wall_clock()) else {
            return;
        };
        let deadline = Instant::now() + self.terms.renew_deadline;
        match timeout_at(deadline, self.replace(&lease)).await {
            Ok(Ok(_)) => info!(lease = self.terms.name, "lease released"),
            Ok(Err(error)) => self.report(
                &error,
                "cannot release the lease: it expires after its duration",
            ),
            Err(_) => warn!(
                lease = self.terms.name,
                "cannot release the lease in time: it expires after its duration"
            ),
        }
    }

    fn report(&self, error: &kube::Error, what: &'static str) {
        let error = Chain(error).to_string();
        warn!(lease = self.terms.name, error, "{what}");
    }
}

fn check(terms: &Terms) -> Result<(), LeaderElectionError> {
    let fits = terms.lease_duration >= Duration::from_secs(1)
        && terms.lease_duration > terms.renew_deadline
        && terms.renew_deadline > terms.retry_period
        && !terms.retry_period.is_zero();
    if fits {
        return Ok(());
    }
    Err(LeaderElectionError::Durations {
        lease_duration: terms.lease_duration,
        renew_deadline: terms.renew_deadline,
        retry_period: terms.retry_period,
    })
}

/// Reports whether an error of acquiring is permanent.
fn is_final(error: &kube::Error) -> bool {
    // 404 refers to the namespace, because a missing lease is created.
    matches!(error, kube::Error::Api(status) if matches!(status.code, 401 | 403 | 404))
}

fn jittered(period: Duration) -> Duration {
    period.mul_f64(1.0 + 0.2 * fastrand::f64())
}

fn wall_clock() -> Timestamp {
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    let micros = now.ok().and_then(|now| i64::try_from(now.as_micros()).ok());
    micros
        .and_then(|micros| Timestamp::from_microsecond(micros).ok())
        .unwrap_or_default()
}

// === impl Leadership ===

impl Leadership {
    /// Completes when the lease is no longer held, because it was lost or released.
    ///
    /// Intended for [`Workers::graceful_shutdown_on`](crate::Workers::graceful_shutdown_on).
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        self.lost.clone().cancelled_owned()
    }

    /// Reports whether the lease is no longer held.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Stops renewing the lease, and writes it without a holder, so that another candidate need not
    /// wait for its expiry. Call this after the work has ended.
    ///
    /// A lost lease is not written. A failure is logged.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped, the lease may stay until it expires.
    pub async fn release(mut self) {
        self.release.cancel();
        // The panic hook has reported a panic of the task.
        drop(self.renewal.join_next().await);
    }
}

impl fmt::Debug for LeaderElector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("LeaderElector").field(&self.terms).finish()
    }
}

impl fmt::Debug for Leadership {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leadership")
            .field("is_lost", &self.is_lost())
            .finish_non_exhaustive()
    }
}
