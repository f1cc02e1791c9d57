//! The report: tables for a terminal, and docs/performance.md with its data and picture.
//!
//! ```text
//! samples ─► Block ─┬─► performance.csv ─► Data ─► performance.md, performance-tables.md, README.md, performance.svg
//!                   └─► terminal
//! ```

mod data;
mod page;
mod picture;

use std::env::consts::{ARCH, OS};
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;

pub(crate) use self::data::Block;
use self::data::Data;
pub(crate) use self::page::to_terminal;
use crate::Result;
use crate::world::Kind;

const DATA: &str = "docs/performance.csv";

/// Markers around the measured part of a page. The other parts are hand-written.
const BEGIN: &str = "<!-- measured: begin -->\n";
const END: &str = "<!-- measured: end -->\n";

/// Packages of Cargo.lock whose versions a report states.
const PACKAGES: [&str; 4] = [
    "informer-runtime",
    "kube-runtime",
    "k8s-openapi",
    "mimalloc",
];

const LOCK: &str = include_str!("../../Cargo.lock");
const GO_MOD: &str = include_str!("../client-go/go.mod");

/// Returns the path of a file of this checkout.
fn path(relative: &str) -> PathBuf {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/..")).join(relative)
}

/// Writes docs/performance.csv, and renders the pages from it. `conditions` is a line about the
/// measurement.
pub(crate) fn write(blocks: Vec<Block>, conditions: String) -> Result<()> {
    let csv = Data { conditions, blocks }.to_csv()?;
    fs::write(path(DATA), csv)?;
    render()
}

/// Renders the measured parts of docs/performance{,-tables}.md and README.md, and the picture, from
/// docs/performance.csv.
pub(crate) fn render() -> Result<()> {
    let csv = fs::read_to_string(path(DATA))?;
    let data = Data::from_csv(&csv).map_err(|error| format!("{DATA}: {error}"))?;
    for (page, measured) in pages(&data) {
        let previous = fs::read_to_string(path(page))?;
        let text = replace(&previous, &measured).ok_or_else(|| format!("{page} has no markers"))?;
        fs::write(path(page), text)?;
    }
    let shown = data
        .blocks
        .iter()
        .filter(|block| block.world.kind.is_sized())
        // The mixed world is the more realistic one.
        .max_by_key(|block| (block.world.objects, block.world.kind == Kind::Mixed));
    if let Some(block) = shown {
        fs::write(path("docs/performance.svg"), picture::draw(block))?;
    }
    Ok(())
}

/// Returns the pages with their measured parts.
fn pages(data: &Data) -> [(&'static str, String); 3] {
    [
        ("docs/performance.md", page::performance(data)),
        ("docs/performance-tables.md", page::tables(data)),
        ("README.md", page::readme(data)),
    ]
}

/// Replaces the measured part of a page. Returns `None` if the page has no markers.
fn replace(page: &str, measured: &str) -> Option<String> {
    let (before, rest) = page.split_once(BEGIN)?;
    let (_, after) = rest.split_once(END)?;
    Some(format!("{before}{BEGIN}\n{measured}\n{END}{after}"))
}

/// Returns a line about the measurement: versions, machine, runs, and `notes`.
#[expect(clippy::disallowed_methods, reason = "called once per report")]
pub(crate) fn conditions(blocks: &[Block], go: Option<&str>, notes: &[String]) -> String {
    let mut libraries = Vec::new();
    for name in PACKAGES {
        let version = after(LOCK, &format!("name = \"{name}\"\nversion = \""), '"');
        libraries.push(format!("{name} {version}"));
    }
    if let Some(go) = go {
        let version = after(GO_MOD, "k8s.io/client-go ", '\n');
        libraries.push(format!("client-go {version} ({go})"));
    }
    let versions = libraries.join(", ");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let runs = blocks.iter().map(|block| block.runs).min().unwrap_or(0);
    let mut sentences = vec![format!(
        "Measured with {versions} on a {ARCH} {OS} with {cores} cores, {runs} runs of each."
    )];
    sentences.extend_from_slice(notes);
    sentences.join(" ")
}

/// Returns the text of a file after `before` and until `end`.
fn after(text: &'static str, before: &str, end: char) -> &'static str {
    let Some((_, rest)) = text.split_once(before) else {
        return "?";
    };
    rest.split(end).next().unwrap_or("?")
}

#[cfg(test)]
mod tests;
