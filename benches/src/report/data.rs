//! Figures of all peers in one world, and docs/performance.csv, which has those of one run of the
//! benchmark. The measured parts of docs/performance.md and README.md are rendered from it.

use csv::{ReaderBuilder, WriterBuilder};
use indexmap::IndexMap;
use serde::{Deserialize, Serialize};

use crate::Result;
use crate::peers::Peer;
use crate::sample::{Phase, Sample};
use crate::world::World;

const HEADER: &str = "world,objects,events,runs,peer,figure,median,least,most";

const MIB: f64 = 1024.0 * 1024.0;

/// Figures of one run, with the conditions of the measurement.
#[derive(Debug, Default)]
pub(super) struct Data {
    /// One line of Markdown: versions, machine, missing peers.
    pub(super) conditions: String,
    pub(super) blocks: Vec<Block>,
}

/// Figures of all peers in one world.
#[derive(Debug, Clone)]
pub(crate) struct Block {
    pub(crate) world: World,
    /// Number of runs of each peer.
    pub(crate) runs: usize,
    pub(super) figures: Vec<Figure>,
}

/// Figure of one peer.
#[derive(Debug, Clone)]
pub(super) struct Figure {
    /// Name of the peer.
    pub(super) peer: String,
    pub(super) id: String,
    pub(super) spread: Spread,
}

/// Line of docs/performance.csv.
type Row = (World, usize, String, String, Spread);

/// Median and range of the runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub(super) struct Spread {
    pub(super) median: f64,
    pub(super) least: f64,
    pub(super) most: f64,
}

// === impl Block ===

impl Block {
    pub(crate) fn new(world: World, runs: usize, samples: &[(Peer, Vec<Sample>)]) -> Self {
        let mut values: IndexMap<(&str, &str), Vec<f64>> = IndexMap::new();
        for (peer, samples) in samples {
            for sample in samples {
                for (id, value) in measured(sample, &world) {
                    values.entry((peer.name, id)).or_default().extend(value);
                }
            }
        }
        let mut figures = Vec::new();
        for ((peer, id), values) in values {
            if let Some(spread) = Spread::of(values) {
                figures.push(Figure {
                    peer: peer.to_owned(),
                    id: id.to_owned(),
                    spread,
                });
            }
        }
        Self {
            world,
            runs,
            figures,
        }
    }

    /// Reports whether the peer of this name has the figure `id`.
    pub(super) fn has(&self, peer: &str, id: &str) -> bool {
        self.spread(peer, id).is_some()
    }

    /// Returns the figure `id` of the peer of this name, if it was measured.
    pub(super) fn spread(&self, peer: &str, id: &str) -> Option<Spread> {
        let figure = self
            .figures
            .iter()
            .find(|figure| figure.peer == peer && figure.id == id)?;
        Some(figure.spread)
    }
}

/// Returns the figures of a sample by their ids. `None` was not measured.
#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn measured(sample: &Sample, world: &World) -> [(&'static str, Option<f64>); 29] {
    let sync = sample.sync;
    let relist = sample.relist;
    let phase = sample.events;
    let latency = sample.latency;
    let idle = sample.idle;
    let reads = sample.reads.unwrap_or_default();
    let kib_of_all = 1024.0 * world.objects as f64;
    let events = world.events as f64;
    // Without an idle period there are no figures: they are not finite.
    let minutes = idle.map_or(f64::NAN, |idle| idle.elapsed / 60.0);
    let event_cpu = phase.map(|it| it.processor / events);
    let idle_cpu = idle.map(|it| it.processor / minutes);
    let per = |unit: f64, count: Option<u64>| Some(count? as f64 / unit);
    let times = |unit: f64, seconds: Option<f64>| Some(unit * seconds?);
    // If it is near 100, the figures of the phase are those of the server.
    let busy = |phase: Phase| 100.0 * phase.server / phase.elapsed;
    let peak = sample.sync_peak.zip(sample.resident);
    let peak_ratio = peak.map(|(peak, steady)| peak as f64 / steady as f64);
    let after_events = sample.resident_after_events;
    let wake_ups = sample.idle_wake_ups;
    [
        ("sync_seconds", Some(sync.elapsed)),
        ("sync_cpu_seconds", Some(sync.processor)),
        ("sync_server_busy_percent", Some(busy(sync))),
        ("relist_seconds", relist.map(|it| it.elapsed)),
        ("relist_cpu_seconds", relist.map(|it| it.processor)),
        ("events_per_second", phase.map(|it| events / it.elapsed)),
        ("event_cpu_micros", times(1e6, event_cpu)),
        ("events_server_busy_percent", phase.map(busy)),
        ("latency_p50_ms", latency.map(|it| 1e3 * it.p50)),
        ("latency_p99_ms", latency.map(|it| 1e3 * it.p99)),
        ("get_nanos", times(1e9, reads.get)),
        ("get_field_nanos", times(1e9, reads.get_field)),
        ("borrow_nanos", times(1e9, reads.borrow)),
        ("get_of_two_nanos", times(1e9, reads.gets_of_two)),
        ("index_list_micros", times(1e6, reads.index_list)),
        ("index_visit_micros", times(1e6, reads.index_visit)),
        ("label_scan_ms", times(1e3, reads.selector_list)),
        ("label_index_micros", times(1e6, reads.label_list)),
        ("resident_kib_per_object", per(kib_of_all, sample.resident)),
        ("resident_mib", per(MIB, sample.resident)),
        ("peak_kib_per_object", per(kib_of_all, sample.sync_peak)),
        ("peak_mib", per(MIB, sample.sync_peak)),
        ("peak_ratio", peak_ratio),
        ("resident_after_events_mib", per(MIB, after_events)),
        ("heap_mib", per(MIB, sample.heap)),
        ("tasks", per(1.0, sample.tasks)),
        ("connections", per(1.0, sample.connections)),
        ("idle_wake_ups_per_minute", per(minutes, wake_ups)),
        ("idle_cpu_ms_per_minute", times(1e3, idle_cpu)),
    ]
}

// === impl Spread ===

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        for value in &mut values {
            // Six significant digits.
            *value = format!("{value:.5e}").parse().ok()?;
        }
        let least = values.first()?;
        let most = values.last()?;
        let below = values.get((values.len() - 1) / 2)?;
        let above = values.get(values.len() / 2)?;
        Some(Self {
            median: f64::midpoint(*below, *above),
            least: *least,
            most: *most,
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

// === impl Data ===

impl Data {
    pub(super) fn to_csv(&self) -> Result<String> {
        let head = format!("# {}\n{HEADER}\n", self.conditions);
        let mut writer = WriterBuilder::new()
            .has_headers(false)
            .from_writer(head.into_bytes());
        for block in &self.blocks {
            for Figure { peer, id, spread } in &block.figures {
                writer.serialize((block.world, block.runs, peer, id, spread))?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// Parses what [`to_csv`](Self::to_csv) wrote.
    pub(super) fn from_csv(text: &str) -> Result<Self> {
        let conditions = text
            .lines()
            .next()
            .and_then(|line| line.strip_prefix("# "))
            .ok_or("line 1: not a comment")?
            .to_owned();
        let mut figures_of: IndexMap<_, Vec<_>> = IndexMap::new();
        let mut reader = ReaderBuilder::new()
            .comment(Some(b'#'))
            .from_reader(text.as_bytes());
        for record in reader.records() {
            // Without the header: it names the fields of the parts of a row.
            let (world, runs, peer, id, spread): Row = record?.deserialize(None)?;
            figures_of
                .entry((world, runs))
                .or_default()
                .push(Figure { peer, id, spread });
        }
        let blocks = figures_of
            .into_iter()
            .map(|((world, runs), figures)| Block {
                world,
                runs,
                figures,
            })
            .collect();
        Ok(Self { conditions, blocks })
    }
}
