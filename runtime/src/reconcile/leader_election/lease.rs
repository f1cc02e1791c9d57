//! Decisions about a lease. Pure: time is an argument.

use std::time::Duration;

use k8s_openapi::api::coordination::v1::{Lease, LeaseSpec};
use k8s_openapi::apimachinery::pkg::apis::meta::v1::MicroTime;
use k8s_openapi::jiff::Timestamp;
use tokio::time::Instant;

/// Identity and durations of a candidate.
#[derive(Debug, Clone)]
pub(super) struct Terms {
    pub(super) namespace: String,
    pub(super) name: String,
    pub(super) identity: String,
    pub(super) lease_duration: Duration,
    pub(super) renew_deadline: Duration,
    pub(super) retry_period: Duration,
}

/// Last seen state of the lease, with the time since which it is unchanged.
#[derive(Debug, Default)]
pub(super) struct Observed {
    lease: Option<(Lease, Instant)>,
}

/// Next action of a candidate.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Decision {
    /// Does nothing: another candidate holds the lease.
    Wait,
    Create(Lease),
    Replace(Lease),
}

// === impl Observed ===

impl Observed {
    /// Returns the action for the lease that the API server returned.
    pub(super) fn decide(
        &mut self,
        terms: &Terms,
        lease: Option<Lease>,
        now: Instant,
        wall_clock: Timestamp,
    ) -> Decision {
        let wall_clock = MicroTime(wall_clock);
        let mut spec = LeaseSpec {
            holder_identity: Some(terms.identity.clone()),
            lease_duration_seconds: Some(seconds(terms.lease_duration)),
            acquire_time: Some(wall_clock.clone()),
            renew_time: Some(wall_clock),
            lease_transitions: Some(0),
            ..LeaseSpec::default()
        };
        let Some(mut lease) = lease else {
            let mut lease = Lease::default();
            lease.metadata.namespace = Some(terms.namespace.clone());
            lease.metadata.name = Some(terms.name.clone());
            lease.spec = Some(spec);
            return Decision::Create(lease);
        };
        let since = self.note(&lease, now);
        let old = lease.spec.take().unwrap_or_default();
        let holder = old.holder_identity.as_deref().unwrap_or_default();
        let is_ours = holder == terms.identity;
        if !is_ours && !holder.is_empty() && now < since + duration(&old) {
            return Decision::Wait;
        }
        let transitions = old.lease_transitions.unwrap_or_default();
        if is_ours {
            spec.acquire_time = old.acquire_time;
            spec.lease_transitions = Some(transitions);
        } else {
            spec.lease_transitions = Some(transitions.saturating_add(1));
        }
        lease.spec = Some(spec);
        Decision::Replace(lease)
    }

    /// Returns the lease as its holder writes it next, without reading it first. Returns `None` if
    /// this candidate does not hold it, or if it has expired.
    pub(super) fn renewal(
        &mut self,
        terms: &Terms,
        now: Instant,
        wall_clock: Timestamp,
    ) -> Option<Lease> {
        let (lease, since) = self.lease.clone()?;
        let spec = lease.spec.as_ref()?;
        let is_ours = spec.holder_identity.as_ref() == Some(&terms.identity);
        if !is_ours || now >= since + duration(spec) {
            return None;
        }
        match self.decide(terms, Some(lease), now, wall_clock) {
            Decision::Replace(lease) => Some(lease),
            Decision::Wait | Decision::Create(_) => None,
        }
    }

    /// Records the lease, and returns the time since which it is unchanged.
    pub(super) fn note(&mut self, lease: &Lease, now: Instant) -> Instant {
        match &self.lease {
            Some((known, since)) if known.spec == lease.spec => {
                let since = *since;
                self.lease = Some((lease.clone(), since));
                since
            }
            _ => {
                self.lease = Some((lease.clone(), now));
                now
            }
        }
    }

    /// Returns the lease without a holder.
    pub(super) fn released(&self, wall_clock: Timestamp) -> Option<Lease> {
        let (mut lease, _) = self.lease.clone()?;
        let spec = lease.spec.as_mut()?;
        spec.holder_identity = Some(String::new());
        // The API server rejects 0. A candidate that still sees the old holder waits at most 1 s.
        spec.lease_duration_seconds = Some(1);
        spec.renew_time = Some(MicroTime(wall_clock));
        Some(lease)
    }
}

fn duration(spec: &LeaseSpec) -> Duration {
    let seconds = spec.lease_duration_seconds.unwrap_or_default();
    Duration::from_secs(u64::try_from(seconds).unwrap_or_default())
}

fn seconds(duration: Duration) -> i32 {
    i32::try_from(duration.as_secs()).unwrap_or(i32::MAX)
}

#[cfg(test)]
mod tests;
