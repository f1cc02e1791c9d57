//! Metric families: their names, help texts, and the sources of their values.
//!
//! Names are those of client-go and Kubernetes where the meaning is the same.

use std::borrow::Borrow;
use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::{
    DescriptorEncoder, EncodeGaugeValue, GaugeValueEncoder, NoLabelSet,
};
use prometheus_client::metrics::MetricType;

use crate::shards::ShardsStatus;
use crate::status::{HandlerStats, Histogram, InformerMetrics, Reason, Requests};
use crate::storage::PackedMemory;
use crate::workqueue;

/// Label names with their values.
pub(super) type Labels = Vec<(&'static str, String)>;

/// Measurements with their labels.
#[derive(Debug)]
pub(super) struct Shown<M> {
    pub(super) labels: Labels,
    pub(super) metrics: M,
}

/// Metric family: its name, its help text, and a function that reads its value.
type Family<M, V> = (&'static str, &'static str, fn(&M) -> V);

/// Value of a gauge.
#[derive(Debug)]
enum Value {
    Count(usize),
    Seconds(Duration),
}

const GAUGES: [Family<InformerMetrics, Option<u64>>; 12] = [
    (
        "informer_queued_items",
        "Deltas that wait between the reflector and the store.",
        |metrics| Some(number(metrics.queued_deltas)),
    ),
    (
        "informer_queued_bytes",
        "Size of the objects that wait between the reflector and the store.",
        |metrics| Some(number(metrics.queued_bytes)),
    ),
    ("informer_objects", "Objects in the store.", |metrics| {
        Some(number(metrics.objects))
    }),
    (
        "informer_undecodable_objects",
        "Objects whose latest version did not decode.",
        |metrics| Some(number(metrics.undecodable)),
    ),
    (
        "informer_synced",
        "1 if the store has held a complete list.",
        |metrics| Some(u64::from(metrics.is_synced)),
    ),
    (
        "informer_store_resource_version",
        "Last 15 digits of the resourceVersion that the store reflects.",
        |metrics| metrics.store_resource_version,
    ),
    (
        "informer_packed_bytes",
        "Memory of packed storage: objects, headers, shared names, samples, dictionaries.",
        |metrics| packed(metrics, PackedMemory::total),
    ),
    (
        "informer_packed_object_bytes",
        "Packed size of the objects.",
        |metrics| packed(metrics, |memory| memory.packed_bytes),
    ),
    (
        "informer_packed_unpacked_bytes",
        "Unpacked size of the packed objects.",
        |metrics| packed(metrics, |memory| memory.unpacked_bytes),
    ),
    (
        "informer_packed_dictionary_bytes",
        "Memory of dictionaries and of copies of objects for packing others.",
        |metrics| {
            packed(metrics, |memory| {
                memory.dictionary_bytes + memory.sample_bytes
            })
        },
    ),
    (
        "informer_packed_decoded_bytes",
        "Estimated size of the objects that tiered storage keeps decoded.",
        |metrics| packed(metrics, |memory| memory.decoded_bytes),
    ),
    (
        "informer_evicted_objects",
        "Objects whose body tiered storage has evicted.",
        |metrics| packed(metrics, |memory| memory.evicted),
    ),
];

/// Names of all states of an informer.
const STATES: [&str; 6] = [
    "pending", "listing", "synced", "degraded", "stale", "stopped",
];

const COUNTERS: [Family<InformerMetrics, u64>; 14] = [
    (
        "informer_events",
        "Watch events that changed an object.",
        |metrics| metrics.events,
    ),
    ("informer_bookmarks", "Bookmarks received.", |metrics| {
        metrics.bookmarks
    }),
    (
        "informer_batches",
        "Batches of deltas written to the store.",
        |metrics| metrics.batches,
    ),
    (
        "informer_notifications",
        "Notifications, counted once for any number of handlers.",
        |metrics| metrics.notifications,
    ),
    (
        "informer_store_failures",
        "Failed writes of a batch to the user's store.",
        |metrics| metrics.store_failures,
    ),
    (
        "informer_decoded_objects",
        "Object versions decoded.",
        |metrics| metrics.decoded_objects,
    ),
    (
        "informer_unchanged_objects",
        "Listed objects that were unchanged and not decoded.",
        |metrics| metrics.unchanged_objects,
    ),
    (
        "informer_decode_failures",
        "Object versions that did not decode or that the transform rejected.",
        |metrics| metrics.undecodable_objects,
    ),
    (
        "informer_rejected_objects",
        "Items and events rejected for their kind or a missing header.",
        |metrics| metrics.rejected_objects,
    ),
    (
        "informer_object_bytes",
        "Bytes of the objects received, without the fields that were cut out.",
        |metrics| metrics.object_bytes,
    ),
    (
        "reflector_list_pages",
        "Requested pages of lists.",
        |metrics| metrics.list_requests,
    ),
    (
        "reflector_watch_requests",
        "Requested watches, including streaming lists.",
        |metrics| metrics.watch_requests,
    ),
    (
        "reflector_completed_lists",
        "Completed lists, including streaming lists.",
        |metrics| metrics.lists,
    ),
    (
        "reflector_failures",
        "Failures of lists and watches.",
        |metrics| metrics.failures,
    ),
];

const HISTOGRAMS: [Family<InformerMetrics, Histogram>; 5] = [
    (
        "informer_processing_latency_seconds",
        "Time of a batch from leaving the queue until delivery to every handler.",
        |metrics| metrics.processing_latency,
    ),
    (
        "informer_publish_latency_seconds",
        "Time of a batch from arrival until it is readable.",
        |metrics| metrics.publish_latency,
    ),
    (
        "informer_delivery_latency_seconds",
        "Time of a batch from arrival until delivery to every handler.",
        |metrics| metrics.delivery_latency,
    ),
    (
        "reflector_list_duration_seconds",
        "Duration of a complete list, including all pages and decoding.",
        |metrics| metrics.list_duration,
    ),
    (
        "informer_load_duration_seconds",
        "Duration of a request for an evicted body.",
        |metrics| metrics.load_duration,
    ),
];

/// Family of request counters, by reason or by outcome.
struct RequestFamily {
    name: &'static str,
    help: &'static str,
    label: &'static str,
    count: fn(&Requests, Reason) -> u64,
    modes: &'static [Mode],
}

/// Value of the label `mode`, empty for no label, and a function that reads the counters of that
/// mode.
type Mode = (&'static str, fn(&InformerMetrics) -> &Requests);

const LISTS: [Mode; 2] = [
    ("list", |metrics| &metrics.list_attempts),
    ("watch_list", |metrics| &metrics.streaming_list_attempts),
];

const WATCHES: [Mode; 1] = [("", |metrics| &metrics.watch_attempts)];

const REQUESTS: [RequestFamily; 4] = [
    RequestFamily {
        name: "reflector_lists",
        help: "Lists started, by mode and reason.",
        label: "reason",
        count: Requests::began,
        modes: &LISTS,
    },
    RequestFamily {
        name: "reflector_list_outcomes",
        help: "Lists ended, by mode and outcome.",
        label: "outcome",
        count: Requests::ended,
        modes: &LISTS,
    },
    RequestFamily {
        name: "reflector_watches",
        help: "Watches started, by reason.",
        label: "reason",
        count: Requests::began,
        modes: &WATCHES,
    },
    RequestFamily {
        name: "reflector_watch_outcomes",
        help: "Watches ended, by outcome.",
        label: "outcome",
        count: Requests::ended,
        modes: &WATCHES,
    },
];

const HANDLER_GAUGES: [Family<HandlerStats, Value>; 3] = [
    (
        "informer_handler_pending",
        "Notifications that wait in the handler's mailbox.",
        |stats| Value::Count(stats.pending),
    ),
    (
        "informer_handler_pending_bytes",
        "Size of the old and deleted objects in the handler's mailbox.",
        |stats| Value::Count(stats.pending_bytes),
    ),
    (
        "informer_handler_duration_max_seconds",
        "Duration of the handler's longest call.",
        |stats| Value::Seconds(stats.calls.max()),
    ),
];

const HANDLER_COUNTERS: [Family<HandlerStats, u64>; 4] = [
    (
        "informer_handler_delivered",
        "Notifications delivered to the handler.",
        |stats| stats.delivered,
    ),
    (
        "informer_handler_coalesced",
        "Notifications merged with or cancelled by another because the mailbox was full.",
        |stats| stats.coalesced,
    ),
    (
        "informer_handler_panics",
        "Calls of the handler that panicked.",
        |stats| stats.panics,
    ),
    (
        "informer_handler_skipped_resyncs",
        "Resyncs skipped because the previous one had not started.",
        |stats| stats.resyncs_skipped,
    ),
];

const QUEUE_GAUGES: [Family<workqueue::WorkQueueMetrics, Value>; 4] = [
    (
        "workqueue_depth",
        "Items that wait for a worker.",
        |queue| Value::Count(queue.depth),
    ),
    ("workqueue_delayed", "Delayed items.", |queue| {
        Value::Count(queue.delayed)
    }),
    (
        "workqueue_unfinished_work_seconds",
        "Total time that the items in work have been in work.",
        |queue| Value::Seconds(queue.unfinished),
    ),
    (
        "workqueue_longest_running_processor_seconds",
        "Time that the oldest item in work has been in work.",
        |queue| Value::Seconds(queue.longest_running),
    ),
];

const QUEUE_COUNTERS: [Family<workqueue::WorkQueueMetrics, u64>; 5] = [
    (
        "workqueue_adds",
        "Adds, without adds of items that were waiting already.",
        |queue| queue.adds,
    ),
    ("workqueue_retries", "Rate-limited adds.", |queue| {
        queue.retries
    }),
    (
        "workqueue_failures",
        "Reconciliations that failed.",
        |queue| queue.failures,
    ),
    (
        "workqueue_panics",
        "Reconciliations that panicked.",
        |queue| queue.panics,
    ),
    (
        "workqueue_put_back",
        "Items put back, because a cache did not show their writes or their slice yet.",
        |queue| queue.put_back,
    ),
];

type QueueDurations = fn(&workqueue::WorkQueueMetrics) -> &workqueue::Durations;
const QUEUE_HISTOGRAMS: [(&str, &str, QueueDurations); 2] = [
    (
        "workqueue_queue_duration_seconds",
        "Time that items waited for a worker.",
        |queue| &queue.latency,
    ),
    (
        "workqueue_work_duration_seconds",
        "Time that items were in work.",
        |queue| &queue.work_duration,
    ),
];

const SHARDS_GAUGES: [Family<ShardsStatus, Value>; 5] = [
    (
        "informer_shards_owned_slices",
        "Slices that this replica owns.",
        |shards| Value::Count(shards.owned.len()),
    ),
    (
        "informer_shards_free_slices",
        "Slices without a holder.",
        |shards| Value::Count(shards.holders.iter().filter(|one| one.is_none()).count()),
    ),
    (
        "informer_shards_replicas",
        "Live replicas of the group.",
        |shards| Value::Count(shards.replicas.len()),
    ),
    (
        "informer_shards_overdue_slices",
        "Slices that this replica holds for over a minute without reconciling them.",
        |shards| Value::Count(shards.overdue.len()),
    ),
    (
        "informer_shards_blocked",
        "1 while a replica with other slices lives.",
        |shards| Value::Count(usize::from(shards.is_blocked)),
    ),
];

/// Function that reads a number of moves.
type Moves = fn(&ShardsStatus) -> u64;

/// Moves of slices, by the value of the label `move`.
const SHARDS_MOVES: [(&str, Moves); 3] = [
    ("gained", |shards| shards.gained),
    ("released", |shards| shards.released),
    ("lost", |shards| shards.lost),
];

pub(super) fn encode_informers(
    encoder: &mut DescriptorEncoder<'_>,
    informers: &[Shown<InformerMetrics>],
) -> fmt::Result {
    if informers.is_empty() {
        return Ok(());
    }
    for (name, help, value) in GAUGES {
        let samples = informers.iter().filter_map(|informer| {
            let value = value(&informer.metrics)?;
            Some((&informer.labels, value))
        });
        encode_gauges(encoder, name, help, samples)?;
    }
    encode_states(encoder, informers)?;
    for (name, help, value) in COUNTERS {
        let samples = informers.iter();
        let samples = samples.map(|informer| (&informer.labels, value(&informer.metrics)));
        encode_counters(encoder, name, help, samples)?;
    }
    for (name, help, value) in HISTOGRAMS {
        let samples = informers.iter();
        let samples =
            samples.map(|informer| (&informer.labels, Times::of(&value(&informer.metrics))));
        encode_histograms(encoder, name, help, samples)?;
    }
    encode_requests(encoder, informers)?;
    encode_handlers(encoder, informers)
}

fn encode_states(
    encoder: &mut DescriptorEncoder<'_>,
    informers: &[Shown<InformerMetrics>],
) -> fmt::Result {
    let samples = informers.iter().flat_map(|Shown { labels, metrics }| {
        STATES.map(|state| {
            let labels = with(labels, "state", state);
            (labels, u64::from(metrics.state == state))
        })
    });
    let help = "1 for the current state of the informer, 0 for the others.";
    encode_gauges(encoder, "informer_state", help, samples)
}

fn encode_requests(
    encoder: &mut DescriptorEncoder<'_>,
    informers: &[Shown<InformerMetrics>],
) -> fmt::Result {
    for family in REQUESTS {
        let mut samples = Vec::new();
        for Shown { labels, metrics } in informers {
            for (mode, requests) in family.modes {
                for reason in Reason::ALL {
                    let count = (family.count)(requests(metrics), reason);
                    if count > 0 {
                        let mut labels = labels.clone();
                        if !mode.is_empty() {
                            labels.push(("mode", (*mode).to_owned()));
                        }
                        labels.push((family.label, reason.to_string()));
                        samples.push((labels, count));
                    }
                }
            }
        }
        encode_counters(encoder, family.name, family.help, samples.into_iter())?;
    }
    Ok(())
}

fn encode_handlers(
    encoder: &mut DescriptorEncoder<'_>,
    informers: &[Shown<InformerMetrics>],
) -> fmt::Result {
    let handlers: Vec<(Labels, &HandlerStats)> = informers
        .iter()
        .flat_map(|Shown { labels, metrics }| {
            metrics.handlers.iter().map(move |handler| {
                let mut labels = labels.clone();
                labels.push(("handler", handler.name.clone()));
                labels.push(("handler_id", handler.id.to_string()));
                (labels, &handler.stats)
            })
        })
        .collect();
    if handlers.is_empty() {
        return Ok(());
    }
    for (name, help, value) in HANDLER_GAUGES {
        let samples = handlers
            .iter()
            .map(|(labels, stats)| (labels, value(stats)));
        encode_gauges(encoder, name, help, samples)?;
    }
    for (name, help, value) in HANDLER_COUNTERS {
        let samples = handlers
            .iter()
            .map(|(labels, stats)| (labels, value(stats)));
        encode_counters(encoder, name, help, samples)?;
    }
    let (name, help) = (
        "informer_handler_duration_seconds",
        "Duration of the handler's calls.",
    );
    let samples = handlers.iter();
    let samples = samples.map(|(labels, stats)| (labels, Times::of(&stats.calls)));
    encode_histograms(encoder, name, help, samples)
}

pub(super) fn encode_queues(
    encoder: &mut DescriptorEncoder<'_>,
    queues: &[Shown<workqueue::WorkQueueMetrics>],
) -> fmt::Result {
    if queues.is_empty() {
        return Ok(());
    }
    for (name, help, value) in QUEUE_GAUGES {
        let samples = queues
            .iter()
            .map(|queue| (&queue.labels, value(&queue.metrics)));
        encode_gauges(encoder, name, help, samples)?;
    }
    for (name, help, value) in QUEUE_COUNTERS {
        let samples = queues
            .iter()
            .map(|queue| (&queue.labels, value(&queue.metrics)));
        encode_counters(encoder, name, help, samples)?;
    }
    let reasons = queues.iter().flat_map(|queue| {
        let reasons = queue.metrics.reasons.iter();
        reasons.map(|(reason, count)| (with(&queue.labels, "reason", reason), *count))
    });
    let help = "Items that workers took, by the reason of their first add.";
    encode_counters(encoder, "workqueue_reasons", help, reasons)?;
    for (name, help, value) in QUEUE_HISTOGRAMS {
        let samples = queues.iter();
        let samples =
            samples.map(|queue| (&queue.labels, Times::of_durations(value(&queue.metrics))));
        encode_histograms(encoder, name, help, samples)?;
    }
    Ok(())
}

pub(super) fn encode_shards(
    encoder: &mut DescriptorEncoder<'_>,
    groups: &[Shown<ShardsStatus>],
) -> fmt::Result {
    if groups.is_empty() {
        return Ok(());
    }
    for (name, help, value) in SHARDS_GAUGES {
        let samples = groups.iter();
        let samples = samples.map(|group| (&group.labels, value(&group.metrics)));
        encode_gauges(encoder, name, help, samples)?;
    }
    let moves = groups.iter().flat_map(|group| {
        let moves = SHARDS_MOVES.iter();
        moves.map(|(of, count)| (with(&group.labels, "move", of), count(&group.metrics)))
    });
    let help = "Slices that this replica gained, handed over, or lost with its lease.";
    encode_counters(encoder, "informer_shards_moves", help, moves)?;
    let (name, help) = (
        "informer_shards_hand_over_duration_seconds",
        "Time from a claim until keys are reconciled, or until a slice is released.",
    );
    let samples = groups.iter().map(|group| {
        let times = Times::of_durations(&group.metrics.hand_overs);
        (&group.labels, times)
    });
    encode_histograms(encoder, name, help, samples)
}

// === encoding ===

/// Histogram in the form in which it is encoded.
struct Times {
    sum: Duration,
    count: u64,
    /// Upper bounds in seconds, each with the number of durations between it and the previous
    /// bound.
    buckets: Vec<(f64, u64)>,
}

/// Returns these labels and another one.
fn with(labels: &Labels, name: &'static str, value: &str) -> Labels {
    let mut labels = labels.clone();
    labels.push((name, value.to_owned()));
    labels
}

fn encode_gauges(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    samples: impl Iterator<Item = (impl Borrow<Labels>, impl EncodeGaugeValue)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Gauge)?;
    for (labels, value) in samples {
        let mut gauge = family.encode_family(labels.borrow())?;
        gauge.encode_gauge(&value)?;
    }
    Ok(())
}

fn encode_counters(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    samples: impl Iterator<Item = (impl Borrow<Labels>, u64)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Counter)?;
    for (labels, value) in samples {
        let mut counter = family.encode_family(labels.borrow())?;
        counter.encode_counter::<NoLabelSet, u64, u64>(&value, None)?;
    }
    Ok(())
}

fn encode_histograms<'l>(
    encoder: &mut DescriptorEncoder<'_>,
    name: &str,
    help: &str,
    samples: impl Iterator<Item = (&'l Labels, Times)>,
) -> fmt::Result {
    let mut family = encoder.encode_descriptor(name, help, None, MetricType::Histogram)?;
    for (labels, times) in samples {
        let mut histogram = family.encode_family(labels)?;
        let sum = times.sum.as_secs_f64();
        histogram.encode_histogram::<NoLabelSet>(sum, times.count, &times.buckets, None)?;
    }
    Ok(())
}

// === impl Times ===

impl Times {
    fn of(times: &Histogram) -> Self {
        Self::new(times.buckets(), times.count(), times.sum())
    }

    fn of_durations(times: &workqueue::Durations) -> Self {
        Self::new(times.buckets(), times.count(), times.sum())
    }

    /// Creates a histogram. `cumulative` contains the number of durations up to each bound.
    fn new(cumulative: impl Iterator<Item = (Duration, u64)>, count: u64, sum: Duration) -> Self {
        let bounds = cumulative.map(|(bound, up_to)| (bound.as_secs_f64(), up_to));
        let mut previous = 0;
        let buckets = bounds.chain([(f64::INFINITY, count)]);
        let buckets = buckets.map(|(bound, up_to)| {
            let within = up_to.saturating_sub(std::mem::replace(&mut previous, up_to));
            (bound, within)
        });
        let buckets = buckets.collect();
        Self {
            sum,
            count,
            buckets,
        }
    }
}

// === impl Value ===

impl EncodeGaugeValue for Value {
    fn encode(&self, encoder: &mut GaugeValueEncoder<'_>) -> fmt::Result {
        match self {
            Self::Count(count) => number(*count).encode(encoder),
            Self::Seconds(time) => time.as_secs_f64().encode(encoder),
        }
    }
}

fn packed(metrics: &InformerMetrics, of: fn(&PackedMemory) -> usize) -> Option<u64> {
    metrics.packed.as_ref().map(of).map(number)
}

fn number(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}
