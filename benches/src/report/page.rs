//! Tables: the measured parts of docs/performance.md and of README.md, and those of a terminal.

use std::fmt::Write as _;

use super::data::{Block, Data, Figure, Spread};
use crate::peers::{BASE, PROTOBUF, Peer};
use crate::world::Kind;

/// README shows the smallest worlds of at least this size, because the start of a connection
/// dominates smaller ones.
const LEAST_OBJECTS: usize = 20_000;

/// Column of a table.
#[derive(Clone, Copy)]
pub(super) struct Column {
    pub(super) title: &'static str,
    pub(super) unit: &'static str,
    /// Id of the figure.
    pub(super) id: &'static str,
}

/// Columns of the table of first lists. A cold start needs the peak.
const COLD: [Column; 3] = [
    column("memory", ", MiB", "resident_mib"),
    column("peak of the first list", ", MiB", "peak_mib"),
    column("peak ÷ memory", "", PEAK),
];
const PEAK: &str = "peak_ratio";

/// Columns of the other tables. A table has those that were measured, and the picture the first
/// four.
pub(super) const COLUMNS: [Column; 20] = [
    column("first list", ", s", "sync_seconds"),
    column("memory", ", MiB", "resident_mib"),
    column("relist", ", s", "relist_seconds"),
    column("events per s", "", "events_per_second"),
    column("CPU per event", ", µs", "event_cpu_micros"),
    column("memory after events", ", MiB", "resident_after_events_mib"),
    column("p99 latency", ", ms", "latency_p99_ms"),
    column("get", ", ns", "get_nanos"),
    column("get and read", ", ns", "get_field_nanos"),
    column("borrowed read", ", ns", "borrow_nanos"),
    column("get, two threads", ", ns", "get_of_two_nanos"),
    column("list by labels, scan", ", ms", "label_scan_ms"),
    column("list by labels, index", ", µs", "label_index_micros"),
    column("list by index", ", µs", "index_list_micros"),
    column("borrowed list by index", ", µs", "index_visit_micros"),
    column("heap", ", MiB", "heap_mib"),
    column("tasks", "", "tasks"),
    column("connections", "", "connections"),
    column("wake-ups per idle minute", "", "idle_wake_ups_per_minute"),
    column("CPU per idle minute", ", ms", "idle_cpu_ms_per_minute"),
];

const fn column(title: &'static str, unit: &'static str, id: &'static str) -> Column {
    Column { title, unit, id }
}

/// Subject of a row in each world.
struct Subject {
    peer: Peer,
    /// Peer by whose figures those of `peer` are divided.
    base: Option<Peer>,
}

/// Row of a table.
struct Row<'a> {
    block: &'a Block,
    subject: &'a Subject,
}

/// Renders the measured part of docs/performance.md.
pub(super) fn performance(data: &Data) -> String {
    [
        &data.conditions,
        "![The main figures](performance.svg)",
        &readme(data),
    ]
    .join("\n\n")
}

/// Renders the measured part of docs/performance-tables.md.
pub(super) fn tables(data: &Data) -> String {
    let (compared, others): (Vec<_>, Vec<_>) = data
        .blocks
        .iter()
        .partition(|block| block.world.kind.has_relist());
    let pairs = pairs_where(|own, base| {
        let is_fair = own.is_like(base) || own.has_defaults_beside(base);
        own.is_informer() && !base.is_informer() && is_fair
    });
    let alone = Peer::ALL.map(|peer| Subject { peer, base: None });
    let mut cold = compared.clone();
    cold.retain(|block| Peer::ALL.iter().any(|peer| block.has(peer.name, PEAK)));
    let mut parts = vec![
        data.conditions.clone(),
        table("ratio", &COLUMNS, &compared, &pairs, with_range),
        table("cold start", &COLD, &cold, &alone, with_range),
        table("amount", &COLUMNS, &others, &alone, with_range),
    ];
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n") + "\n"
}

/// Renders the measured part of README.md: ratios to kube-runtime, in the uniform and in the mixed
/// world.
pub(super) fn readme(data: &Data) -> String {
    let mut shown = Vec::new();
    for kind in [Kind::Uniform, Kind::Mixed] {
        let block = data
            .blocks
            .iter()
            .find(|block| block.world.kind == kind && block.world.objects >= LEAST_OBJECTS);
        shown.extend(block);
    }
    let pairs = pairs_where(|own, base| own.options == PROTOBUF && base.name == BASE);
    let ratios = table("ratio", &COLUMNS, &shown, &pairs, |spread| {
        short(spread.median)
    });
    if ratios.is_empty() {
        "`cargo run --profile bench -p informer-benches` writes the table here.".to_owned()
    } else {
        ratios
    }
}

/// Renders all figures for a terminal: the median, the range, and the ratio to the baseline.
pub(crate) fn to_terminal(block: &Block) -> String {
    let mut text = format!("\n{}, times that of {BASE}\n", heading(block));
    for Figure { peer, id, spread } in &block.figures {
        let _ = write!(text, "{peer:<37} {id:<27} {}", with_range(*spread));
        if let Some(base) = block.spread(BASE, id)
            && base.median > 0.0
        {
            let _ = write!(text, " ×{}", short(spread.median / base.median));
        }
        text.push('\n');
    }
    text
}

/// Returns the pairs of peers to compare.
fn pairs_where(is_pair: fn(&Peer, &Peer) -> bool) -> Vec<Subject> {
    let mut pairs = Vec::new();
    for own in Peer::ALL {
        for base in Peer::ALL {
            if is_pair(&own, &base) {
                pairs.push(Subject {
                    peer: own,
                    base: Some(base),
                });
            }
        }
    }
    pairs
}

/// Renders a Markdown table with a row for each subject in each world, without rows and columns
/// that were not measured.
fn table(
    head: &str,
    columns: &[Column],
    blocks: &[&Block],
    subjects: &[Subject],
    cell: fn(Spread) -> String,
) -> String {
    let mut rows = Vec::new();
    for block in blocks {
        for subject in subjects {
            rows.push(Row { block, subject });
        }
    }
    let mut measured = columns.to_vec();
    measured.retain(|column| rows.iter().any(|row| row.has(column)));
    rows.retain(|row| measured.iter().any(|column| row.has(column)));
    if rows.is_empty() {
        return String::new();
    }
    let is_ratio = subjects.iter().any(|subject| subject.base.is_some());
    let mut text = format!("| {head} |");
    for Column { title, unit, .. } in &measured {
        let shown_unit = if is_ratio { "" } else { unit };
        let _ = write!(text, " {title}{shown_unit} |");
    }
    let rule = "---:|".repeat(measured.len());
    let _ = write!(text, "\n|---|{rule}");
    for row in &rows {
        let _ = write!(text, "\n| {} |", row.title());
        for column in &measured {
            let content = match row.value(column) {
                Some(spread) => cell(spread),
                None => "–".to_owned(),
            };
            let _ = write!(text, " {content} |");
        }
    }
    text
}

// === impl Row ===

impl Row<'_> {
    fn has(&self, column: &Column) -> bool {
        self.value(column).is_some()
    }

    /// Returns the figure in a column.
    fn value(&self, column: &Column) -> Option<Spread> {
        let Subject { peer, base } = self.subject;
        let own = self.block.spread(peer.name, column.id)?;
        let Some(base) = base else {
            return Some(own);
        };
        let other = self.block.spread(base.name, column.id)?;
        Some(own.over(&other))
    }

    fn title(&self) -> String {
        let Subject { peer, base } = self.subject;
        let mut title = format!("{}: {}", name(self.block), peer.title());
        if let Some(base) = base {
            let _ = write!(title, " / {}", base.title());
        }
        title
    }
}

/// Returns the name of the world in tables.
fn name(block: &Block) -> String {
    format!("{} {}", block.world.kind, thousands(block.world.objects))
}

/// Returns the name of the world, with the numbers of events and runs.
pub(super) fn heading(block: &Block) -> String {
    format!(
        "{}, {} events, median of {} runs",
        name(block),
        thousands(block.world.events),
        block.runs
    )
}

/// Returns the median, and the range if the runs differ.
fn with_range(spread: Spread) -> String {
    let least = short(spread.least);
    let median = short(spread.median);
    let most = short(spread.most);
    if least == most {
        median
    } else {
        format!("{median} ({least}–{most})")
    }
}

/// Formats a number with two or three significant digits.
pub(super) fn short(value: f64) -> String {
    let decimals = match value {
        ..0.1 => 3,
        ..10.0 => 2,
        ..100.0 => 1,
        _ => 0,
    };
    format!("{value:.decimals$}")
}

/// Formats an integer with commas between groups of three digits.
fn thousands(number: usize) -> String {
    if number < 1000 {
        return number.to_string();
    }
    let before = thousands(number / 1000);
    let last = number % 1000;
    format!("{before},{last:03}")
}
