//! Leader election: of several processes, one does the work.
//!
//! The processes compete for a `Lease`. Who holds it renews it every few seconds; if it stops, the others take
//! the lease over when it has not been renewed for its duration. Times are measured by each process's own
//! clock, from when it saw the lease change, so clocks need not agree. As in client-go's `leaderelection`, of which
//! this is the counterpart, two processes may for a short time both take themselves for the leader if one of them is
//! suspended: what must happen once only needs a fence of its own, such as a resourceVersion.
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
//! let leadership = elector.acquire().await?; // waits, as long as another one leads
//!
//! // The workers end when the lease is lost.
//! let workers = Workers::new(4).graceful_shutdown_on(leadership.lost());
//! queue.run_controller(&lister, workers, context, reconcile, |_, _, _, _| Action::Requeue).await;
//! leadership.release().await; // so that the next one need not wait
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

/// Competes for a `Lease`. See the [module](self).
#[derive(Clone)]
pub struct LeaderElector {
    leases: Api<Lease>,
    terms: Terms,
}

/// The lease is held, and renewed until this is [released](Self::release) or dropped, or the lease is lost.
#[must_use = "dropped, the lease is renewed no longer"]
pub struct Leadership {
    lost: CancellationToken,
    release: CancellationToken,
    /// The task that renews; ends with this.
    renewal: JoinSet<()>,
}

/// Why there is no leadership to wait for.
#[derive(Debug, thiserror::Error)]
pub enum LeaderElectionError {
    /// The durations do not fit: a lease has to last longer than its holder tries to renew it, and that longer
    /// than the pause between two attempts.
    #[error(
        "the lease duration ({lease_duration:?}), the renew deadline ({renew_deadline:?}) and the retry \
         period ({retry_period:?}) have to be in descending order, and the first at least a second"
    )]
    Durations {
        /// The lease duration.
        lease_duration: Duration,
        /// The renew deadline.
        renew_deadline: Duration,
        /// The retry period.
        retry_period: Duration,
    },
    /// The server refuses the lease in a way that waiting does not cure: not authorized, forbidden, no such
    /// namespace.
    #[error("cannot acquire the lease {namespace}/{name}")]
    Refused {
        /// The namespace of the lease.
        namespace: String,
        /// The name of the lease.
        name: String,
        /// What the server said.
        #[source]
        source: kube::Error,
    },
}

// === impl LeaderElector ===

impl LeaderElector {
    /// Returns a candidate for the lease `name` in `namespace`.
    ///
    /// `identity` tells it from the other candidates: the name of its Pod, say. The service account needs the verbs
    /// `get`, `create` and `update` for `leases` of `coordination.k8s.io`. The durations are those of client-go: a
    /// lease of 15 seconds, renewed every 2, and lost when it could not be renewed for 10.
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

    /// For how long others leave a lease alone that is not renewed; 15 seconds by default, whole seconds count.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.terms.lease_duration = duration;
        self
    }

    /// For how long the holder tries to renew the lease before it takes it for lost; 10 seconds by default.
    #[must_use]
    pub fn renew_deadline(mut self, deadline: Duration) -> Self {
        self.terms.renew_deadline = deadline;
        self
    }

    /// How long the pause between two attempts is, to acquire the lease and to renew it; 2 seconds by default.
    /// Attempts to acquire vary it by a fifth, so that candidates do not meet.
    #[must_use]
    pub fn retry_period(mut self, period: Duration) -> Self {
        self.terms.retry_period = period;
        self
    }

    /// Waits until this candidate holds the lease.
    ///
    /// What comes and goes (a conflict, a server that is away) is logged and tried again.
    ///
    /// # Errors
    ///
    /// The durations do not fit, or the server refuses the lease in a way that waiting does not cure.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave a lease behind that was acquired just now: it runs out.
    pub async fn acquire(&self) -> Result<Leadership, LeaderElectionError> {
        check(&self.terms)?;
        let mut observed = Observed::default();
        loop {
            let asked = Instant::now();
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
                Err(error) => self.report(&error, "cannot acquire the lease, trying again"),
            }
            sleep_until(asked + jittered(self.terms.retry_period)).await;
        }
        info!(
            lease = self.terms.name,
            identity = self.terms.identity,
            "leading"
        );
        let (lost, release) = (CancellationToken::new(), CancellationToken::new());
        let renewal = {
            let (elector, lost, release) = (self.clone(), lost.clone(), release.clone());
            // Lost whatever ends the task, a panic too.
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

    /// Renews the lease until it is released, or lost. Returns whether it is still held.
    async fn renew(&self, observed: &mut Observed, release: &CancellationToken) -> bool {
        let mut deadline = Instant::now() + self.terms.renew_deadline;
        loop {
            tokio::select! {
                () = release.cancelled() => return true,
                () = sleep(self.terms.retry_period) => {}
            }
            // Measured from before the request: when the answer comes, the lease is as old as that.
            let asked = Instant::now();
            match timeout_at(deadline, self.attempt(observed)).await {
                Ok(Ok(true)) => deadline = asked + self.terms.renew_deadline,
                Ok(Ok(false)) => {
                    warn!(
                        lease = self.terms.name,
                        "the lease was lost: another one holds it"
                    );
                    return false;
                }
                Ok(Err(error)) => self.report(&error, "cannot renew the lease, trying again"),
                Err(_) => {}
            }
            if Instant::now() >= deadline {
                warn!(
                    lease = self.terms.name,
                    "the lease was lost: it could not be renewed in time"
                );
                return false;
            }
        }
    }

    /// Tries once to acquire or to renew the lease. Returns whether it is held then.
    async fn attempt(&self, observed: &mut Observed) -> Result<bool, kube::Error> {
        if let Some(lease) = observed.renewal(&self.terms, Instant::now(), wall_clock()) {
            match self.replace(&lease).await {
                // Somebody else wrote it, or deleted it: the server knows.
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

    /// Writes that nobody holds the lease.
    async fn give_up(&self, observed: &Observed) {
        let Some(lease) = observed.released(wall_clock()) else {
            return;
        };
        let deadline = Instant::now() + self.terms.renew_deadline;
        match timeout_at(deadline, self.replace(&lease)).await {
            Ok(Ok(_)) => info!(lease = self.terms.name, "the lease was released"),
            Ok(Err(error)) => self.report(&error, "cannot release the lease: it will run out"),
            Err(_) => warn!(
                lease = self.terms.name,
                "releasing the lease took too long: it will run out"
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

/// Whether waiting does not cure an error of acquiring.
fn is_final(error: &kube::Error) -> bool {
    // Not found is the namespace: a lease that is not there is made.
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
    /// Ends when the lease is not held any more: it was lost, or released.
    ///
    /// Made for [`Workers::graceful_shutdown_on`](crate::Workers::graceful_shutdown_on).
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        self.lost.clone().cancelled_owned()
    }

    /// Whether the lease is not held any more.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.lost.is_cancelled()
    }

    /// Renews the lease no longer, and writes that nobody holds it, so that another candidate need not wait
    /// for it to run out. Call it when the work has ended.
    ///
    /// A lease that was lost is left alone. That releasing failed is logged.
    ///
    /// # Cancel safety
    ///
    /// Dropping the future may leave the lease to run out.
    pub async fn release(mut self) {
        self.release.cancel();
        // A panic was reported by the panic hook.
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
