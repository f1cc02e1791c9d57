//! Metric families: the sources of their values. `families.txt` has their names and help texts.
//!
//! Names are those of client-go and Kubernetes where the meaning is the same.

use std::fmt;
use std::time::Duration;

use prometheus_client::encoding::{DescriptorEncoder, NoLabelSet};
use prometheus_client::metrics::MetricType;

use crate::shards::ShardsStatus;
use crate::status::{HandlerStats, Histogram, InformerMetrics, Reason, Requests};
use crate::storage::PackedMemory;
use crate::workqueue::{Durations, WorkQueueMetrics};

/// Families in the order of a page. A row has the type, the name and the help text of a family.
const FAMILIES: &str = include_str!("families.txt");

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
pub(super) trait Measured {
    /// Returns the samples of a family, or `None` if other measurements have the family.
    fn samples(&self, family: &str) -> Option<Samples>;
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

/// Encodes the families that the measurements have. Without measurements, none is encoded.
pub(super) fn encode<M: Measured>(
    encoder: &mut DescriptorEncoder<'_>,
    shown: &[Shown<M>],
) -> fmt::Result {
    for (kind, name, help) in families() {
        let samples = shown.iter().filter_map(|Shown { labels, metrics }| {
            let samples = metrics.samples(name)?;
            Some((labels, samples))
        });
        let mut samples = samples.peekable();
        if samples.peek().is_none() {
            continue;
        }
        let mut family = encoder.encode_descriptor(name, help, None, kind)?;
        for (labels, samples) in samples {
            for (more, value) in samples {
                let labels: Labels = labels.iter().cloned().chain(more).collect();
                let mut sample = family.encode_family(&labels)?;
                match value {
                    Value::Count(count) if matches!(kind, MetricType::Counter) => {
                        sample.encode_counter::<NoLabelSet, u64, u64>(&count, None)?;
                    }
                    Value::Count(count) => sample.encode_gauge(&count)?,
                    Value::Seconds(seconds) => sample.encode_gauge(&seconds)?,
                    Value::Times(times) => {
                        let sum = times.sum.as_secs_f64();
                        let (count, buckets) = (times.count, &times.buckets);
                        sample.encode_histogram::<NoLabelSet>(sum, count, buckets, None)?;
                    }
                }
            }
        }
    }
    Ok(())
}

/// Returns type, name and help text of each family.
fn families() -> impl Iterator<Item = (MetricType, &'static str, &'static str)> {
    FAMILIES.lines().filter_map(|row| {
        let (kind, row) = row.split_once(' ')?;
        let (name, help) = row.split_once(' ')?;
        let kind = match kind {
            "gauge" => MetricType::Gauge,
            "counter" => MetricType::Counter,
            _ => MetricType::Histogram,
        };
        Some((kind, name, help))
    })
}

/// Returns the measurements of the handlers of all informers.
pub(super) fn handlers(informers: &[Shown<InformerMetrics>]) -> Vec<Shown<HandlerStats>> {
    let handlers = informers.iter().flat_map(|Shown { labels, metrics }| {
        metrics.handlers.iter().map(move |handler| {
            let mut labels = labels.clone();
            labels.push(("handler", handler.name.clone()));
            labels.push(("handler_id", handler.id.to_string()));
            let metrics = handler.stats;
            Shown { labels, metrics }
        })
    });
    handlers.collect()
}

// === impl Measured ===

impl Measured for InformerMetrics {
    fn samples(&self, family: &str) -> Option<Samples> {
        let packed = |of: fn(&PackedMemory) -> usize| {
            let bytes = self.packed.as_ref().map(of);
            bytes.map_or_else(Vec::new, number)
        };
        let lists = [
            ("list", &self.list_attempts),
            ("watch_list", &self.streaming_list_attempts),
        ];
        let watches = [("", &self.watch_attempts)];
        Some(match family {
            "informer_queued_items" => number(self.queued_deltas),
            "informer_queued_bytes" => number(self.queued_bytes),
            "informer_objects" => number(self.objects),
            "informer_retained_objects" => number(self.retained_objects),
            "informer_undecodable_objects" => number(self.undecodable),
            "informer_synced" => count(u64::from(self.is_synced)),
            "informer_store_resource_version" => {
                self.store_resource_version.map_or_else(Vec::new, count)
            }
            "informer_packed_bytes" => packed(PackedMemory::total),
            "informer_packed_object_bytes" => packed(|memory| memory.packed_bytes),
            "informer_packed_unpacked_bytes" => packed(|memory| memory.unpacked_bytes),
            "informer_packed_dictionary_bytes" => {
                packed(|memory| memory.dictionary_bytes + memory.sample_bytes)
            }
            "informer_packed_decoded_bytes" => packed(|memory| memory.decoded_bytes),
            "informer_evicted_objects" => packed(|memory| memory.evicted),
            "informer_state" => {
                let states = STATES.map(|state| (state, u64::from(self.state == state)));
                by("state", states)
            }
            "informer_events" => count(self.events),
            "informer_bookmarks" => count(self.bookmarks),
            "informer_batches" => count(self.batches),
            "informer_notifications" => count(self.notifications),
            "informer_store_failures" => count(self.store_failures),
            "informer_decoded_objects" => count(self.decoded_objects),
            "informer_unchanged_objects" => count(self.unchanged_objects),
            "informer_decode_failures" => count(self.undecodable_objects),
            "informer_rejected_objects" => count(self.rejected_objects),
            "informer_object_bytes" => count(self.object_bytes),
            "reflector_list_pages" => count(self.list_requests),
            "reflector_watch_requests" => count(self.watch_requests),
            "reflector_completed_lists" => count(self.lists),
            "reflector_failures" => count(self.failures),
            "informer_processing_latency_seconds" => histogram(&self.processing_latency),
            "informer_publish_latency_seconds" => histogram(&self.publish_latency),
            "informer_delivery_latency_seconds" => histogram(&self.delivery_latency),
            "reflector_list_duration_seconds" => histogram(&self.list_duration),
            "informer_load_duration_seconds" => histogram(&self.load_duration),
            "reflector_lists" => requests(&lists, "reason", Requests::began),
            "reflector_list_outcomes" => requests(&lists, "outcome", Requests::ended),
            "reflector_watches" => requests(&watches, "reason", Requests::began),
            "reflector_watch_outcomes" => requests(&watches, "outcome", Requests::ended),
            _ => return None,
        })
    }
}

impl Measured for HandlerStats {
    fn samples(&self, family: &str) -> Option<Samples> {
        Some(match family {
            "informer_handler_pending" => number(self.pending),
            "informer_handler_pending_bytes" => number(self.pending_bytes),
            "informer_handler_duration_max_seconds" => seconds(self.calls.max()),
            "informer_handler_delivered" => count(self.delivered),
            "informer_handler_coalesced" => count(self.coalesced),
            "informer_handler_panics" => count(self.panics),
            "informer_handler_skipped_resyncs" => count(self.resyncs_skipped),
            "informer_handler_duration_seconds" => histogram(&self.calls),
            _ => return None,
        })
    }
}

impl Measured for WorkQueueMetrics {
    fn samples(&self, family: &str) -> Option<Samples> {
        Some(match family {
            "workqueue_depth" => number(self.depth),
            "workqueue_delayed" => number(self.delayed),
            "workqueue_unfinished_work_seconds" => seconds(self.unfinished),
            "workqueue_longest_running_processor_seconds" => seconds(self.longest_running),
            "workqueue_adds" => count(self.adds),
            "workqueue_retries" => count(self.retries),
            "workqueue_failures" => count(self.failures),
            "workqueue_panics" => count(self.panics),
            "workqueue_put_back" => count(self.put_back),
            "workqueue_reasons" => {
                let reasons = self.reasons.iter();
                by("reason", reasons.map(|(reason, count)| (*reason, *count)))
            }
            "workqueue_queue_duration_seconds" => durations(&self.latency),
            "workqueue_work_duration_seconds" => durations(&self.work_duration),
            _ => return None,
        })
    }
}

impl Measured for ShardsStatus {
    fn samples(&self, family: &str) -> Option<Samples> {
        let moves = [
            ("gained", self.gained),
            ("released", self.released),
            ("lost", self.lost),
        ];
        let free = self.holders.iter().filter(|one| one.is_none());
        Some(match family {
            "informer_shards_owned_slices" => number(self.owned.len()),
            "informer_shards_free_slices" => number(free.count()),
            "informer_shards_replicas" => number(self.replicas.len()),
            "informer_shards_overdue_slices" => number(self.overdue.len()),
            "informer_shards_blocked" => count(u64::from(self.is_blocked)),
            "informer_shards_moves" => by("move", moves),
            "informer_shards_hand_over_duration_seconds" => durations(&self.hand_overs),
            _ => return None,
        })
    }
}

// --- samples ---

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

fn histogram(times: &Histogram) -> Samples {
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
    let counts = counts.into_iter();
    let samples = counts.map(|(value, count)| {
        let labels = vec![(label, value.to_owned())];
        (labels, Value::Count(count))
    });
    samples.collect()
}

/// Returns the numbers of requests by `label`, without zeros. Each counter comes after the value of
/// its label `mode`, which is empty for no label.
fn requests(
    modes: &[(&str, &Requests)],
    label: &'static str,
    number: fn(&Requests, Reason) -> u64,
) -> Samples {
    let samples = modes.iter().flat_map(|(mode, requests)| {
        let numbers = Reason::ALL.map(|reason| (reason, number(requests, reason)));
        let numbers = numbers.into_iter().filter(|(_, number)| *number > 0);
        numbers.map(move |(reason, number)| {
            let mode = Some(("mode", (*mode).to_owned())).filter(|(_, mode)| !mode.is_empty());
            let labels = mode.into_iter().chain([(label, reason.to_string())]);
            (labels.collect::<Labels>(), Value::Count(number))
        })
    });
    samples.collect()
}

// === impl Times ===

impl Times {
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
