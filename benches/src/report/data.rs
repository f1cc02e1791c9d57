//! Figures of all peers in one world, and docs/performance.csv, which has those of one run of the
//! benchmark. The measured parts of docs/performance.md and README.md are rendered from it.

use csv::{ReaderBuilder, Writer};
use serde::{Deserialize, Serialize};

use super::figures::{Spread, figures};
use crate::Result;
use crate::peers::Peer;
use crate::sample::Sample;
use crate::world::{Kind, World};

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
    rows: Vec<Row>,
}

/// Line of docs/performance.csv.
#[derive(Debug, Clone, Serialize, Deserialize)]
struct Row {
    world: Kind,
    objects: usize,
    events: usize,
    runs: usize,
    peer: String,
    figure: String,
    median: f64,
    least: f64,
    most: f64,
}

// === impl Block ===

impl Block {
    pub(crate) fn new(world: World, runs: usize, samples: &[(Peer, Vec<Sample>)]) -> Self {
        let of_peer = |(peer, samples): &(Peer, Vec<Sample>)| {
            let row = |(figure, spread): (&str, Spread)| Row {
                world: world.kind,
                objects: world.objects,
                events: world.events,
                runs,
                peer: peer.name.to_owned(),
                figure: figure.to_owned(),
                median: rounded(spread.median),
                least: rounded(spread.least),
                most: rounded(spread.most),
            };
            figures(samples, &world).into_iter().map(row).collect()
        };
        let rows = samples.iter().flat_map::<Vec<Row>, _>(of_peer).collect();
        Self { world, runs, rows }
    }

    /// Returns the measured peers.
    pub(super) fn peers(&self) -> Vec<Peer> {
        let is_here = |peer: &Peer| self.rows.iter().any(|row| row.peer == peer.name);
        Peer::ALL.into_iter().filter(is_here).collect()
    }

    /// Returns the ids of the figures of the peer of this name.
    pub(super) fn figures(&self, peer: &str) -> impl Iterator<Item = &str> {
        let rows = self.rows.iter().filter(move |row| row.peer == peer);
        rows.map(|row| &*row.figure)
    }

    /// Returns the figure `id` of the peer of this name, if it was measured.
    pub(super) fn spread(&self, peer: &str, id: &str) -> Option<Spread> {
        let mut rows = self.rows.iter();
        let row = rows.find(|row| row.peer == peer && row.figure == id)?;
        Some(Spread {
            median: row.median,
            least: row.least,
            most: row.most,
        })
    }
}

// === impl Data ===

impl Data {
    pub(super) fn to_csv(&self) -> Result<String> {
        let mut writer = Writer::from_writer(format!("# {}\n", self.conditions).into_bytes());
        for row in self.blocks.iter().flat_map(|block| &block.rows) {
            writer.serialize(row)?;
        }
        Ok(String::from_utf8(writer.into_inner()?)?)
    }

    /// Parses what [`to_csv`](Self::to_csv) wrote.
    pub(super) fn from_csv(text: &str) -> Result<Self> {
        let first = text.lines().next();
        let conditions = first.and_then(|line| line.strip_prefix("# "));
        let conditions = conditions.ok_or("line 1: not a comment")?.to_owned();
        let mut blocks: Vec<Block> = Vec::new();
        let mut reader = ReaderBuilder::new();
        for row in reader
            .comment(Some(b'#'))
            .from_reader(text.as_bytes())
            .deserialize()
        {
            let row: Row = row?;
            let world = World {
                kind: row.world,
                objects: row.objects,
                events: row.events,
            };
            match blocks.iter_mut().find(|block| block.world == world) {
                Some(block) => block.rows.push(row),
                None => blocks.push(Block {
                    world,
                    runs: row.runs,
                    rows: vec![row],
                }),
            }
        }
        Ok(Self { conditions, blocks })
    }
}

/// Rounds to six significant digits.
fn rounded(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}
