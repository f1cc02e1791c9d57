//! Figures: values computed from samples, and their range over the runs.

use crate::sample::{Phase, Sample};
use crate::world::World;

/// One figure of a peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    /// Name in docs/performance.csv.
    pub(crate) id: &'static str,
    /// Head of the column in the tables.
    pub(crate) name: &'static str,
    /// Number of decimals in the tables.
    pub(crate) decimals: usize,
    /// Reads the figure; returns `None` if the sample does not have it.
    read: fn(&Sample, &World) -> Option<f64>,
}

/// Figures that share a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) figures: &'static [Figure],
}

/// Median and range of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) most: f64,
}

pub(crate) const SYNC: Figure = figure("sync_seconds", "sync, s", 3, |sample, _| {
    Some(sample.sync.elapsed)
});
pub(crate) const SYNC_CPU: Figure = figure("sync_cpu_seconds", "CPU, s", 3, |sample, _| {
    Some(sample.sync.processor)
});
pub(crate) const RESIDENT: Figure = figure(
    "resident_kib_per_object",
    "resident per object, KiB",
    2,
    |sample, world| Some(kibibytes(sample.resident?) / count(world.objects)),
);
pub(crate) const RESIDENT_TOTAL: Figure =
    figure("resident_mib", "resident, MiB", 1, |sample, _| {
        Some(kibibytes(sample.resident?) / 1024.0)
    });
pub(crate) const SYNC_PEAK: Figure = figure(
    "peak_kib_per_object",
    "peak per object, KiB",
    2,
    |sample, world| Some(kibibytes(sample.sync_peak?) / count(world.objects)),
);
pub(crate) const RELIST: Figure = figure("relist_seconds", "relist, s", 3, |sample, _| {
    Some(sample.relist?.elapsed)
});
pub(crate) const EVENTS: Figure =
    figure("events_per_second", "events per s", 0, |sample, world| {
        Some(count(world.events) / sample.events?.elapsed)
    });
pub(crate) const EVENT_CPU: Figure = figure(
    "event_cpu_micros",
    "CPU per event, µs",
    1,
    |sample, world| Some(1e6 * sample.events?.processor / count(world.events)),
);
pub(crate) const RESIDENT_AFTER: Figure = figure(
    "resident_after_events_mib",
    "resident after the events, MiB",
    1,
    |sample, _| Some(kibibytes(sample.resident_after_events?) / 1024.0),
);
pub(crate) const LATENCY_P99: Figure =
    figure("latency_p99_ms", "latency p99, ms", 3, |sample, _| {
        Some(1e3 * sample.latency?.p99)
    });
pub(crate) const GET: Figure = figure("get_nanos", "get, ns", 0, |sample, _| {
    Some(1e9 / sample.reads?.gets)
});
pub(crate) const INDEX_LIST: Figure =
    figure("index_list_micros", "list by index, µs", 2, |sample, _| {
        Some(1e6 * sample.reads?.index_list?)
    });
pub(crate) const INDEX_VISIT: Figure = figure(
    "index_visit_micros",
    "visit by index, µs",
    2,
    |sample, _| Some(1e6 * sample.reads?.index_visit?),
);
pub(crate) const LABEL_LIST: Figure =
    figure("label_list_ms", "list by labels, ms", 3, |sample, _| {
        Some(1e3 * sample.reads?.selector_list?)
    });
pub(crate) const TASKS: Figure =
    figure("tasks", "tasks", 0, |sample, _| Some(to_f64(sample.tasks?)));
pub(crate) const CONNECTIONS: Figure = figure("connections", "connections", 0, |sample, _| {
    Some(to_f64(sample.connections?))
});
pub(crate) const HEAP: Figure = figure("heap_mib", "heap, MiB", 1, |sample, _| {
    Some(kibibytes(sample.heap?) / 1024.0)
});
pub(crate) const IDLE_WAKE_UPS: Figure = figure(
    "idle_wake_ups_per_minute",
    "wake-ups per idle minute",
    0,
    |sample, _| Some(60.0 * to_f64(sample.idle_wake_ups?) / sample.idle?.elapsed),
);
pub(crate) const IDLE_CPU: Figure = figure(
    "idle_cpu_ms_per_minute",
    "idle CPU, ms per minute",
    1,
    |sample, _| Some(60e3 * sample.idle?.processor / sample.idle?.elapsed),
);

/// Tables in order, with every figure of the page and of the CSV.
pub(crate) const GROUPS: [Group; 5] = [
    Group {
        name: "Sync",
        figures: &[
            SYNC,
            SYNC_CPU,
            RESIDENT,
            RESIDENT_TOTAL,
            SYNC_PEAK,
            figure(
                "sync_server_busy_percent",
                "server busy, %",
                0,
                |sample, _| Some(server_busy(sample.sync)),
            ),
        ],
    },
    Group {
        name: "Relist, nothing changed",
        figures: &[
            RELIST,
            figure("relist_cpu_seconds", "CPU, s", 3, |sample, _| {
                Some(sample.relist?.processor)
            }),
        ],
    },
    Group {
        name: "Watch events",
        figures: &[
            EVENTS,
            EVENT_CPU,
            RESIDENT_AFTER,
            figure(
                "events_server_busy_percent",
                "server busy, %",
                0,
                |sample, _| sample.events.map(server_busy),
            ),
            figure("latency_p50_ms", "latency p50, ms", 3, |sample, _| {
                Some(1e3 * sample.latency?.p50)
            }),
            LATENCY_P99,
        ],
    },
    Group {
        name: "Readers, while events arrive",
        figures: &[
            GET,
            figure("get_p99_micros", "get p99, µs", 2, |sample, _| {
                Some(1e6 * sample.reads?.get.p99)
            }),
            INDEX_LIST,
            INDEX_VISIT,
            LABEL_LIST,
        ],
    },
    Group {
        name: "Many types",
        figures: &[HEAP, TASKS, CONNECTIONS, IDLE_WAKE_UPS, IDLE_CPU],
    },
];

const fn figure(
    id: &'static str,
    name: &'static str,
    decimals: usize,
    read: fn(&Sample, &World) -> Option<f64>,
) -> Figure {
    Figure {
        id,
        name,
        decimals,
        read,
    }
}

/// Returns the processor time of the server in percent of the elapsed time. If it is near 100, the
/// figures of the phase are those of the server.
fn server_busy(phase: Phase) -> f64 {
    100.0 * phase.server / phase.elapsed
}

fn kibibytes(bytes: u64) -> f64 {
    to_f64(bytes) / 1024.0
}

pub(crate) fn count(number: usize) -> f64 {
    to_f64(number as u64)
}

#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn to_f64(number: u64) -> f64 {
    number as f64
}

// === impl Spread ===

impl Spread {
    /// Returns the ratio of the medians, with the least and the greatest ratio of all runs.
    pub(crate) fn over(&self, other: &Self) -> Self {
        Self {
            least: self.least / other.most,
            median: self.median / other.median,
            most: self.most / other.least,
        }
    }
}

// === impl Figure ===

impl Figure {
    /// Returns all figures, in the order of the tables.
    pub(crate) fn all() -> impl Iterator<Item = Self> {
        GROUPS
            .iter()
            .flat_map(|group| group.figures.iter().copied())
    }

    /// Computes the figure for all samples of one peer. Returns `None` if no sample has it.
    pub(crate) fn spread(&self, samples: &[Sample], world: &World) -> Option<Spread> {
        let mut values: Vec<f64> = samples
            .iter()
            .filter_map(|sample| (self.read)(sample, world))
            .collect();
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let middle = values.len() / 2;
        let upper = *values.get(middle)?;
        let median = match values.get(middle.wrapping_sub(1)) {
            Some(lower) if values.len().is_multiple_of(2) => f64::midpoint(*lower, upper),
            _ => upper,
        };
        Some(Spread {
            least: *values.first()?,
            median,
            most: *values.last()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::world::Kind;

    #[test]
    fn the_middle_one_counts_or_the_mean_of_the_middle_two() {
        let world = World {
            kind: Kind::Uniform,
            objects: 1,
            events: 1,
        };
        let spread = |times: &[f64]| {
            let samples: Vec<Sample> = times
                .iter()
                .map(|&elapsed| {
                    let mut sample = Sample::default();
                    sample.sync.elapsed = elapsed;
                    sample
                })
                .collect();
            let spread = SYNC.spread(&samples, &world)?;
            Some((spread.least, spread.median, spread.most))
        };
        assert_eq!(spread(&[]), None);
        assert_eq!(spread(&[3.0, 1.0, 9.0]), Some((1.0, 3.0, 9.0)));
        assert_eq!(spread(&[4.0, 1.0, 2.0, 9.0]), Some((1.0, 3.0, 9.0)));
    }
}
