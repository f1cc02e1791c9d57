//! Metric families: their names, help texts, and the sources of their values.
//!
//! Names are those of client-go and Kubernetes where the meaning is the same.

use std::fmt;
use std::time::Duration;

use informer_runtime::status::{HandlerStats, Histogram, Reason, Requests};
use informer_runtime::{InformerMetrics, PackedMemory};
use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::shards::ShardsStatus;
use crate::workqueue::{Durations, WorkQueueMetrics};

/// Names of all states of an informer.
const STATES: [&str; 6] = [
    "pending", "listing", "synced", "degraded", "stale", "stopped",
];

/// Label names with their values.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Measurements with their labels.
#[derive(Debug)]
pub(super) struct Shown<M> {
    pub(super) labels: Labels,
    pub(super) metrics: M,
}

/// Measurements that have families.
pub(super) trait Measured: 'static + Sized {
    /// The families, in the order of a page.
    const FAMILIES: &'static [Family<Self>];
}

/// Family of metrics: a name, its help text, and where the values come from.
pub(super) struct Family<M> {
    kind: MetricType,
    name: &'static str,
    help: &'static str,
    samples: fn(&M) -> Samples,
}

/// Values of one family, each with its labels beside those of the measurements.
pub(super) type Samples = Vec<(Labels, Value)>;

/// Value of one sample.
pub(super) enum Value {
    Count(u64),
    Seconds(f64),
    Times(Times),
}

/// Histogram in the form in which it is encoded.
pub(super) struct Times {
    sum: Duration,
    count: u64,
    /// Upper bounds in seconds, each with the number of durations between it and the previous
    /// bound.
    buckets: Vec<(f64, u64)>,
}

/// Encodes the families of the measurements. Without measurements, none is encoded.
pub(super) fn encode<M: Measured>(
    encoder: &mut DescriptorEncoder<'_>,
    shown: &[Shown<M>],
) -> fmt::Result {
    if shown.is_empty() {
        return Ok(());
    }
    for family in M::FAMILIES {
        let kind = family.kind;
        let mut samples = encoder.encode_descriptor(family.name, family.help, None, kind)?;
        for Shown { labels, metrics } in shown {
            for (more, value) in (family.samples)(metrics) {
                let all: Labels = labels.iter().cloned().chain(more).collect();
                let mut sample = samples.encode_family(&all)?;
                match value {
                    Value::Count(count) if matches!(kind, MetricType::Counter) => {
                        sample.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
                    }
                    Value::Count(count) => sample.encode_gauge(&count)?,
                    Value::Seconds(seconds) => sample.encode_gauge(&seconds)?,
                    Value::Times(times) => {
                        let Times { count, buckets, .. } = &times;
                        let sum = times.sum.as_secs_f64();
                        sample.encode_histogram::<NoLabelSet>(sum, *count, buckets, None)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns the measurements of the handlers of all informers.
pub(super) fn handlers(informers: &[Shown<InformerMetrics>]) -> Vec<Shown<HandlerStats>> {
    let mut handlers = Vec::new();
    for informer in informers {
        for handler in &informer.metrics.handlers {
            let mut labels = informer.labels.clone();
            labels.push(("handler", handler.name.clone()));
            labels.push(("handler_id", handler.id.to_string()));
            let metrics = handler.stats;
            handlers.push(Shown { labels, metrics });
        }
    }
    handlers
}

// === impl Family ===

const fn gauge<M>(name: &'static str, help: &'static str, samples: fn(&M) -> Samples) -> Family<M> {
    family(MetricType::Gauge, name, help, samples)
}

const fn counter<M>(
    name: &'static str,
    help: &'static str,
    samples: fn(&M) -> Samples,
) -> Family<M> {
    family(MetricType::Counter, name, help, samples)
}

const fn histogram<M>(
    name: &'static str,
    help: &'static str,
    samples: fn(&M) -> Samples,
) -> Family<M> {
    family(MetricType::Histogram, name, help, samples)
}

const fn family<M>(
    kind: MetricType,
    name: &'static str,
    help: &'static str,
    samples: fn(&M) -> Samples,
) -> Family<M> {
    Family {
        kind,
        name,
        help,
        samples,
    }
}

// === impl Measured ===

impl Measured for InformerMetrics {
    const FAMILIES: &'static [Family<Self>] = &[
        gauge(
            "informer_queued_items",
            "Deltas that wait between the reflector and the store.",
            |it| number(it.queued_deltas),
        ),
        gauge(
            "informer_queued_bytes",
            "Size of the objects that wait between the reflector and the store.",
            |it| number(it.queued_bytes),
        ),
        gauge("informer_objects", "Objects in the store.", |it| {
            number(it.objects)
        }),
        gauge(
            "informer_retained_objects",
            "Deleted objects that are still readable, by retain_deleted.",
            |it| number(it.retained_objects),
        ),
        gauge(
            "informer_undecodable_objects",
            "Objects whose latest version did not decode.",
            |it| number(it.undecodable),
        ),
        gauge(
            "informer_synced",
            "1 if the store has held a complete list.",
            |it| count(u64::from(it.is_synced)),
        ),
        gauge(
            "informer_store_resource_version",
            "Last 15 digits of the resourceVersion that the store reflects.",
            |it| it.store_resource_version.map_or_else(Vec::new, count),
        ),
        gauge(
            "informer_packed_bytes",
            "Memory of packed storage: objects, headers, shared names, samples, dictionaries.",
            |it| packed(it, PackedMemory::total),
        ),
        gauge(
            "informer_packed_object_bytes",
            "Packed size of the objects.",
            |it| packed(it, |memory| memory.packed_bytes),
        ),
        gauge(
            "informer_packed_unpacked_bytes",
            "Unpacked size of the packed objects.",
            |it| packed(it, |memory| memory.unpacked_bytes),
        ),
        gauge(
            "informer_packed_dictionary_bytes",
            "Memory of dictionaries and of copies of objects for packing others.",
            |it| packed(it, |memory| memory.dictionary_bytes + memory.sample_bytes),
        ),
        gauge(
            "informer_packed_decoded_bytes",
            "Estimated size of the objects that tiered storage keeps decoded.",
            |it| packed(it, |memory| memory.decoded_bytes),
        ),
        gauge(
            "informer_evicted_objects",
            "Objects whose body tiered storage has evicted.",
            |it| packed(it, |memory| memory.evicted),
        ),
        gauge(
            "informer_state",
            "1 for the current state of the informer, 0 for the others.",
            |it| {
                by(
                    "state",
                    STATES.map(|state| (state, u64::from(it.state == state))),
                )
            },
        ),
        counter(
            "informer_events",
            "Watch events that changed an object.",
            |it| count(it.events),
        ),
        counter("informer_bookmarks", "Bookmarks received.", |it| {
            count(it.bookmarks)
        }),
        counter(
            "informer_batches",
            "Batches of deltas written to the store.",
            |it| count(it.batches),
        ),
        counter(
            "informer_notifications",
            "Notifications, counted once for any number of handlers.",
            |it| count(it.notifications),
        ),
        counter(
            "informer_store_failures",
            "Failed writes of a batch to the user's store.",
            |it| count(it.store_failures),
        ),
        counter(
            "informer_decoded_objects",
            "Object versions decoded.",
            |it| count(it.decoded_objects),
        ),
        counter(
            "informer_unchanged_objects",
            "Listed objects that were unchanged and not decoded.",
            |it| count(it.unchanged_objects),
        ),
        counter(
            "informer_decode_failures",
            "Object versions that did not decode or that the transform rejected.",
            |it| count(it.undecodable_objects),
        ),
        counter(
            "informer_rejected_objects",
            "Items and events rejected for their kind or a missing header.",
            |it| count(it.rejected_objects),
        ),
        counter(
            "informer_object_bytes",
            "Bytes of the objects received, without the fields that were cut out.",
            |it| count(it.object_bytes),
        ),
        counter("reflector_list_pages", "Requested pages of lists.", |it| {
            count(it.list_requests)
        }),
        counter(
            "reflector_watch_requests",
            "Requested watches, including streaming lists.",
            |it| count(it.watch_requests),
        ),
        counter(
            "reflector_completed_lists",
            "Completed lists, including streaming lists.",
            |it| count(it.lists),
        ),
        counter(
            "reflector_failures",
            "Failures of lists and watches.",
            |it| count(it.failures),
        ),
        histogram(
            "informer_processing_latency_seconds",
            "Time of a batch from leaving the queue until delivery to every handler.",
            |it| times(&it.processing_latency),
        ),
        histogram(
            "informer_publish_latency_seconds",
            "Time of a batch from arrival until it is readable.",
            |it| times(&it.publish_latency),
        ),
        histogram(
            "informer_delivery_latency_seconds",
            "Time of a batch from arrival until delivery to every handler.",
            |it| times(&it.delivery_latency),
        ),
        histogram(
            "reflector_list_duration_seconds",
            "Duration of a complete list, including all pages and decoding.",
            |it| times(&it.list_duration),
        ),
        histogram(
            "informer_load_duration_seconds",
            "Duration of a request for an evicted body.",
            |it| times(&it.load_duration),
        ),
        counter(
            "reflector_lists",
            "Lists started, by mode and reason.",
            |it| requests(&lists(it), "reason", Requests::began),
        ),
        counter(
            "reflector_list_outcomes",
            "Lists ended, by mode and outcome.",
            |it| requests(&lists(it), "outcome", Requests::ended),
        ),
        counter("reflector_watches", "Watches started, by reason.", |it| {
            requests(&[("", &it.watch_attempts)], "reason", Requests::began)
        }),
        counter(
            "reflector_watch_outcomes",
            "Watches ended, by outcome.",
            |it| requests(&[("", &it.watch_attempts)], "outcome", Requests::ended),
        ),
    ];
}

impl Measured for HandlerStats {
    const FAMILIES: &'static [Family<Self>] = &[
        gauge(
            "informer_handler_pending",
            "Notifications that wait in the handler's mailbox.",
            |it| number(it.pending),
        ),
        gauge(
            "informer_handler_pending_bytes",
            "Size of the old and deleted objects in the handler's mailbox.",
            |it| number(it.pending_bytes),
        ),
        gauge(
            "informer_handler_duration_max_seconds",
            "Duration of the handler's longest call.",
            |it| seconds(it.calls.max()),
        ),
        counter(
            "informer_handler_delivered",
            "Notifications delivered to the handler.",
            |it| count(it.delivered),
        ),
        counter(
            "informer_handler_coalesced",
            "Notifications merged with or cancelled by another because the mailbox was full.",
            |it| count(it.coalesced),
        ),
        counter(
            "informer_handler_panics",
            "Calls of the handler that panicked.",
            |it| count(it.panics),
        ),
        counter(
            "informer_handler_skipped_resyncs",
            "Resyncs skipped because the previous one had not started.",
            |it| count(it.resyncs_skipped),
        ),
        histogram(
            "informer_handler_duration_seconds",
            "Duration of the handler's calls.",
            |it| times(&it.calls),
        ),
    ];
}

impl Measured for WorkQueueMetrics {
    const FAMILIES: &'static [Family<Self>] = &[
        gauge("workqueue_depth", "Items that wait for a worker.", |it| {
            number(it.depth)
        }),
        gauge("workqueue_delayed", "Delayed items.", |it| {
            number(it.delayed)
        }),
        gauge(
            "workqueue_unfinished_work_seconds",
            "Total time that the items in work have been in work.",
            |it| seconds(it.unfinished),
        ),
        gauge(
            "workqueue_longest_running_processor_seconds",
            "Time that the oldest item in work has been in work.",
            |it| seconds(it.longest_running),
        ),
        counter(
            "workqueue_adds",
            "Adds, without adds of items that were waiting already.",
            |it| count(it.adds),
        ),
        counter("workqueue_retries", "Rate-limited adds.", |it| {
            count(it.retries)
        }),
        counter("workqueue_failures", "Reconciliations that failed.", |it| {
            count(it.failures)
        }),
        counter("workqueue_panics", "Reconciliations that panicked.", |it| {
            count(it.panics)
        }),
        counter(
            "workqueue_put_back",
            "Items put back, because a cache did not show their writes or their slice yet.",
            |it| count(it.put_back),
        ),
        counter(
            "workqueue_reasons",
            "Items that workers took, by the reason of their first add.",
            |it| {
                by(
                    "reason",
                    it.reasons.iter().map(|(reason, count)| (*reason, *count)),
                )
            },
        ),
        histogram(
            "workqueue_queue_duration_seconds",
            "Time that items waited for a worker.",
            |it| durations(&it.latency),
        ),
        histogram(
            "workqueue_work_duration_seconds",
            "Time that items were in work.",
            |it| durations(&it.work_duration),
        ),
    ];
}

impl Measured for ShardsStatus {
    const FAMILIES: &'static [Family<Self>] = &[
        gauge(
            "informer_shards_owned_slices",
            "Slices that this replica owns.",
            |it| number(it.owned.len()),
        ),
        gauge(
            "informer_shards_free_slices",
            "Slices without a holder.",
            |it| number(it.holders.iter().filter(|one| one.is_none()).count()),
        ),
        gauge(
            "informer_shards_replicas",
            "Live replicas of the group.",
            |it| number(it.replicas.len()),
        ),
        gauge(
            "informer_shards_overdue_slices",
            "Slices that this replica holds for over a minute without reconciling them.",
            |it| number(it.overdue.len()),
        ),
        gauge(
            "informer_shards_blocked",
            "1 while a replica with other slices lives.",
            |it| count(u64::from(it.is_blocked)),
        ),
        counter(
            "informer_shards_moves",
            "Slices that this replica gained, handed over, or lost with its lease.",
            |it| {
                by(
                    "move",
                    [
                        ("gained", it.gained),
                        ("released", it.released),
                        ("lost", it.lost),
                    ],
                )
            },
        ),
        histogram(
            "informer_shards_hand_over_duration_seconds",
            "Time from a claim until keys are reconciled, or until a slice is released.",
            |it| durations(&it.hand_overs),
        ),
    ];
}

// --- samples ---

fn packed(metrics: &InformerMetrics, of: fn(&PackedMemory) -> usize) -> Samples {
    let bytes = metrics.packed.as_ref().map(of);
    bytes.map_or_else(Vec::new, number)
}

/// Returns the requests of lists, each with its mode.
fn lists(metrics: &InformerMetrics) -> [(&'static str, &Requests); 2] {
    [
        ("list", &metrics.list_attempts),
        ("watch_list", &metrics.streaming_list_attempts),
    ]
}

fn one(value: Value) -> Samples {
    vec![(Labels::new(), value)]
}

fn count(count: u64) -> Samples {
    one(Value::Count(count))
}

fn number(number: usize) -> Samples {
    count(u64::try_from(number).unwrap_or(u64::MAX))
}

fn seconds(time: Duration) -> Samples {
    one(Value::Seconds(time.as_secs_f64()))
}

fn times(times: &Histogram) -> Samples {
    one(Value::Times(Times::new(
        times.buckets(),
        times.count(),
        times.sum(),
    )))
}

fn durations(times: &Durations) -> Samples {
    one(Value::Times(Times::new(
        times.buckets(),
        times.count(),
        times.sum(),
    )))
}

/// Returns a sample for each value of a label.
fn by<'v>(label: &'static str, counts: impl IntoIterator<Item = (&'v str, u64)>) -> Samples {
    counts
        .into_iter()
        .map(|(value, count)| (vec![(label, value.to_owned())], Value::Count(count)))
        .collect()
}

/// Returns the numbers of requests by `label`, without zeros. Each counter comes after the value of
/// its label `mode`, which is empty for no label.
fn requests(
    modes: &[(&str, &Requests)],
    label: &'static str,
    number: fn(&Requests, Reason) -> u64,
) -> Samples {
    let mut samples = Samples::new();
    for (mode, requests) in modes {
        for reason in Reason::ALL {
            let count = number(requests, reason);
            if count == 0 {
                continue;
            }
            let mut labels = Labels::new();
            if !mode.is_empty() {
                labels.push(("mode", (*mode).to_owned()));
            }
            labels.push((label, reason.to_string()));
            samples.push((labels, Value::Count(count)));
        }
    }
    samples
}

// === impl Times ===

impl Times {
    /// Creates a histogram. `cumulative` contains the number of durations up to each bound.
    fn new(cumulative: impl Iterator<Item = (Duration, u64)>, count: u64, sum: Duration) -> Self {
        let mut previous = 0;
        let buckets = cumulative
            .map(|(bound, up_to)| (bound.as_secs_f64(), up_to))
            .chain([(f64::INFINITY, count)])
            .map(|(bound, up_to)| {
                let within = up_to.saturating_sub(previous);
                previous = up_to;
                (bound, within)
            })
            .collect();
        Self {
            sum,
            count,
            buckets,
        }
    }
}
