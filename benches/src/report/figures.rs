//! Figures: values computed from samples, and their range over the runs.

use crate::sample::{Phase, Sample};
use crate::world::World;

/// Median and range of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

/// Returns the figures of one peer in the order of the CSV, without those that no sample has.
pub(super) fn figures(samples: &[Sample], world: &World) -> Vec<(&'static str, Spread)> {
    let of_samples: Vec<_> = samples
        .iter()
        .map(|sample| of_sample(sample, world))
        .collect();
    let ids = of_samples.first().into_iter().flatten().map(|(id, _)| *id);
    let figure = |(at, id): (usize, &'static str)| {
        let values = of_samples.iter().filter_map(|sample| sample.get(at)?.1);
        Some((
            id,
            Spread::of(values.filter(|value| value.is_finite()).collect())?,
        ))
    };
    ids.enumerate().filter_map(figure).collect()
}

/// Returns all figures of a sample; `None` for those that it does not have.
fn of_sample(s: &Sample, world: &World) -> [(&'static str, Option<f64>); 24] {
    let (objects, events) = (to_f64(world.objects as u64), to_f64(world.events as u64));
    let mebibytes = |bytes: Option<u64>| bytes.map(|bytes| to_f64(bytes) / f64::from(1 << 20));
    let per_object = |bytes: Option<u64>| bytes.map(|bytes| to_f64(bytes) / 1024.0 / objects);
    let minutes = s.idle.map(|idle| idle.elapsed / 60.0);
    let (latency, reads) = (s.latency, s.reads);
    let micros = |seconds: Option<f64>| seconds.map(|seconds| 1e6 * seconds);
    [
        ("sync_seconds", Some(s.sync.elapsed)),
        ("sync_cpu_seconds", Some(s.sync.processor)),
        ("resident_kib_per_object", per_object(s.resident)),
        ("resident_mib", mebibytes(s.resident)),
        ("peak_kib_per_object", per_object(s.sync_peak)),
        ("sync_server_busy_percent", Some(busy(s.sync))),
        ("relist_seconds", s.relist.map(|it| it.elapsed)),
        ("relist_cpu_seconds", s.relist.map(|it| it.processor)),
        ("events_per_second", s.events.map(|it| events / it.elapsed)),
        (
            "event_cpu_micros",
            micros(s.events.map(|it| it.processor / events)),
        ),
        (
            "resident_after_events_mib",
            mebibytes(s.resident_after_events),
        ),
        ("events_server_busy_percent", s.events.map(busy)),
        ("latency_p50_ms", latency.map(|it| 1e3 * it.p50)),
        ("latency_p99_ms", latency.map(|it| 1e3 * it.p99)),
        ("get_nanos", reads.map(|it| 1e9 / it.gets)),
        ("get_p99_micros", micros(reads.map(|it| it.get.p99))),
        (
            "index_list_micros",
            micros(reads.and_then(|it| it.index_list)),
        ),
        (
            "index_visit_micros",
            micros(reads.and_then(|it| it.index_visit)),
        ),
        (
            "label_list_ms",
            reads.and_then(|it| Some(1e3 * it.selector_list?)),
        ),
        ("heap_mib", mebibytes(s.heap)),
        ("tasks", s.tasks.map(to_f64)),
        ("connections", s.connections.map(to_f64)),
        (
            "idle_wake_ups_per_minute",
            s.idle_wake_ups
                .zip(minutes)
                .map(|(n, minutes)| to_f64(n) / minutes),
        ),
        (
            "idle_cpu_ms_per_minute",
            s.idle
                .zip(minutes)
                .map(|(idle, minutes)| 1e3 * idle.processor / minutes),
        ),
    ]
}

/// Returns the processor time of the server in percent of the elapsed time. If it is near 100, the
/// figures of the phase are those of the server.
fn busy(phase: Phase) -> f64 {
    100.0 * phase.server / phase.elapsed
}

#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

// === impl Spread ===

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let at = |at: usize| values.get(at).copied();
        Some(Self {
            median: f64::midpoint(at(values.len().checked_sub(1)? / 2)?, at(values.len() / 2)?),
            least: *values.first()?,
            most: *values.last()?,
        })
    }

    /// Returns the ratio of the medians, with the least and the greatest ratio of all runs.
    pub(super) fn over(&self, other: &Self) -> Self {
        Self {
            median: self.median / other.median,
            least: self.least / other.most,
            most: self.most / other.least,
        }
    }
}
