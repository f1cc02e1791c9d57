//! [`Read`]: what pages show of an informer; states of controllers and slices.

use std::collections::BTreeMap;

use informer_controller::shards::ShardsStatus;
use informer_controller::{ControllerHandle, ControllerState};
use informer_runtime::engine::Chain;
use informer_runtime::status::{InformerMetrics, Reason};
use informer_runtime::{GenericInformer, InformerState, InformerStatus, StopCause};
use maud::{Markup, html};

use crate::html::{Tone, pill};
use crate::ready::follows;

/// Number of objects that did not decode, and of keys that are held back, that are named.
pub(crate) const NAMED: usize = 5;

/// Informer with its measurements.
#[derive(Debug)]
pub(crate) struct Read {
    pub(crate) informer: GenericInformer,
    pub(crate) status: InformerStatus,
    pub(crate) metrics: InformerMetrics,
    /// Memory of the objects, in bytes.
    pub(crate) held: usize,
}

// === impl Read ===

impl Read {
    pub(crate) fn new(informer: GenericInformer) -> Self {
        let status = informer.status();
        let metrics = informer.metrics();
        let packed = metrics.packed.map_or(0, |packed| packed.total());
        Self {
            held: informer.held_bytes().max(packed),
            informer,
            status,
            metrics,
        }
    }

    pub(crate) fn tone(&self) -> Tone {
        let status = &self.status;
        let is_synced = matches!(status.state, InformerState::Synced);
        match self.stop_cause() {
            Some(StopCause::Requested) => Tone::IDLE,
            Some(_) => Tone::BAD,
            None if is_synced && status.undecodable.is_empty() => Tone::GOOD,
            None if status.has_synced || !follows(&status.state) => Tone::WARN,
            None => Tone::IDLE,
        }
    }

    fn stop_cause(&self) -> Option<&StopCause> {
        let InformerState::Stopped { cause } = &self.status.state else {
            return None;
        };
        Some(cause)
    }

    pub(crate) fn pill(&self) -> Markup {
        pill(self.tone(), self.status.state.as_str())
    }

    /// Returns the name without the namespaces, which are shown beside it.
    pub(crate) fn short_name(&self) -> String {
        short_name(self.informer.name())
    }

    /// Returns the failures of the informer, and the objects that do not decode.
    pub(crate) fn causes(&self) -> Markup {
        let mut failures = self.status.causes();
        let others = failures.len().saturating_sub(NAMED);
        failures.truncate(NAMED);
        let undecodable = &self.status.undecodable;
        let more = undecodable.len().saturating_sub(NAMED);
        let shown = undecodable.iter().take(NAMED).map(|one| {
            let key = &one.key;
            let version = &one.resource_version;
            format!("{key} at {version} did not decode: {}", Chain(&*one.error))
        });
        html! {
            @for cause in failures {
                p .cause { (cause) }
            }
            @if others > 0 {
                p .cause { (others) " more namespaces fail" }
            }
            @for cause in shown {
                p .cause { (cause) }
            }
            @if more > 0 {
                p .cause { (more) " more objects did not decode" }
            }
        }
    }

    /// Returns the causes of the lists after the first one, with their numbers.
    pub(crate) fn relists(&self) -> String {
        let lists = &self.metrics.list_attempts;
        let streams = &self.metrics.streaming_list_attempts;
        let mut causes = Vec::new();
        for reason in Reason::ALL.into_iter().skip(1) {
            let began = lists.began(reason) + streams.began(reason);
            if began > 0 {
                let cause = reason.as_str().replace('_', " ");
                causes.push(format!("{cause} ×{began}"));
            }
        }
        causes.join(", ")
    }
}

pub(crate) fn state_of(controller: &ControllerHandle) -> (Tone, &'static str) {
    match controller.state() {
        ControllerState::Waiting => (Tone::IDLE, "waiting for caches"),
        ControllerState::Running => (Tone::GOOD, "running"),
        ControllerState::ShuttingDown => (Tone::WARN, "shutting down"),
        ControllerState::Ended => (Tone::IDLE, "ended"),
        // Of a later version of the controller.
        _ => (Tone::WARN, "unknown"),
    }
}

/// Returns who holds which slices, with a state: free slices first, then each replica.
pub(crate) fn holders(shards: &ShardsStatus) -> Vec<(&str, (Tone, &'static str), Vec<usize>)> {
    let mut slices_of: BTreeMap<Option<&String>, Vec<usize>> = BTreeMap::new();
    for name in &shards.replicas {
        slices_of.insert(Some(name), Vec::new());
    }
    for (slice, holder) in shards.holders.iter().enumerate() {
        slices_of.entry(holder.as_ref()).or_default().push(slice);
    }
    let mut holders = Vec::new();
    for (holder, slices) in slices_of {
        let Some(name) = holder else {
            holders.push(("–", (Tone::WARN, "free"), slices));
            continue;
        };
        let state = if **name == *shards.identity {
            (Tone::GOOD, "this replica")
        } else if shards.replicas.contains(name) {
            (Tone::GOOD, "alive")
        } else {
            (Tone::BAD, "not alive")
        };
        holders.push((name.as_str(), state, slices));
    }
    holders
}

pub(crate) fn short_name(name: &str) -> String {
    let Some((resource, namespaces)) = name.split_once(" (namespace") else {
        return name.to_owned();
    };
    match namespaces.split_once("`, ") {
        Some((_, others)) => format!("{resource} ({others}"),
        None => resource.to_owned(),
    }
}

/// Returns the name of a handler, of a type without its modules.
pub(crate) fn handler_name(name: &str) -> &str {
    let head = name.split('<').next().unwrap_or(name);
    match head.rsplit_once("::") {
        Some((_, last)) => last,
        None => name,
    }
}
