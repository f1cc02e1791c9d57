//! The report: tables for a terminal, and docs/performance.md with its data and picture.
//!
//! ```text
//! samples ─► Block ─┬─► performance.csv ─► Data ─► performance.md, README.md, performance.svg
//!                   └─► terminal
//! ```

mod amounts;
mod block;
mod data;
mod goals;
mod page;
mod picture;
mod ratios;
mod text;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

pub(crate) use self::block::Block;
use self::data::Data;
use self::text::thousands;
use crate::Result;
use crate::world::Kind;

const DATA: &str = "docs/performance.csv";

/// Markers around the measured part of a page. The other parts are hand-written.
const BEGIN: &str = "<!-- measured: begin -->\n";
const END: &str = "<!-- measured: end -->\n";

const LOCK: &str = include_str!("../../Cargo.lock");
const GO_MOD: &str = include_str!("../client-go/go.mod");

/// Conditions of a measurement.
#[derive(Debug, Default)]
pub(crate) struct Conditions {
    /// Version of Go, if it is installed.
    pub(crate) go: Option<String>,
    /// Peers that were not measured, with the reasons.
    pub(crate) skipped: Vec<String>,
    /// Note about the machine, from the command line.
    pub(crate) note: Option<String>,
}

/// Returns the path of a file of this checkout.
fn path(relative: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("..")
        .join(relative)
}

/// Writes docs/performance.csv, and renders the pages from it.
pub(crate) fn write(blocks: &[Block], conditions: &Conditions) -> Result<()> {
    let data = Data {
        conditions: conditions.to_markdown(blocks),
        blocks: blocks.to_vec(),
    };
    fs::write(path(DATA), data.to_csv())?;
    render()
}

/// Renders the measured parts of docs/performance.md and README.md, and the picture, from
/// docs/performance.csv.
pub(crate) fn render() -> Result<()> {
    let data = fs::read_to_string(path(DATA))?;
    let data = Data::from_csv(&data).map_err(|error| format!("{DATA}: {error}"))?;
    for (page, measured) in pages(&data) {
        let text = fs::read_to_string(path(page))?;
        let text = replace(&text, &measured).ok_or_else(|| format!("{page} has no markers"))?;
        fs::write(path(page), text)?;
    }
    let pods = data.blocks.iter();
    let pods = pods.filter(|block| block.world.kind.is_sized());
    // The mixed world is the more realistic one.
    let shown = pods.max_by_key(|block| (block.world.objects, block.world.kind == Kind::Mixed));
    if let Some(block) = shown {
        fs::write(path("docs/performance.svg"), picture::draw(block))?;
    }
    Ok(())
}

/// Returns the pages with their measured parts.
fn pages(data: &Data) -> [(&'static str, String); 2] {
    [
        ("docs/performance.md", page::performance(data)),
        ("README.md", page::readme(data)),
    ]
}

/// Renders the goals for a terminal.
pub(crate) fn goals(blocks: &[Block]) -> String {
    goals::to_terminal(blocks)
}

// === impl Conditions ===

impl Conditions {
    #[expect(clippy::disallowed_methods, reason = "called once per report")]
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
            let _ = write!(text, " **Not measured**: {line}.");
        }
        text
    }
}

/// Formats the numbers of runs: `3 runs of each`, or `3 runs of each, 1 with 100,000 objects`.
fn runs_of(blocks: &[Block]) -> String {
    let most = blocks.iter().map(|block| block.runs).max().unwrap_or(0);
    let mut text = format!("{most} runs of each");
    let fewer = blocks.iter().filter(|block| block.runs < most);
    let mut fewer: Vec<(usize, usize)> = fewer
        .map(|block| (block.runs, block.world.objects))
        .collect();
    fewer.sort_unstable();
    fewer.dedup();
    for (runs, objects) in fewer {
        let _ = write!(text, ", {runs} with {} objects", thousands(objects));
    }
    text
}

/// Returns the version of a package in the lock file.
fn version<'a>(lock: &'a str, package: &str) -> Option<&'a str> {
    let name = format!("name = \"{package}\"\nversion = \"");
    let (_, rest) = lock.split_once(&name)?;
    Some(rest.split_once('"')?.0)
}

/// Returns the version of a module in `go.mod`.
fn go_version<'a>(go_mod: &'a str, module: &str) -> Option<&'a str> {
    let line = go_mod
        .lines()
        .find(|line| line.trim().starts_with(module))?;
    line.split_whitespace().nth(1)
}

/// Replaces the measured part of a page. Returns `None` if the page has no markers.
fn replace(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{measured}\n{END}{after}"))
}

#[cfg(test)]
mod tests {
    use super::block::tests::block;
    use super::page::tests::every_kind;
    use super::*;

    #[test]
    fn the_pages_are_what_the_data_says() {
        let data = Data::from_csv(include_str!("../../docs/performance.csv")).unwrap();
        for (page, measured) in pages(&data) {
            let text = fs::read_to_string(path(page)).unwrap();
            assert!(
                replace(&text, &measured) == Some(text),
                "{page} is not what {DATA} says: `cargo run -p informer-benches -- render` writes it"
            );
        }
    }

    #[test]
    fn the_pages_are_short_with_every_world() {
        for (page, measured) in pages(&every_kind()) {
            let text = fs::read_to_string(path(page)).unwrap();
            let lines = replace(&text, &measured).unwrap().lines().count();
            assert!(lines <= 200, "{page} would have {lines} lines");
        }
    }

    #[test]
    fn the_conditions_have_the_number_of_runs_of_each_world() {
        let conditions = |runs: &[(usize, usize)]| {
            let blocks = runs.iter().map(|&(objects, runs)| {
                let mut block = block();
                block.world.objects = objects;
                block.runs = runs;
                block
            });
            Conditions::default().to_markdown(&blocks.collect::<Vec<_>>())
        };
        let same = conditions(&[(1_000, 5), (20_000, 5)]);
        assert!(same.ends_with(" cores, 5 runs of each."), "{same}");
        let fewer = conditions(&[(1_000, 3), (100_000, 1), (20_000, 3), (100_000, 1)]);
        let expected = " cores, 3 runs of each, 1 with 100,000 objects.";
        assert!(fewer.ends_with(expected), "{fewer}");
    }

    #[test]
    fn only_the_measured_part_of_a_page_is_replaced() {
        let page = format!("before\n{BEGIN}old\n{END}after\n");
        let new = replace(&page, "new\n").unwrap();
        assert_eq!(new, format!("before\n{BEGIN}\nnew\n\n{END}after\n"));
        assert_eq!(replace(&new, "new\n").unwrap(), new);
        assert_eq!(replace("no markers", "new"), None);
    }

    #[test]
    fn versions_are_those_of_the_lock_file() {
        assert_eq!(version(LOCK, "kube-runtime").unwrap().split('.').count(), 3);
        assert_eq!(version(LOCK, "no-such-package"), None);
        let client_go = go_version(GO_MOD, "k8s.io/client-go").unwrap();
        assert!(client_go.starts_with("v0."), "{client_go}");
    }
}
