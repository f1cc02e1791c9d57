//! [`Read`] and [`Watched`]: what the overview shows of an informer, and of a controller.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use informer_controller::engine::Chain;
use informer_controller::metrics::{InformerMetrics, Reason};
use informer_controller::shards::ShardsStatus;
use informer_controller::workqueue::WorkQueueMetrics;
use informer_controller::{
    ControllerHandle, ControllerState, GenericInformer, InformerState, InformerStatus, ObjectKey,
    StopCause,
};
use tokio::time::Instant;

use crate::history::{Call, History};
use crate::text::ranges;
use crate::tone::Tone;

/// Number of objects that did not decode, and of keys that are held back, that are named.
const NAMED: usize = 5;
/// Number of waiting items among which the oldest one is looked for.
const COMPARED: usize = 4096;

/// Informer with its measurements.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) informer: GenericInformer,
    pub(crate) status: InformerStatus,
    pub(crate) metrics: InformerMetrics,
    /// Memory of the objects, in bytes.
    pub(crate) held: usize,
    /// Numbers of events in the last minutes.
    pub(crate) events: Vec<u64>,
    pub(crate) watch_began: Option<Instant>,
}

/// Controller with its measurements.
#[derive(Debug)]
pub(crate) struct ReadController {
    pub(crate) handle: ControllerHandle,
    pub(crate) metrics: WorkQueueMetrics,
    /// Key that has waited longest, with its time.
    pub(crate) oldest: Option<(ObjectKey, Duration)>,
    pub(crate) held_back: Vec<ObjectKey>,
    pub(crate) latest: Vec<(ObjectKey, Arc<Call>)>,
    pub(crate) failures: Vec<(ObjectKey, Arc<Call>)>,
    /// Numbers of calls in the last minutes.
    pub(crate) calls: Vec<u64>,
}

/// Holder of slices.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) name: String,
    pub(crate) state: (Tone, &'static str),
    pub(crate) count: usize,
    pub(crate) slices: String,
}

// === impl Read ===

impl Read {
    pub(crate) fn new(informer: GenericInformer, events: Vec<u64>, began: Option<Instant>) -> Self {
        let (status, metrics) = (informer.status(), informer.metrics());
        let packed = metrics.packed.map_or(0, |packed| packed.total());
        Self {
            held: informer.held_bytes().max(packed),
            informer,
            status,
            metrics,
            events,
            watch_began: began,
        }
    }

    pub(crate) fn tone(&self) -> Tone {
        let state = &self.status.state;
        if matches!(state, InformerState::Stopped { cause } if *cause != StopCause::Requested) {
            Tone::Bad
        } else if matches!(state, InformerState::Stopped { .. }) {
            Tone::Idle
        } else if matches!(state, InformerState::Synced) && self.status.undecodable.is_empty() {
            Tone::Good
        } else if self.status.has_synced || self.failure().is_some() {
            Tone::Warn
        } else {
            Tone::Idle
        }
    }

    /// Returns the failure of the last attempt.
    fn failure(&self) -> Option<String> {
        if let InformerState::Stopped { cause } = &self.status.state {
            return Some(cause.to_string());
        }
        if let InformerState::Degraded { cause } | InformerState::Stale { cause } =
            &self.status.state
        {
            return Some(Chain(&**cause).to_string());
        }
        None
    }

    pub(crate) fn short_name(&self) -> String {
        short_name(self.informer.name())
    }

    /// Returns the failures of the informer, and the objects that do not decode.
    pub(crate) fn causes(&self) -> Vec<String> {
        let mut causes: Vec<String> = self.failure().into_iter().collect();
        if let Some(failure) = &self.status.store_failure {
            causes.push(Chain(&**failure).to_string());
        }
        let undecodable = self.status.undecodable.iter().take(NAMED);
        causes.extend(undecodable.map(|one| {
            let (key, version) = (&one.key, &one.resource_version);
            format!("{key} at {version} did not decode: {}", Chain(&*one.error))
        }));
        let more = self.status.undecodable.len().saturating_sub(NAMED);
        if more > 0 {
            causes.push(format!("{more} more objects did not decode"));
        }
        causes
    }

    /// Returns the causes of the lists after the first one, with their numbers.
    pub(crate) fn relists(&self) -> String {
        let metrics = &self.metrics;
        let (lists, streams) = (&metrics.list_attempts, &metrics.streaming_list_attempts);
        let reasons = Reason::ALL.into_iter().skip(1).filter_map(|reason| {
            let began = lists.began(reason) + streams.began(reason);
            (began > 0).then(|| format!("{} ×{began}", reason.as_str().replace('_', " ")))
        });
        reasons.collect::<Vec<_>>().join(", ")
    }
}

// === impl ReadController ===

impl ReadController {
    pub(crate) fn new(handle: &ControllerHandle, history: &History, calls: Vec<u64>) -> Self {
        let waiting = handle.queue().waiting(COMPARED).into_iter();
        let oldest = waiting.max_by_key(|(_, _, waited)| *waited);
        let mut held_back = handle.held_back();
        held_back.truncate(NAMED);
        Self {
            handle: handle.clone(),
            metrics: handle.queue().metrics(),
            oldest: oldest.map(|(key, _, waited)| (key, waited)),
            held_back,
            latest: history.latest().cloned().collect(),
            failures: history.failures().cloned().collect(),
            calls,
        }
    }

    pub(crate) fn state(&self) -> (Tone, &'static str) {
        let state = self.handle.state();
        if state == ControllerState::Running {
            (Tone::Good, "running")
        } else if state == ControllerState::ShuttingDown {
            (Tone::Warn, "shutting down")
        } else if state == ControllerState::Ended {
            (Tone::Idle, "ended")
        } else {
            (Tone::Idle, "waiting for caches")
        }
    }
}

/// Returns who holds which slices: free slices first, then each replica.
pub(crate) fn holders(shards: &ShardsStatus) -> Vec<Holder> {
    let alive = shards.replicas.iter().map(|name| (Some(name), Vec::new()));
    let mut holders: BTreeMap<Option<&String>, Vec<usize>> = alive.collect();
    for (slice, holder) in shards.holders.iter().enumerate() {
        holders.entry(holder.as_ref()).or_default().push(slice);
    }
    let holder = |(name, slices): (Option<&String>, Vec<usize>)| Holder {
        name: name.map_or("–", String::as_str).to_owned(),
        state: match name {
            None => (Tone::Warn, "free"),
            Some(name) if **name == *shards.identity => (Tone::Good, "this replica"),
            Some(name) if shards.replicas.contains(name) => (Tone::Good, "alive"),
            Some(_) => (Tone::Bad, "not alive"),
        },
        count: slices.len(),
        slices: ranges(&slices),
    };
    holders.into_iter().map(holder).collect()
}

/// Returns the name of an informer without the namespaces, which are shown beside it.
pub(crate) fn short_name(name: &str) -> String {
    match name.split_once(" (namespace") {
        None => name.to_owned(),
        Some((resource, rest)) => match rest.split_once("`, ") {
            None => resource.to_owned(),
            Some((_, rest)) => format!("{resource} ({rest}"),
        },
    }
}

/// Returns the name of a handler, of a type without its modules.
pub(crate) fn handler_name(name: &str) -> &str {
    let head = name.split('<').next().unwrap_or(name);
    head.rsplit_once("::").map_or(name, |(_, last)| last)
}
