//! Tables for the terminal and for docs/performance.md.

mod goals;
mod picture;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use crate::Result;
use crate::figures::{Figure, GROUPS, Group, Spread, World};
use crate::peers::{BASE, Peer};
use crate::sample::Sample;

/// Results of one world.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) world: World,
    /// Number of runs of each peer, if none failed.
    pub(crate) runs: usize,
    pub(crate) results: Vec<(Peer, Vec<Sample>)>,
}

/// Path of the page, relative to this package.
const PAGE: &str = "../docs/performance.md";
/// Markers in the page. This program writes the part between them.
const BEGIN: &str = "<!-- measured: begin -->\n";
const END: &str = "<!-- measured: end -->\n";

const LOCK: &str = include_str!("../../Cargo.lock");
const GO_MOD: &str = include_str!("../client-go/go.mod");

/// Conditions of the measurements.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Version of Go, if Go is installed.
    pub(crate) go: Option<String>,
    /// Peers that were not measured, with the reasons.
    pub(crate) skipped: Vec<String>,
    /// Note for the readers.
    pub(crate) note: Option<String>,
}

/// Row of a table, for one peer.
struct Row {
    title: String,
    /// Medians with their ratios to the baseline.
    figures: Vec<String>,
    /// Ranges from the minimum to the maximum.
    ranges: Vec<String>,
}

// === impl Block ===

impl Block {
    fn title(&self) -> String {
        let runs = match self.runs {
            1 => "one run".to_owned(),
            runs => format!("median of {runs} runs"),
        };
        format!(
            "{} Pods, {} events, {runs}",
            thousands(self.world.objects),
            thousands(self.world.events),
        )
    }

    /// Returns the figure of the peer with this name, if the peer was measured.
    pub(crate) fn spread(&self, peer: &str, figure: &Figure) -> Option<Spread> {
        let (_, samples) = self
            .results
            .iter()
            .find(|(measured, _)| measured.name == peer)?;
        figure.spread(samples, &self.world)
    }

    fn rows(&self, group: &Group) -> Vec<Row> {
        let rows = self.results.iter().map(|(peer, samples)| {
            let cells = group.figures.iter().map(|figure| {
                let base = self.spread(BASE, figure).map(|spread| spread.median);
                let spread = figure.spread(samples, &self.world);
                spread.map_or_else(Default::default, |spread| cell(figure, &spread, base))
            });
            let (figures, ranges) = cells.unzip();
            Row {
                title: peer.title(),
                figures,
                ranges,
            }
        });
        rows.collect()
    }

    pub(crate) fn to_terminal(&self) -> String {
        let mut text = format!("\n{}, times that of {BASE}\n", self.title());
        for group in &GROUPS {
            let heads = group.figures.iter().map(|figure| figure.name.to_owned());
            let mut lines = vec![(group.name.to_owned(), heads.collect())];
            for row in self.rows(group) {
                lines.push((row.title, row.figures));
                lines.push((String::new(), row.ranges));
            }
            text.push('\n');
            text.push_str(&align(&lines));
        }
        text
    }

    fn to_markdown(&self) -> String {
        let mut text = format!("### {}\n\n", self.title());
        for group in &GROUPS {
            let names: Vec<&str> = group.figures.iter().map(|figure| figure.name).collect();
            let _ = writeln!(text, "| {} | {} |", group.name, names.join(" | "));
            let _ = writeln!(text, "|---|{}", "---:|".repeat(names.len()));
            for row in self.rows(group) {
                let cells = row.figures.iter().zip(&row.ranges);
                let cells: Vec<String> = cells
                    .map(|(figure, range)| match range.as_str() {
                        "" => figure.clone(),
                        range => format!("{figure}<br>{range}"),
                    })
                    .collect();
                let _ = writeln!(text, "| {} | {} |", row.title, cells.join(" | "));
            }
            text.push('\n');
        }
        text
    }
}

/// Formats the median with its ratio, and the range.
fn cell(figure: &Figure, spread: &Spread, base: Option<f64>) -> (String, String) {
    let number = |value: f64| format!("{value:.*}", figure.decimals);
    let median = match base {
        Some(base) if figure.is_compared && base > 0.0 => {
            format!("{} ×{}", number(spread.median), ratio(spread.median / base))
        }
        _ => number(spread.median),
    };
    (
        median,
        format!("{}..{}", number(spread.least), number(spread.most)),
    )
}

/// Formats a ratio with three significant digits.
pub(crate) fn ratio(value: f64) -> String {
    if value < 0.1 {
        format!("{value:.3}")
    } else if value < 10.0 {
        format!("{value:.2}")
    } else {
        format!("{value:.1}")
    }
}

/// Aligns cells in columns.
pub(crate) fn align(lines: &[(String, Vec<String>)]) -> String {
    let longest = |texts: &mut dyn Iterator<Item = &String>| {
        texts.map(|text| text.chars().count()).max().unwrap_or(0)
    };
    let first = longest(&mut lines.iter().map(|line| &line.0));
    let columns = lines.iter().map(|line| line.1.len()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..columns)
        .map(|at| longest(&mut lines.iter().filter_map(|line| line.1.get(at))))
        .collect();
    let mut text = String::new();
    for (name, cells) in lines {
        let mut line = format!("{name:first$}");
        for (cell, width) in cells.iter().zip(&widths) {
            let _ = write!(line, "  {cell:>width$}");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

/// Writes the measured part of docs/performance.md, and its picture.
pub(crate) fn write(blocks: &[Block], conditions: &Conditions) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path)?;
    let mut measured = format!("{}\n\n", conditions.to_markdown(blocks));
    measured.push_str("![The main figures](performance.svg)\n\n");
    measured.push_str(&goals::to_markdown(blocks));
    for block in blocks {
        measured.push_str(&block.to_markdown());
    }
    let page = replace(&page, &measured)
        .ok_or("docs/performance.md has no markers of the measured part")?;
    fs::write(&path, page)?;
    if let Some(largest) = blocks.iter().max_by_key(|block| block.world.objects) {
        fs::write(path.with_extension("svg"), picture::draw(largest))?;
    }
    Ok(())
}

/// Formats the goals and their results for a terminal.
pub(crate) fn goals(blocks: &[Block]) -> String {
    goals::to_terminal(blocks)
}

// === impl Conditions ===

impl Conditions {
    #[expect(clippy::disallowed_methods, reason = "called once for a report")]
    fn to_markdown(&self, blocks: &[Block]) -> String {
        let cores = thread::available_parallelism().map_or(1, usize::from);
        let mut versions: Vec<String> = [
            "informer-runtime",
            "kube-runtime",
            "k8s-openapi",
            "mimalloc",
        ]
        .map(|name| format!("{name} {}", version(LOCK, name).unwrap_or("?")))
        .into();
        if let Some(go) = &self.go {
            let client_go = go_version(GO_MOD, "k8s.io/client-go").unwrap_or("?");
            versions.push(format!("client-go {client_go} ({go})"));
        }
        let mut text = format!(
            "Measured with {} on a {} {} with {cores} cores, {}.",
            versions.join(", "),
            std::env::consts::ARCH,
            std::env::consts::OS,
            runs_of(blocks),
        );
        if let Some(note) = &self.note {
            let _ = write!(text, " {note}");
        }
        for line in &self.skipped {
            let _ = write!(text, "\n\n**Not measured**: {line}.");
        }
        text
    }
}

/// Formats `3 runs of each`, or `3 runs of each of 1,000 Pods, 1 of 100,000`.
fn runs_of(blocks: &[Block]) -> String {
    let mut text = String::new();
    for (at, worlds) in blocks
        .chunk_by(|one, next| one.runs == next.runs)
        .enumerate()
    {
        let runs = worlds.first().map_or(0, |block| block.runs);
        let sizes = worlds.iter().map(|block| thousands(block.world.objects));
        let sizes = sizes.collect::<Vec<_>>().join(" and ");
        let _ = match at {
            0 if worlds.len() == blocks.len() => write!(text, "{runs} runs of each"),
            0 => write!(text, "{runs} runs of each with {sizes} Pods"),
            _ => write!(text, ", {runs} with {sizes}"),
        };
    }
    text
}

/// Returns the version of a package in the lock file.
fn version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, behind) = lock.split_once(&name)?;
    Some(behind.split_once('"')?.0)
}

/// Returns the version of a module in `go.mod`.
fn go_version<'a>(go_mod: &'a str, module: &str) -> Option<&'a str> {
    let line = go_mod
        .lines()
        .find(|line| line.trim().starts_with(module))?;
    line.split_whitespace().nth(1)
}

/// Replaces the measured part of the page.
fn replace(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{measured}{END}{after}"))
}

pub(crate) fn thousands(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn block() -> Block {
        let sample = |elapsed: f64| {
            let mut sample = Sample::default();
            sample.sync.elapsed = elapsed;
            sample.events.elapsed = 1.0;
            sample
        };
        let [base, .., other] = Peer::ALL;
        Block {
            world: World {
                objects: 20_000,
                events: 1_000_000,
            },
            runs: 3,
            results: vec![
                (other, vec![sample(2.0)]),
                (base, vec![sample(0.5), sample(0.4), sample(0.9)]),
            ],
        }
    }

    #[test]
    fn a_cell_has_the_median_its_ratio_and_the_range() {
        let text = block().to_terminal();
        assert!(text.contains("20,000 Pods, 1,000,000 events"), "{text}");
        assert!(text.contains("2.000 ×4.00"), "{text}");
        assert!(text.contains("0.500 ×1.00"), "{text}");
        assert!(text.contains("0.400..0.900"), "{text}");
    }

    #[test]
    fn the_page_says_how_many_runs_each_world_had() {
        let blocks = |runs: &[(usize, usize)]| -> Vec<Block> {
            let blocks = runs.iter().map(|&(objects, runs)| {
                let mut block = block();
                block.world.objects = objects;
                block.runs = runs;
                block
            });
            blocks.collect()
        };
        let page = |runs| Conditions::default().to_markdown(&blocks(runs));
        let same = page(&[(1_000, 5), (20_000, 5)]);
        assert!(same.ends_with(" cores, 5 runs of each."), "{same}");
        let fewer = page(&[(1_000, 3), (20_000, 3), (100_000, 1)]);
        let expected = "3 runs of each with 1,000 and 20,000 Pods, 1 with 100,000.";
        assert!(fewer.ends_with(expected), "{fewer}");
        let [many, once] = [7, 1].map(|runs| blocks(&[(1_000, runs)])[0].title());
        assert!(many.ends_with("median of 7 runs"), "{many}");
        assert!(once.ends_with("one run"), "{once}");
    }

    #[test]
    fn all_rows_of_a_table_have_the_same_columns() {
        let text = block().to_markdown();
        for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
            let columns: Vec<usize> = table
                .lines()
                .map(|line| line.matches('|').count())
                .collect();
            assert_eq!(columns.len(), 4);
            assert!(columns.iter().all(|count| *count == columns[0]), "{table}");
        }
    }

    #[test]
    fn only_the_measured_part_of_the_page_is_replaced() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let new = replace(&page, "new\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\nnew\n{END}after\n"));
        assert_eq!(replace(&new, "new\n").unwrap(), new);
        assert_eq!(replace("no markers", "new"), None);
        let real = include_str!("../../docs/performance.md");
        assert!(replace(real, "").is_some());
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(version(LOCK, "kube-runtime").unwrap().split('.').count(), 3);
        assert_eq!(version(LOCK, "no-such-package"), None);
        let client_go = go_version(GO_MOD, "k8s.io/client-go").unwrap();
        assert!(client_go.starts_with("v0."), "{client_go}");
    }
}
