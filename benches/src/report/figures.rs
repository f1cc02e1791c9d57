//! Figures: values computed from samples, and their range over the runs.

use crate::sample::{Phase, Sample};
use crate::world::World;

/// All figures, in the order of the CSV: name there, name on a terminal, decimals in the tables.
pub(super) const FIGURES: [(&str, &str, usize); 24] = [
    ("sync_seconds", "sync, s", 3),
    ("sync_cpu_seconds", "sync CPU, s", 3),
    ("resident_kib_per_object", "resident per object, KiB", 2),
    ("resident_mib", "resident, MiB", 1),
    ("peak_kib_per_object", "peak per object, KiB", 2),
    ("sync_server_busy_percent", "server busy in sync, %", 0),
    ("relist_seconds", "relist, s", 3),
    ("relist_cpu_seconds", "relist CPU, s", 3),
    ("events_per_second", "events per s", 0),
    ("event_cpu_micros", "CPU per event, µs", 1),
    (
        "resident_after_events_mib",
        "resident after the events, MiB",
        1,
    ),
    ("events_server_busy_percent", "server busy in events, %", 0),
    ("latency_p50_ms", "latency p50, ms", 3),
    ("latency_p99_ms", "latency p99, ms", 3),
    ("get_nanos", "get, ns", 0),
    ("get_p99_micros", "get p99, µs", 2),
    ("index_list_micros", "list by index, µs", 2),
    ("index_visit_micros", "visit by index, µs", 2),
    ("label_list_ms", "list by labels, ms", 3),
    ("heap_mib", "heap, MiB", 1),
    ("tasks", "tasks", 0),
    ("connections", "connections", 0),
    ("idle_wake_ups_per_minute", "wake-ups per idle minute", 0),
    ("idle_cpu_ms_per_minute", "idle CPU, ms per minute", 1),
];

/// Returns a figure of a sample; `None` if the sample does not have it.
fn read(id: &str, s: &Sample, world: &World) -> Option<f64> {
    let (objects, events) = (to_f64(world.objects as u64), to_f64(world.events as u64));
    Some(match id {
        "sync_seconds" => s.sync.elapsed,
        "sync_cpu_seconds" => s.sync.processor,
        "resident_kib_per_object" => to_f64(s.resident?) / 1024.0 / objects,
        "resident_mib" => mebibytes(s.resident?),
        "peak_kib_per_object" => to_f64(s.sync_peak?) / 1024.0 / objects,
        "sync_server_busy_percent" => busy(s.sync),
        "relist_seconds" => s.relist?.elapsed,
        "relist_cpu_seconds" => s.relist?.processor,
        "events_per_second" => events / s.events?.elapsed,
        "event_cpu_micros" => 1e6 * s.events?.processor / events,
        "resident_after_events_mib" => mebibytes(s.resident_after_events?),
        "events_server_busy_percent" => busy(s.events?),
        "latency_p50_ms" => 1e3 * s.latency?.p50,
        "latency_p99_ms" => 1e3 * s.latency?.p99,
        "get_nanos" => 1e9 / s.reads?.gets,
        "get_p99_micros" => 1e6 * s.reads?.get.p99,
        "index_list_micros" => 1e6 * s.reads?.index_list?,
        "index_visit_micros" => 1e6 * s.reads?.index_visit?,
        "label_list_ms" => 1e3 * s.reads?.selector_list?,
        "heap_mib" => mebibytes(s.heap?),
        "tasks" => to_f64(s.tasks?),
        "connections" => to_f64(s.connections?),
        "idle_wake_ups_per_minute" => 60.0 * to_f64(s.idle_wake_ups?) / s.idle?.elapsed,
        "idle_cpu_ms_per_minute" => 60e3 * s.idle?.processor / s.idle?.elapsed,
        _ => return None,
    })
}

/// Returns the processor time of the server in percent of the elapsed time. If it is near 100, the
/// figures of the phase are those of the server.
fn busy(phase: Phase) -> f64 {
    100.0 * phase.server / phase.elapsed
}

fn mebibytes(bytes: u64) -> f64 {
    to_f64(bytes) / f64::from(1 << 20)
}

#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

/// Median and range of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

// === impl Spread ===

impl Spread {
    /// Computes a figure for all samples of one peer. Returns `None` if no sample has it.
    pub(super) fn of(id: &str, samples: &[Sample], world: &World) -> Option<Self> {
        let values = samples.iter().filter_map(|sample| read(id, sample, world));
        let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
        values.sort_by(f64::total_cmp);
        let (least, most) = (*values.first()?, *values.last()?);
        let at = |at: usize| values.get(at).copied().unwrap_or_default();
        let median = f64::midpoint(at((values.len() - 1) / 2), at(values.len() / 2));
        Some(Self {
            median,
            least,
            most,
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
