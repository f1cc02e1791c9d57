//! The table: for a terminal, and for docs/performance.md.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::thread;

use crate::Result;
use crate::figures::{FIGURES, Figure, Spread, World};
use crate::peers::Peer;
use crate::sample::Sample;

/// What was measured in one world.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) world: World,
    pub(crate) results: Vec<(Peer, Vec<Sample>)>,
}

/// The page, relative to this package.
const PAGE: &str = "../docs/performance.md";
/// Between these lines the page is written by this program, the rest of it by people.
const BEGIN: &str = "<!-- measured: begin -->\n";
const END: &str = "<!-- measured: end -->\n";

const LOCK: &str = include_str!("../../Cargo.lock");

/// A row of the table: two lines for each peer.
struct Row {
    name: &'static str,
    /// The median, and how it compares.
    figures: Vec<String>,
    /// From the least to the most.
    ranges: Vec<String>,
}

// === impl Block ===

impl Block {
    fn title(&self) -> String {
        let runs = self.results.first().map_or(0, |(_, samples)| samples.len());
        format!(
            "{} Pods, {} events, median of {runs} runs, times that of the first column",
            thousands(self.world.objects),
            thousands(self.world.events),
        )
    }

    fn rows(&self) -> Vec<Row> {
        FIGURES.iter().map(|figure| self.row(figure)).collect()
    }

    fn row(&self, figure: &Figure) -> Row {
        let spreads = || {
            let samples = self.results.iter().map(|(_, samples)| samples);
            samples.map(|samples| figure.spread(samples, &self.world))
        };
        let base = spreads().next().flatten().map(|spread| spread.median);
        let cells = |cell: &dyn Fn(&Spread) -> String| -> Vec<String> {
            let text = |spread: Option<Spread>| spread.as_ref().map(cell).unwrap_or_default();
            spreads().map(text).collect()
        };
        let number = |value: f64| format!("{value:.*}", figure.decimals);
        Row {
            name: figure.name,
            figures: cells(&|spread| match base {
                Some(base) if figure.is_compared && base > 0.0 => {
                    format!("{} ×{:.2}", number(spread.median), spread.median / base)
                }
                _ => number(spread.median),
            }),
            ranges: cells(&|spread| format!("{}..{}", number(spread.least), number(spread.most))),
        }
    }

    /// The names of the peers, in two lines.
    fn heads(&self) -> (Vec<String>, Vec<String>) {
        let names = self.results.iter().map(|(peer, _)| peer.to_string());
        names
            .map(|name| match name.split_once('/') {
                Some((name, how)) => (name.to_owned(), how.to_owned()),
                None => (name, String::new()),
            })
            .unzip()
    }

    pub(crate) fn to_terminal(&self) -> String {
        let (names, hows) = self.heads();
        let mut lines = vec![("", names), ("", hows)];
        for row in self.rows() {
            lines.push((row.name, row.figures));
            lines.push(("", row.ranges));
        }
        let longest = |texts: &mut dyn Iterator<Item = &str>| {
            texts.map(|text| text.chars().count()).max().unwrap_or(0)
        };
        let first = longest(&mut lines.iter().map(|line| line.0));
        let cells = lines.iter().flat_map(|line| &line.1);
        let width = longest(&mut cells.map(String::as_str));
        let mut text = format!("\n{}\n", self.title());
        for (name, cells) in &lines {
            let mut line = format!("{name:first$}");
            for cell in cells {
                let _ = write!(line, "  {cell:>width$}");
            }
            text.push_str(line.trim_end());
            text.push('\n');
        }
        text
    }

    fn to_markdown(&self) -> String {
        let (names, hows) = self.heads();
        let heads: Vec<String> = names
            .into_iter()
            .zip(hows)
            .map(|(name, how)| match how.as_str() {
                "" => name,
                how => format!("{name}, {}", how.replace('-', " ")),
            })
            .collect();
        let mut text = format!("### {}\n\n", self.title());
        let _ = writeln!(text, "| | {} |", heads.join(" | "));
        let _ = writeln!(text, "|---|{}", "---:|".repeat(heads.len()));
        for row in self.rows() {
            let cells: Vec<String> = row
                .figures
                .iter()
                .zip(&row.ranges)
                .map(|(figure, range)| format!("{figure}<br>{range}"))
                .collect();
            let _ = writeln!(text, "| {} | {} |", row.name, cells.join(" | "));
        }
        text.push('\n');
        text
    }
}

/// Writes the measured part of docs/performance.md.
pub(crate) fn write(blocks: &[Block], runs: usize) -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(PAGE);
    let page = fs::read_to_string(&path)?;
    let mut measured = format!("{}\n\n", conditions(runs));
    for block in blocks {
        measured.push_str(&block.to_markdown());
    }
    let page = replace(&page, &measured).ok_or("docs/performance.md has lost its markers")?;
    Ok(fs::write(&path, page)?)
}

/// On what, and with what.
#[expect(clippy::disallowed_methods, reason = "once in a report")]
fn conditions(runs: usize) -> String {
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let versions = ["informer-runtime", "kube-runtime", "k8s-openapi", "tokio"]
        .map(|name| format!("{name} {}", version(LOCK, name).unwrap_or("?")));
    format!(
        "Measured with {} on a {} {} with {cores} cores, {runs} runs of each.",
        versions.join(", "),
        std::env::consts::ARCH,
        std::env::consts::OS,
    )
}

/// The version of a package, as the lock file has it.
fn version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, behind) = lock.split_once(&name)?;
    Some(behind.split_once('"')?.0)
}

/// The page with another measured part.
fn replace(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{measured}{END}{after}"))
}

fn thousands(number: usize) -> String {
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
        let [first, .., last] = Peer::ALL;
        Block {
            world: World {
                objects: 20_000,
                events: 1_000_000,
            },
            results: vec![
                (first, vec![sample(0.5), sample(0.4), sample(0.9)]),
                (last, vec![sample(2.0)]),
            ],
        }
    }

    #[test]
    fn a_cell_has_the_median_its_ratio_and_the_range() {
        let text = block().to_terminal();
        assert!(text.contains("20,000 Pods, 1,000,000 events"), "{text}");
        let line = text.lines().find(|line| line.starts_with("sync, s"));
        let cells: Vec<&str> = line.unwrap().split_whitespace().skip(2).collect();
        assert_eq!(cells, ["0.500", "×1.00", "2.000", "×4.00"]);
        assert!(text.contains("0.400..0.900"), "{text}");
    }

    #[test]
    fn all_rows_of_the_page_have_the_same_columns() {
        let text = block().to_markdown();
        let rows = text.lines().filter(|line| line.starts_with('|'));
        let columns: Vec<usize> = rows.map(|line| line.matches('|').count()).collect();
        assert_eq!(columns.len(), 2 + FIGURES.len());
        assert!(columns.iter().all(|&count| count == 4), "{text}");
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
    }
}
