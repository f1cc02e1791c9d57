//! Figures: values computed from samples, and their range over the runs.

use crate::sample::Sample;

/// One figure of a peer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Figure {
    /// Name in docs/performance.csv.
    pub(crate) id: &'static str,
    /// Head of the column in the tables.
    pub(crate) name: &'static str,
    /// Number of decimals in the tables.
    pub(crate) decimals: usize,
    /// `true` if peers are compared by this figure.
    pub(crate) is_compared: bool,
    /// Reads the figure; returns NaN or an infinity if the sample does not have it.
    read: fn(&Sample, &World) -> f64,
}

/// Figures that share a table.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Group {
    pub(crate) name: &'static str,
    pub(crate) figures: &'static [Figure],
}

/// Size of the measured world.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct World {
    pub(crate) objects: usize,
    pub(crate) events: usize,
}

/// Median and range of the runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Spread {
    pub(crate) least: f64,
    pub(crate) median: f64,
    pub(crate) most: f64,
}

pub(crate) const SYNC: Figure = figure("sync_seconds", "sync, s", 3, |sample, _| {
    sample.sync.elapsed
});
pub(crate) const SYNC_PER_OBJECT: Figure = figure(
    "sync_micros_per_object",
    "sync per object, µs",
    1,
    |sample, world| 1e6 * sample.sync.elapsed / count(world.objects),
);
pub(crate) const RESIDENT: Figure = figure(
    "resident_kib_per_object",
    "resident per object, KiB",
    2,
    |sample, world| kibibytes(sample.resident) / count(world.objects),
);
pub(crate) const SYNC_PEAK: Figure = figure(
    "peak_kib_per_object",
    "peak per object, KiB",
    2,
    |sample, world| kibibytes(sample.sync_peak) / count(world.objects),
);
pub(crate) const RELIST: Figure = figure("relist_seconds", "relist, s", 3, |sample, _| {
    sample.relist.elapsed
});
pub(crate) const RELIST_PEAK: Figure = figure(
    "relist_peak_kib_per_object",
    "peak so far per object, KiB",
    2,
    |sample, world| kibibytes(sample.relist_peak) / count(world.objects),
);
pub(crate) const EVENTS: Figure =
    figure("events_per_second", "events per s", 0, |sample, world| {
        count(world.events) / sample.events.elapsed
    });
pub(crate) const EVENT_CPU: Figure = figure(
    "event_cpu_micros",
    "CPU per event, µs",
    1,
    |sample, world| 1e6 * sample.events.processor / count(world.events),
);
pub(crate) const GET_P50: Figure = figure("get_p50_micros", "get p50, µs", 2, |sample, _| {
    1e6 * sample.reads.get.p50
});
pub(crate) const GET_P99: Figure = figure("get_p99_micros", "get p99, µs", 2, |sample, _| {
    1e6 * sample.reads.get.p99
});
pub(crate) const LATENCY_P99: Figure =
    figure("latency_p99_ms", "latency p99, ms", 3, |sample, _| {
        1e3 * sample.latency.p99
    });
pub(crate) const GETS: Figure = figure(
    "gets_per_second",
    "gets per s, one thread",
    0,
    |sample, _| sample.reads.one_thread,
);
pub(crate) const INDEX_LIST: Figure =
    figure("index_list_micros", "list by index, µs", 2, |sample, _| {
        sample
            .reads
            .index_list
            .map_or(f64::NAN, |seconds| 1e6 * seconds)
    });
pub(crate) const LABEL_LIST: Figure =
    figure("label_list_ms", "list by labels, ms", 3, |sample, _| {
        1e3 * sample.reads.selector_list
    });

/// Tables in order, with every figure of the page and of the CSV.
pub(crate) const GROUPS: [Group; 4] = [
    Group {
        name: "Sync",
        figures: &[
            SYNC,
            SYNC_PER_OBJECT,
            figure("sync_cpu_seconds", "CPU, s", 3, |sample, _| {
                sample.sync.processor
            }),
            RESIDENT,
            SYNC_PEAK,
            of_server("sync_server_busy_percent", "server busy, %", |sample, _| {
                100.0 * sample.sync.server / sample.sync.elapsed
            }),
        ],
    },
    Group {
        name: "Relist, nothing changed",
        figures: &[
            RELIST,
            figure("relist_cpu_seconds", "CPU, s", 3, |sample, _| {
                sample.relist.processor
            }),
            of_server("relist_objects_shown", "objects shown", |sample, _| {
                to_f64(sample.relist_notifications)
            }),
            RELIST_PEAK,
            of_server(
                "relist_server_busy_percent",
                "server busy, %",
                |sample, _| 100.0 * sample.relist.server / sample.relist.elapsed,
            ),
        ],
    },
    Group {
        name: "Watch events",
        figures: &[
            EVENTS,
            EVENT_CPU,
            of_server(
                "events_server_busy_percent",
                "server busy, %",
                |sample, _| 100.0 * sample.events.server / sample.events.elapsed,
            ),
            figure("latency_p50_ms", "latency p50, ms", 3, |sample, _| {
                1e3 * sample.latency.p50
            }),
            LATENCY_P99,
        ],
    },
    Group {
        name: "Readers, while events arrive",
        figures: &[
            GETS,
            figure(
                "gets_per_second_two_threads",
                "gets per s, two threads",
                0,
                |sample, _| sample.reads.two_threads,
            ),
            GET_P50,
            GET_P99,
            INDEX_LIST,
            LABEL_LIST,
        ],
    },
];

const fn figure(
    id: &'static str,
    name: &'static str,
    decimals: usize,
    read: fn(&Sample, &World) -> f64,
) -> Figure {
    Figure {
        id,
        name,
        decimals,
        is_compared: true,
        read,
    }
}

const fn of_server(
    id: &'static str,
    name: &'static str,
    read: fn(&Sample, &World) -> f64,
) -> Figure {
    Figure {
        is_compared: false,
        ..figure(id, name, 0, read)
    }
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
            .map(|sample| (self.read)(sample, world))
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

    #[test]
    fn the_middle_one_counts_or_the_mean_of_the_middle_two() {
        let world = World {
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
