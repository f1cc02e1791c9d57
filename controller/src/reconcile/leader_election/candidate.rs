//! Protocol of one candidate. Pure: time is an argument.
//!
//! A candidate makes attempts. An attempt reads the lease unless the candidate has written it last,
//! and then writes it, if it is free, expired, or held by this candidate. Its caller carries out
//! the [`Next`] action, and reports the result to [`Candidate::wake`] or [`Candidate::answer`].
//!
//! # Invariants
//!
//! 1. A candidate leads until its renew deadline has passed since the *start* of the last attempt
//!    whose write succeeded. The lease cannot be older than that start. An answer that arrives after
//!    that time does not prolong the leadership: it has ended.
//! 2. A candidate takes a foreign lease over after it has seen the lease unchanged for the lease's
//!    duration, which exceeds the renew deadline of its holder.
//! 3. Every write names the resourceVersion on which it is based, so a write that is late or
//!    repeated changes nothing.
//! 4. Every request has a limit: half of the renew deadline after the start of its attempt.
//!
//! By 1 to 3, at most one candidate leads at any time, if the rates of two candidates' clocks
//! differ by a factor of less than lease duration / renew deadline.

use std::collections::BTreeMap;
use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

const LEASE_DURATION: Duration = Duration::from_secs(15);
const RENEW_DEADLINE: Duration = Duration::from_secs(10);
const RETRY_PERIOD: Duration = Duration::from_secs(2);

/// Lease, identity and durations of a candidate.
#[derive(Debug, Clone)]
pub(crate) struct Terms {
    pub(crate) namespace: String,
    pub(crate) name: String,
    /// Labels of a lease that the candidate creates.
    pub(crate) labels: BTreeMap<String, String>,
    pub(crate) identity: String,
    pub(crate) lease_duration: Duration,
    pub(crate) renew_deadline: Duration,
    pub(crate) retry_period: Duration,
}

/// State of one candidate.
#[derive(Debug)]
pub(crate) struct Candidate {
    terms: Terms,
    /// Last seen lease.
    observed: Option<Observed>,
    /// Start of the last attempt.
    started: Instant,
    /// `true` while the attempt has not read the lease.
    is_blind: bool,
    /// End of the leadership, unless the lease is renewed before.
    leads_until: Option<Instant>,
}

#[derive(Debug, Clone)]
struct Observed {
    lease: Lease,
    /// Time since which the `spec` is unchanged.
    since: Instant,
}

/// Next action of a candidate.
#[derive(Debug, Clone, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "a candidate has one")]
pub(crate) enum Next {
    /// Sends a request, and gives it up at this time.
    Send(Request, Instant),
    /// Waits until this time for the next attempt.
    Sleep(Instant),
}

/// Request for the lease.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Request {
    Read,
    Create(Lease),
    Replace(Lease),
}

/// Result of a request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Read(Option<Lease>),
    Written(Lease),
    /// Another writer has changed, created or deleted the lease.
    Rejected,
    /// The request failed, or had no answer in time: the lease may be written or not.
    Failed,
}

// === impl Terms ===

impl Terms {
    /// Creates terms with the durations of client-go, and without labels.
    pub(crate) fn new(namespace: &str, name: &str, identity: impl Into<String>) -> Self {
        Self {
            namespace: namespace.to_owned(),
            name: name.to_owned(),
            labels: BTreeMap::new(),
            identity: identity.into(),
            lease_duration: LEASE_DURATION,
            renew_deadline: RENEW_DEADLINE,
            retry_period: RETRY_PERIOD,
        }
    }

    /// Returns the duration that the lease states: whole seconds.
    pub(crate) fn lease_seconds(&self) -> i32 {
        i32::try_from(self.lease_duration.as_secs()).unwrap_or(i32::MAX)
    }

    /// Returns the write that makes this candidate the holder, or keeps it.
    pub(crate) fn write(&self, lease: Option<Lease>, wall_clock: Timestamp) -> Request {
        let time = MicroTime(wall_clock);
        let mut spec = LeaseSpec {
            holder_identity: Some(self.identity.clone()),
            lease_duration_seconds: Some(self.lease_seconds()),
            acquire_time: Some(time.clone()),
            renew_time: Some(time),
            lease_transitions: Some(0),
            ..LeaseSpec::default()
        };
        let Some(mut lease) = lease else {
            return Request::Create(self.lease(spec));
        };
        let is_ours = holder(&lease) == self.identity;
        let old = lease.spec.take().unwrap_or_default();
        let transitions = old.lease_transitions.unwrap_or_default();
        if is_ours {
            spec.acquire_time = old.acquire_time;
            spec.lease_transitions = Some(transitions);
        } else {
            spec.lease_transitions = Some(transitions.saturating_add(1));
        }
        lease.spec = Some(spec);
        Request::Replace(lease)
    }

    /// Returns the lease that does not exist yet.
    fn lease(&self, spec: LeaseSpec) -> Lease {
        let mut lease = Lease::default();
        lease.metadata.namespace = Some(self.namespace.clone());
        lease.metadata.name = Some(self.name.clone());
        if !self.labels.is_empty() {
            lease.metadata.labels = Some(self.labels.clone());
        }
        lease.spec = Some(spec);
        lease
    }
}

// === impl Candidate ===

impl Candidate {
    pub(crate) fn new(terms: Terms, now: Instant) -> Self {
        Self {
            terms,
            observed: None,
            started: now,
            is_blind: false,
            leads_until: None,
        }
    }

    /// Returns the time at which the leadership ends, unless the lease is renewed before.
    pub(crate) fn leads_until(&self) -> Option<Instant> {
        self.leads_until
    }

    pub(crate) fn leads_at(&self, now: Instant) -> bool {
        self.leads_until.is_some_and(|until| now < until)
    }

    /// Returns the identity of the other candidate that held the lease when it was last read.
    pub(crate) fn other_holder(&self) -> Option<String> {
        let Observed { lease, .. } = self.observed.as_ref()?;
        if self.holds(lease) || holder(lease).is_empty() {
            return None;
        }
        Some(holder(lease).to_owned())
    }

    /// Begins an attempt.
    pub(crate) fn wake(&mut self, now: Instant, wall_clock: Timestamp) -> Next {
        // Taken before the request, because the server writes the lease before its response
        // arrives.
        self.started = now;
        let request = match &self.observed {
            Some(Observed { lease, .. }) if self.holds(lease) => {
                self.terms.write(Some(lease.clone()), wall_clock)
            }
            Some(_) | None => Request::Read,
        };
        self.is_blind = !matches!(request, Request::Read);
        self.send(request, now)
    }

    /// Continues the attempt with the result of its request.
    pub(crate) fn answer(&mut self, answer: Answer, now: Instant, wall_clock: Timestamp) -> Next {
        match answer {
            Answer::Read(lease) => {
                if let Some(lease) = &lease
                    && !self.is_free(lease, now)
                {
                    self.leads_until = None;
                    return self.rest(now);
                }
                self.send(self.terms.write(lease, wall_clock), now)
            }
            Answer::Written(lease) => {
                self.note(&lease, now);
                match self.leads_until {
                    Some(until) if self.started < until && until <= now => {}
                    Some(_) | None => {
                        self.leads_until = Some(self.started + self.terms.renew_deadline);
                    }
                }
                self.rest(now)
            }
            Answer::Rejected if self.is_blind => {
                self.is_blind = false;
                self.send(Request::Read, now)
            }
            Answer::Rejected | Answer::Failed => self.rest(now),
        }
    }

    /// Returns the lease without a holder, for a candidate that has stopped to lead.
    pub(crate) fn released(&self, wall_clock: Timestamp) -> Option<Lease> {
        let observed = self.observed.as_ref()?;
        Some(released(observed.lease.clone(), wall_clock))
    }

    fn send(&self, request: Request, now: Instant) -> Next {
        let limit = self.started + self.terms.renew_deadline / 2;
        Next::Send(request, self.before_the_loss(limit, now))
    }

    /// Returns the wait for the next attempt, which begins at once if this attempt took long.
    fn rest(&self, now: Instant) -> Next {
        let next = now.max(self.started + self.terms.retry_period);
        Next::Sleep(self.before_the_loss(next, now))
    }

    /// Returns `time`, or the end of the present leadership if that comes first.
    fn before_the_loss(&self, time: Instant, now: Instant) -> Instant {
        match self.leads_until {
            Some(until) if now < until => time.min(until),
            Some(_) | None => time,
        }
    }

    fn holds(&self, lease: &Lease) -> bool {
        holder(lease) == self.terms.identity
    }

    /// Records the lease, and reports whether this candidate may write it.
    fn is_free(&mut self, lease: &Lease, now: Instant) -> bool {
        let since = self.note(lease, now);
        if self.holds(lease) || holder(lease).is_empty() {
            return true;
        }
        now >= since + duration(lease.spec.as_ref())
    }

    /// Records the lease, and returns the time since which it is unchanged.
    fn note(&mut self, lease: &Lease, now: Instant) -> Instant {
        let since = match &self.observed {
            Some(known) if known.lease.spec == lease.spec => known.since,
            Some(_) | None => now,
        };
        self.observed = Some(Observed {
            lease: lease.clone(),
            since,
        });
        since
    }
}

/// Returns the lease without a holder.
pub(crate) fn released(mut lease: Lease, wall_clock: Timestamp) -> Lease {
    let spec = lease.spec.get_or_insert_default();
    spec.holder_identity = Some(String::new());
    // The API server rejects 0. A candidate that still sees the old holder waits at most 1 s.
    spec.lease_duration_seconds = Some(1);
    spec.renew_time = Some(MicroTime(wall_clock));
    lease
}

/// Returns the time for which a lease has to be unchanged until it expires.
pub(crate) fn duration(spec: Option<&LeaseSpec>) -> Duration {
    let Some(seconds) = spec.and_then(|spec| spec.lease_duration_seconds) else {
        return Duration::ZERO;
    };
    Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
}

/// Returns the identity of the holder; empty if nobody holds the lease.
pub(crate) fn holder(lease: &Lease) -> &str {
    let Some(spec) = &lease.spec else {
        return "";
    };
    spec.holder_identity.as_deref().unwrap_or_default()
}

#[cfg(test)]
mod tests;
