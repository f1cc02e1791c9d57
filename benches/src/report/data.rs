//! Figures of all peers in one world, and docs/performance.csv, which has those of one run of the
//! benchmark. The measured parts of docs/performance.md and README.md are rendered from it.

use std::fmt::Write as _;

use super::figures::{FIGURES, Spread};
use crate::Result;
use crate::peers::Peer;
use crate::sample::Sample;
use crate::world::World;

const HEADER: &str = "world,objects,events,runs,peer,figure,median,least,most";

/// Figures of one run, with the conditions of the measurement.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Data {
    /// One line of Markdown: versions, machine, missing peers.
    pub(super) conditions: String,
    pub(super) blocks: Vec<Block>,
}

/// Figures of all peers in one world.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Block {
    pub(crate) world: World,
    /// Number of runs of each peer.
    pub(crate) runs: usize,
    /// Figures by their ids. A figure that a peer does not have is missing.
    pub(super) figures: Vec<(Peer, &'static str, Spread)>,
}

// === impl Block ===

impl Block {
    pub(crate) fn new(world: World, runs: usize, samples: &[(Peer, Vec<Sample>)]) -> Self {
        let figures = samples.iter().flat_map(|(peer, samples)| {
            let of_peer = |(id, ..): (&'static str, _, _)| {
                Some((*peer, id, Spread::of(id, samples, &world)?))
            };
            FIGURES.into_iter().filter_map(of_peer)
        });
        Self {
            world,
            runs,
            figures: figures.collect(),
        }
    }

    /// Returns the measured peers.
    pub(super) fn peers(&self) -> Vec<Peer> {
        let mut peers: Vec<Peer> = self.figures.iter().map(|(peer, ..)| *peer).collect();
        peers.dedup();
        peers
    }

    /// Returns the figure `id` of the peer of this name, if it was measured.
    pub(super) fn spread(&self, peer: &str, id: &str) -> Option<Spread> {
        let mut figures = self.figures.iter();
        let found = figures.find(|(of, figure, _)| of.name == peer && *figure == id);
        found.map(|(.., spread)| *spread)
    }
}

// === impl Data ===

impl Data {
    pub(super) fn to_csv(&self) -> String {
        let mut text = format!("# {}\n{HEADER}\n", self.conditions);
        for block in &self.blocks {
            let (
                World {
                    kind,
                    objects,
                    events,
                },
                runs,
            ) = (block.world, block.runs);
            for (peer, id, spread) in &block.figures {
                let Spread {
                    median,
                    least,
                    most,
                } = *spread;
                let numbers = [median, least, most].map(number).join(",");
                let _ = writeln!(
                    text,
                    "{kind},{objects},{events},{runs},{peer},{id},{numbers}"
                );
            }
        }
        text
    }

    /// Parses what [`to_csv`](Self::to_csv) wrote. An error has the number of the line.
    pub(super) fn from_csv(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let conditions = lines.next().and_then(|line| line.strip_prefix("# "));
        let conditions = conditions.ok_or("line 1: not a comment")?.to_owned();
        if lines.next() != Some(HEADER) {
            return Err(format!("line 2: not `{HEADER}`").into());
        }
        let mut blocks: Vec<Block> = Vec::new();
        for (at, line) in lines.enumerate() {
            add_line(line, &mut blocks).map_err(|error| format!("line {}: {error}", at + 3))?;
        }
        Ok(Self { conditions, blocks })
    }
}

fn add_line(line: &str, blocks: &mut Vec<Block>) -> Result<()> {
    let cells: Vec<&str> = line.split(',').collect();
    let [kind, objects, events, runs, peer, id, median, least, most] = *cells else {
        return Err("not nine cells".into());
    };
    let world = World {
        kind: kind.parse()?,
        objects: objects.parse()?,
        events: events.parse()?,
    };
    let figure = FIGURES.iter().find(|(known, ..)| *known == id);
    let spread = Spread {
        median: median.parse()?,
        least: least.parse()?,
        most: most.parse()?,
    };
    let figure = (peer.parse()?, figure.ok_or("unknown figure")?.0, spread);
    match blocks.iter_mut().find(|block| block.world == world) {
        Some(block) => block.figures.push(figure),
        None => blocks.push(Block {
            world,
            runs: runs.parse()?,
            figures: vec![figure],
        }),
    }
    Ok(())
}

/// Formats a number with six significant digits, without trailing zeros.
fn number(value: f64) -> String {
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    rounded.to_string()
}
