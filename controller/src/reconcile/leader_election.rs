//! Leader election: one of several processes does the work.
//!
//! The processes compete for a `Lease`. Its holder renews it every few seconds. If the holder stops
//! renewing, another process takes the lease over after its duration. Each process measures times
//! with its own clock, so the clocks of the processes need not agree. At most one process leads at a
//! time, if the rates of two clocks differ by a factor of less than lease duration / renew deadline,
//! and if only candidates write the lease. Lost, late and repeated requests do not change that.
//!
//! With [`Controller::while_leading`](crate::Controller::while_leading), a lost lease ends the calls
//! of `reconcile` at their next `.await`. A request that was sent is not undone, and a process that
//! was suspended may send one more. Operations that must not run twice need an additional fence,
//! such as a resourceVersion. The counterpart is client-go's `leaderelection`, which has the same
//! limit.
//!
//! # Examples
//!
//! ```
//! # mod informer { pub use informer_controller::*; pub use informer_runtime::*; }
//! use informer::Controller;
//! use informer::leader_election::LeaderElector;
//! # use std::sync::Arc;
//! # use informer::{Action, SharedInformer};
//! # use k8s_openapi::api::core::v1::ConfigMap;
//! # type Context = ();
//! # async fn reconcile(_: Arc<ConfigMap>, _: Arc<Context>) -> Result<Action, kube::Error> { Ok(Action::Done) }
//! # async fn doc(client: kube::Client, config_maps: SharedInformer<ConfigMap>, context: Arc<Context>)
//! # -> Result<(), Box<dyn std::error::Error>> {
//! let identity = std::env::var("POD_NAME")?;
//! let elector = LeaderElector::new(client, "default", "my-operator", identity);
//! let leadership = elector.acquire().await?; // waits while another process leads
//!
//! let ended = Controller::new("configmaps", &config_maps)
//!     .shutdown_on(informer::shutdown_signal())
//!     .while_leading(&leadership)
//!     .run(context, reconcile)
//!     .await;
//! leadership.release().await; // the next leader need not wait for the lease to expire
//! ended?; // an error if the lease was lost
//! # Ok(())
//! # }
//! ```

mod candidate;

use std::fmt;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::Arc;
use std::task::Poll;
use std::time::{Duration, SystemTime};

use informer_runtime::engine::Chain;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::jiff::Timestamp;
use kube::api::PostParams;
use kube::{Api, Client};
use tokio::time::{Instant, sleep_until};
use tokio_util::sync::CancellationToken;
use tracing::{info, warn};

pub(crate) use self::candidate::{
    Answer, Candidate, Next, Request, Terms, duration, holder, released,
};
use crate::base::request::within;
use crate::base::sync::{JoinSet, Mutex};

/// Candidate for a `Lease`. See the [module](self).
#[derive(Clone)]
pub struct LeaderElector {
    pub(crate) leases: Api<Lease>,
    pub(crate) terms: Terms,
}

/// Held lease. It is renewed until this value is [released](Self::release) or dropped, or the lease
/// is lost.
#[must_use = "dropping it stops the renewal of the lease"]
pub struct Leadership {
    held: Held,
    release: CancellationToken,
    /// Task that renews the lease; dropped with this value.
    renewal: JoinSet<()>,
}

/// Time until which a lease is held, for its renewal and its users.
#[derive(Clone)]
pub(crate) struct Held {
    until: Arc<Mutex<Instant>>,
    /// Ends the lease before that time.
    ended: CancellationToken,
}

/// Failure that a candidate has logged last, so that each state is logged once.
#[derive(Default)]
struct Logged(Option<String>);

/// Error of a candidate that cannot acquire the lease.
#[derive(Debug, thiserror::Error)]
pub enum LeaderElectionError {
    /// A duration is invalid. The lease duration, in whole seconds, must exceed the renew deadline,
    /// and the renew deadline must exceed the retry period.
    #[error("the {field} of {value:?} is invalid: {reason}")]
    Duration {
        /// Name of the method that sets the duration.
        field: &'static str,
        /// The duration.
        value: Duration,
        /// Violated rule.
        reason: String,
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
        Self::on(client, Terms::new(namespace, name, identity))
    }

    /// Returns the name of the lease.
    pub(crate) fn name(&self) -> &str {
        &self.terms.name
    }

    pub(crate) fn on(client: Client, terms: Terms) -> Self {
        let leases = Api::namespaced(client, &terms.namespace);
        Self { leases, terms }
    }

    /// Sets the time without a renewal after which other candidates take the lease over. Default:
    /// 15 s. A lease states whole seconds, at most `i32::MAX`: fractions of a second are dropped.
    #[must_use]
    pub fn lease_duration(mut self, duration: Duration) -> Self {
        self.terms.lease_duration = duration;
        self
    }

    /// Sets the time for which the holder tries to renew the lease before it treats the lease as
    /// lost. Default: 10 s. An attempt without an answer is given up after half of this time.
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
    /// Every failure is retried, also a missing right or namespace, as in client-go: roles are
    /// replaced, and tokens expire. The log has a warning when the failure is another one than before.
    ///
    /// # Errors
    ///
    /// Fails if the durations are invalid.
    ///
    /// # Cancel safety
    ///
    /// If the future is dropped just after the lease was acquired, the lease stays until it
    /// expires.
    pub async fn acquire(&self) -> Result<Leadership, LeaderElectionError> {
        check(&self.terms)?;
        let mut candidate = Candidate::new(self.terms.clone(), Instant::now());
        let mut next = candidate.wake(Instant::now(), wall_clock());
        let mut awaited = None;
        let mut logged = Logged::default();
        while !candidate.leads_at(Instant::now()) {
            let answered = self.step(&mut candidate, &mut next).await;
            logged.note(&self.terms, answered, "cannot acquire the lease, retrying");
            let holder = candidate.other_holder();
            if holder != awaited {
                awaited = holder;
                if let Some(holder) = &awaited {
                    let Terms { name, identity, .. } = &self.terms;
                    info!(lease = name, identity, holder, "waiting for the lease");
                }
            }
        }
        info!(
            lease = self.terms.name,
            identity = self.terms.identity,
            "leading"
        );
        let held = Held {
            until: Arc::new(Mutex::new(Instant::now())),
            ended: CancellationToken::new(),
        };
        held.note(&candidate);
        let release = CancellationToken::new();
        let mut tasks = JoinSet::new();
        tasks.spawn(
            self.clone()
                .keep(candidate, next, held.clone(), release.clone()),
        );
        Ok(Leadership {
            held,
            release,
            renewal: tasks,
        })
    }

    /// Renews the lease until it is released or lost, and gives it up if it is still held.
    async fn keep(
        self,
        mut candidate: Candidate,
        next: Next,
        held: Held,
        release: CancellationToken,
    ) {
        // The guard reports a loss however the task ends, including by a panic.
        let ended = held.ended.clone().drop_guard();
        let is_held = self.renew(&mut candidate, next, &held, &release).await;
        drop(ended);
        if is_held {
            self.give_up(&candidate).await;
        }
    }

    /// Renews the lease until it is released or lost. Returns `true` if it is still held.
    async fn renew(
        &self,
        candidate: &mut Candidate,
        mut next: Next,
        held: &Held,
        release: &CancellationToken,
    ) -> bool {
        let mut logged = Logged::default();
        while candidate.leads_at(Instant::now()) {
            // A request that was sent is awaited, because the release needs its outcome.
            let is_idle = matches!(next, Next::Sleep(_));
            tokio::select! {
                biased;
                () = release.cancelled(), if is_idle => return true,
                answered = self.step(candidate, &mut next) => {
                    logged.note(&self.terms, answered, "cannot renew the lease, retrying");
                }
            }
            held.note(candidate);
        }
        let reason = match candidate.leads_until() {
            Some(_) => "not renewed within the renew deadline",
            None => "another candidate holds it",
        };
        let Terms { name, identity, .. } = &self.terms;
        warn!(lease = name, identity, "lease lost: {reason}");
        false
    }

    /// Carries out the candidate's next action. Returns the outcome of a request; the candidate treats
    /// an error as an unknown one.
    async fn step(&self, candidate: &mut Candidate, next: &mut Next) -> Option<kube::Result<()>> {
        let (request, deadline) = match next {
            Next::Sleep(until) => {
                sleep_until(*until + self.jitter(candidate)).await;
                *next = candidate.wake(Instant::now(), wall_clock());
                return None;
            }
            Next::Send(request, limit) => (request, *limit),
        };
        let limit = deadline.saturating_duration_since(Instant::now());
        let (answer, outcome) = match self.send(request, limit).await {
            Ok(answer) => (answer, Ok(())),
            Err(error) => (Answer::Failed, Err(error)),
        };
        *next = candidate.answer(answer, Instant::now(), wall_clock());
        Some(outcome)
    }

    async fn send(&self, request: &Request, limit: Duration) -> kube::Result<Answer> {
        send(&self.leases, &self.terms.name, request, limit).await
    }

    /// Returns the additional pause of a candidate that does not lead.
    fn jitter(&self, candidate: &Candidate) -> Duration {
        if candidate.leads_at(Instant::now()) {
            return Duration::ZERO;
        }
        self.terms.retry_period.mul_f64(0.2 * fastrand::f64())
    }

    /// Writes the lease without a holder.
    async fn give_up(&self, candidate: &Candidate) {
        let Some(lease) = candidate.released(wall_clock()) else {
            return;
        };
        let Terms { name, identity, .. } = &self.terms;
        let what = "cannot release the lease: it expires after its duration";
        let released = Request::Replace(lease);
        match self.send(&released, self.terms.renew_deadline).await {
            Ok(Answer::Written(_)) => info!(lease = name, identity, "lease released"),
            Ok(_) => warn!(lease = name, identity, "{what}"),
            Err(error) => Logged::default().note(&self.terms, Some(Err(error)), what),
        }
    }
}

// === impl Logged ===

impl Logged {
    /// Logs the failure of a request, unless it is the one that was logged last.
    fn note(&mut self, terms: &Terms, outcome: Option<kube::Result<()>>, what: &'static str) {
        let Some(outcome) = outcome else {
            return;
        };
        let failure = outcome.err().map(|error| Chain(&error).to_string());
        if let Some(error) = &failure
            && failure != self.0
        {
            let Terms { name, identity, .. } = terms;
            warn!(lease = name, identity, error, "{what}");
        }
        self.0 = failure;
    }
}

/// Sends a request for the lease `name`.
pub(crate) async fn send(
    leases: &Api<Lease>,
    name: &str,
    request: &Request,
    limit: Duration,
) -> kube::Result<Answer> {
    let params = PostParams::default();
    let written = match request {
        Request::Read => {
            let read = within(limit, leases.get_opt(name)).await;
            return read.map(Answer::Read);
        }
        Request::Create(lease) => within(limit, leases.create(&params, lease)).await,
        Request::Replace(lease) => {
            let replaced = within(limit, leases.replace(name, &params, lease)).await;
            match replaced {
                Err(kube::Error::Api(status)) if status.code == 404 => return Ok(Answer::Rejected),
                replaced => replaced,
            }
        }
    };
    match written {
        Err(kube::Error::Api(status)) if status.code == 409 => Ok(Answer::Rejected),
        written => written.map(Answer::Written),
    }
}

fn check(terms: &Terms) -> Result<(), LeaderElectionError> {
    let invalid = |field, value, reason| {
        Err(LeaderElectionError::Duration {
            field,
            value,
            reason,
        })
    };
    let Terms {
        lease_duration: lease,
        renew_deadline: renew,
        retry_period: retry,
        ..
    } = *terms;
    let seconds = terms.lease_seconds();
    if seconds < 1 {
        return invalid("lease_duration", lease, "it must be at least 1s".to_owned());
    }
    if renew >= Duration::from_secs(u64::from(seconds.unsigned_abs())) {
        let reason = format!(
            "the lease would state {seconds}s, which must exceed the renew_deadline of {renew:?}"
        );
        return invalid("lease_duration", lease, reason);
    }
    if renew <= retry {
        let reason = format!("it must exceed the retry_period of {retry:?}");
        return invalid("renew_deadline", renew, reason);
    }
    if retry.is_zero() {
        return invalid("retry_period", retry, "it must not be zero".to_owned());
    }
    Ok(())
}

pub(crate) fn wall_clock() -> Timestamp {
    SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .ok()
        .and_then(|now| i64::try_from(now.as_micros()).ok())
        .and_then(|micros| Timestamp::from_microsecond(micros).ok())
        .unwrap_or_default()
}

// === impl Held ===

impl Held {
    fn note(&self, candidate: &Candidate) {
        match candidate.leads_until() {
            Some(until) => *self.until.lock() = until,
            None => self.ended.cancel(),
        }
    }

    /// Completes when the lease is no longer held.
    pub(crate) async fn lost(&self) {
        let mut ended = pin!(self.ended.cancelled());
        poll_fn(|context| match ended.as_mut().poll(context) {
            Poll::Pending if !self.is_over() => Poll::Pending,
            Poll::Ready(()) | Poll::Pending => Poll::Ready(()),
        })
        .await;
    }

    /// Asks the clock, because a process that was suspended may run this before its timers.
    pub(crate) fn is_over(&self) -> bool {
        self.ended.is_cancelled() || Instant::now() >= *self.until.lock()
    }
}

// === impl Leadership ===

impl Leadership {
    /// Completes when the lease is no longer held, because it was lost or released.
    ///
    /// A controller uses [`Controller::while_leading`](crate::Controller::while_leading).
    pub fn lost(&self) -> impl Future<Output = ()> + Send + use<> {
        let held = self.held.clone();
        async move { held.lost().await }
    }

    pub(crate) fn held(&self) -> Held {
        self.held.clone()
    }

    /// Reports whether the lease is no longer held.
    #[must_use]
    pub fn is_lost(&self) -> bool {
        self.held.is_over()
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

#[cfg(test)]
mod tests;
