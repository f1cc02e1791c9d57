//! docs/performance.csv: all figures of one run of the benchmark.
//!
//! The measured parts of docs/performance.md and README.md are rendered from it. A test compares
//! them.

use std::fmt::Write as _;

use super::block::{Block, Results};
use crate::Result;
use crate::figures::{Figure, Spread};
use crate::peers::Peer;
use crate::world::World;

/// Figures of one run, with the conditions of the measurement.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Data {
    /// One line of Markdown: versions, machine, missing peers.
    pub(super) conditions: String,
    pub(super) blocks: Vec<Block>,
}

const HEADER: &str = "world,objects,events,runs,peer,figure,median,least,most";

// === impl Data ===

impl Data {
    pub(super) fn to_csv(&self) -> String {
        let mut text = format!("# {}\n{HEADER}\n", self.conditions);
        for block in &self.blocks {
            let World {
                kind,
                objects,
                events,
            } = block.world;
            for results in &block.results {
                for (id, spread) in &results.figures {
                    let numbers = [spread.median, spread.least, spread.most].map(number);
                    let _ = writeln!(
                        text,
                        "{kind},{objects},{events},{},{},{id},{}",
                        block.runs,
                        results.peer,
                        numbers.join(","),
                    );
                }
            }
        }
        text
    }

    /// Parses what [`to_csv`](Self::to_csv) wrote.
    ///
    /// # Errors
    ///
    /// Returns an error with the number of the first line that [`to_csv`](Self::to_csv) would not
    /// write.
    pub(super) fn from_csv(text: &str) -> Result<Self> {
        let mut lines = text.lines();
        let conditions = lines.next().and_then(|line| line.strip_prefix("# "));
        let conditions = conditions.ok_or("line 1: not a comment")?.to_owned();
        if lines.next() != Some(HEADER) {
            return Err(format!("line 2: not `{HEADER}`").into());
        }
        let mut blocks: Vec<Block> = Vec::new();
        for (at, line) in lines.enumerate() {
            let row = Row::parse(line).map_err(|error| format!("line {}: {error}", at + 3))?;
            let known = blocks.iter().position(|block| block.world == row.world);
            let at = known.unwrap_or_else(|| {
                blocks.push(Block {
                    world: row.world,
                    runs: row.runs,
                    results: Vec::new(),
                });
                blocks.len() - 1
            });
            if let Some(block) = blocks.get_mut(at) {
                row.add_to(block);
            }
        }
        Ok(Self { conditions, blocks })
    }
}

/// Line of the file.
struct Row {
    world: World,
    runs: usize,
    peer: Peer,
    figure: &'static str,
    spread: Spread,
}

// === impl Row ===

impl Row {
    fn parse(line: &str) -> Result<Self> {
        let cells: Vec<&str> = line.split(',').collect();
        let [
            kind,
            objects,
            events,
            runs,
            peer,
            figure,
            median,
            least,
            most,
        ] = *cells
        else {
            return Err("not nine cells".into());
        };
        let known = Figure::all().find(|known| known.id == figure);
        Ok(Self {
            world: World {
                kind: kind.parse()?,
                objects: objects.parse()?,
                events: events.parse()?,
            },
            runs: runs.parse()?,
            peer: peer.parse()?,
            figure: known.ok_or("unknown figure")?.id,
            spread: Spread {
                median: median.parse()?,
                least: least.parse()?,
                most: most.parse()?,
            },
        })
    }

    fn add_to(self, block: &mut Block) {
        let figure = (self.figure, self.spread);
        match block.results.last_mut() {
            Some(results) if results.peer == self.peer => results.figures.push(figure),
            _ => block.results.push(Results {
                peer: self.peer,
                figures: vec![figure],
            }),
        }
    }
}

/// Formats a number with six significant digits, without trailing zeros.
fn number(value: f64) -> String {
    let text = format!("{value:.5e}");
    let rounded = text.parse().unwrap_or(value);
    format!("{rounded}")
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::block;
    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let data = Data {
            conditions: "Measured on a table.".to_owned(),
            blocks: vec![block()],
        };
        assert_eq!(Data::from_csv(&data.to_csv()).unwrap(), data);
    }

    #[test]
    fn an_error_has_the_line() {
        let error = |line: &str| {
            let text = format!("# -\n{HEADER}\n{line}\n");
            Data::from_csv(&text).unwrap_err().to_string()
        };
        assert_eq!(error("uniform,2"), "line 3: not nine cells");
        let line = "uniform,1,2,3,typed,speed,1,1,1";
        assert_eq!(error(line), "line 3: unknown figure");
        let line = "uniform,1,2,3,typed,sync_seconds,1,x,1";
        assert_eq!(error(line), "line 3: invalid float literal");
    }

    #[test]
    fn numbers_have_six_digits() {
        let texts = [0.5, 1.0 / 3.0, 123_456_789.0, 3e-7].map(number);
        assert_eq!(texts, ["0.5", "0.333333", "123457000", "0.0000003"]);
    }
}
