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
    /// Name of the peer, id of the figure, and the figure.
    pub(super) figures: Vec<(String, String, Spread)>,
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
        let mut figures = Vec::new();
        for (peer, samples) in samples {
            let mut values: IndexMap<&str, Vec<f64>> = IndexMap::new();
            for (id, value) in samples.iter().flat_map(|sample| of_sample(sample, &world)) {
                values.entry(id).or_default().push(value);
            }
            let spreads = values
                .into_iter()
                .filter_map(|(id, values)| Some((id, Spread::of(values)?)));
            figures
                .extend(spreads.map(|(id, spread)| (peer.name.to_owned(), id.to_owned(), spread)));
        }
        Self {
            world,
            runs,
            figures,
        }
    }

    /// Returns the figure `id` of the peer of this name, if it was measured.
    pub(super) fn spread(&self, peer: &str, id: &str) -> Option<Spread> {
        let mut figures = self.figures.iter();
        let (_, _, spread) = figures.find(|figure| figure.0 == peer && figure.1 == id)?;
        Some(*spread)
    }
}

/// Returns the figures of a sample, without those that the sample does not have.
#[expect(clippy::cast_precision_loss, reason = "shown with four digits at most")]
fn of_sample(sample: &Sample, world: &World) -> Vec<(&'static str, f64)> {
    let (objects, events) = (world.objects as f64, world.events as f64);
    let mut figures = vec![
        ("sync_seconds", sample.sync.elapsed),
        ("sync_cpu_seconds", sample.sync.processor),
        ("sync_server_busy_percent", busy(sample.sync)),
    ];
    if let Some(relist) = sample.relist {
        figures.push(("relist_seconds", relist.elapsed));
        figures.push(("relist_cpu_seconds", relist.processor));
    }
    if let Some(phase) = sample.events {
        figures.push(("events_per_second", events / phase.elapsed));
        figures.push(("event_cpu_micros", 1e6 * phase.processor / events));
        figures.push(("events_server_busy_percent", busy(phase)));
    }
    if let Some(latency) = sample.latency {
        figures.push(("latency_p50_ms", 1e3 * latency.p50));
        figures.push(("latency_p99_ms", 1e3 * latency.p99));
    }
    if let Some(reads) = sample.reads {
        let mut add =
            |id, seconds: Option<f64>, unit| figures.extend(seconds.map(|s| (id, s / unit)));
        add("get_nanos", reads.get, 1e-9);
        add("get_field_nanos", reads.get_field, 1e-9);
        add("borrow_nanos", reads.borrow, 1e-9);
        add("get_of_two_nanos", reads.gets_of_two, 1e-9);
        add("index_list_micros", reads.index_list, 1e-6);
        add("index_visit_micros", reads.index_visit, 1e-6);
        add("label_list_ms", reads.selector_list, 1e-3);
    }
    let mut add =
        |id, count: Option<u64>, unit| figures.extend(count.map(|n| (id, n as f64 / unit)));
    add("resident_kib_per_object", sample.resident, 1024.0 * objects);
    add("resident_mib", sample.resident, MIB);
    add("peak_kib_per_object", sample.sync_peak, 1024.0 * objects);
    add(
        "resident_after_events_mib",
        sample.resident_after_events,
        MIB,
    );
    add("heap_mib", sample.heap, MIB);
    add("tasks", sample.tasks, 1.0);
    add("connections", sample.connections, 1.0);
    if let Some(idle) = sample.idle {
        let minutes = idle.elapsed / 60.0;
        add("idle_wake_ups_per_minute", sample.idle_wake_ups, minutes);
        figures.push(("idle_cpu_ms_per_minute", 1e3 * idle.processor / minutes));
    }
    figures
}

/// Returns the processor time of the server in percent of the elapsed time. If it is near 100, the
/// figures of the phase are those of the server.
fn busy(phase: Phase) -> f64 {
    100.0 * phase.server / phase.elapsed
}

// === impl Spread ===

impl Spread {
    fn of(mut values: Vec<f64>) -> Option<Self> {
        values.retain(|value| value.is_finite());
        values.sort_by(f64::total_cmp);
        let at = |at: usize| values.get(at).map(|value| rounded(*value));
        let [low, high] = [at(values.len().checked_sub(1)? / 2)?, at(values.len() / 2)?];
        Some(Self {
            median: f64::midpoint(low, high),
            least: at(0)?,
            most: at(values.len() - 1)?,
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

/// Rounds to six significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

// === impl Data ===

impl Data {
    pub(super) fn to_csv(&self) -> Result<String> {
        let head = format!("# {}\n{HEADER}\n", self.conditions);
        let mut writer = WriterBuilder::new()
            .has_headers(false)
            .from_writer(head.into_bytes());
        for block in &self.blocks {
            for (peer, figure, spread) in &block.figures {
                writer.serialize((block.world, block.runs, peer, figure, spread))?;
            }
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// Parses what [`to_csv`](Self::to_csv) wrote.
    pub(super) fn from_csv(text: &str) -> Result<Self> {
        let first = text.lines().next();
        let conditions = first.and_then(|line| line.strip_prefix("# "));
        let conditions = conditions.ok_or("line 1: not a comment")?.to_owned();
        let mut blocks: IndexMap<String, Block> = IndexMap::new();
        let mut reader = ReaderBuilder::new();
        let mut reader = reader.comment(Some(b'#')).from_reader(text.as_bytes());
        for record in reader.records() {
            // Without the header: it names the fields of the parts of a row.
            let (world, runs, peer, figure, spread): Row = record?.deserialize(None)?;
            let block = blocks.entry(format!("{world:?}")).or_insert_with(|| Block {
                world,
                runs,
                figures: Vec::new(),
            });
            block.figures.push((peer, figure, spread));
        }
        let blocks = blocks.into_values().collect();
        Ok(Self { conditions, blocks })
    }
}
