//! Tables: the measured parts of docs/performance.md and of README.md, and those of a terminal.

use std::fmt::Write as _;

use super::data::{Block, Data, Spread};
use crate::peers::{BASE, PROTOBUF, Peer};
use crate::world::Kind;

/// README shows the smallest worlds of at least this size, because the start of a connection
/// dominates smaller ones.
const LEAST_OBJECTS: usize = 20_000;

/// Column of a table: title, unit, and figure.
type Column = (&'static str, &'static str, &'static str);

/// Columns of the table of first lists. A cold start needs the peak.
const COLD: [Column; 3] = [
    ("memory", ", MiB", "resident_mib"),
    ("peak of the first list", ", MiB", "peak_mib"),
    ("peak ÷ memory", "", PEAK),
];
const PEAK: &str = "peak_ratio";

/// Columns of the other tables. A table has those that were measured, and the picture the first
/// four.
pub(super) const COLUMNS: [Column; 20] = [
    ("first list", ", s", "sync_seconds"),
    ("memory", ", MiB", "resident_mib"),
    ("relist", ", s", "relist_seconds"),
    ("events per s", "", "events_per_second"),
    ("CPU per event", ", µs", "event_cpu_micros"),
    ("memory after events", ", MiB", "resident_after_events_mib"),
    ("p99 latency", ", ms", "latency_p99_ms"),
    ("get", ", ns", "get_nanos"),
    ("get and read", ", ns", "get_field_nanos"),
    ("borrowed read", ", ns", "borrow_nanos"),
    ("get, two threads", ", ns", "get_of_two_nanos"),
    ("list by labels, scan", ", ms", "label_scan_ms"),
    ("list by labels, index", ", µs", "label_index_micros"),
    ("list by index", ", µs", "index_list_micros"),
    ("borrowed list by index", ", µs", "index_visit_micros"),
    ("heap", ", MiB", "heap_mib"),
    ("tasks", "", "tasks"),
    ("connections", "", "connections"),
    ("wake-ups per idle minute", "", "idle_wake_ups_per_minute"),
    ("CPU per idle minute", ", ms", "idle_cpu_ms_per_minute"),
];

/// Peer of a row, and the peer by whose figures its own are divided.
type Subject = (Peer, Option<Peer>);

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
    let alone = Peer::ALL.map(|peer| (peer, None));
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
    for (peer, id, spread) in &block.figures {
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
                pairs.push((own, Some(base)));
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
            rows.push((*block, subject));
        }
    }
    let mut measured = columns.to_vec();
    measured.retain(|(.., id)| rows.iter().any(|row| value(row, id).is_some()));
    rows.retain(|row| measured.iter().any(|(.., id)| value(row, id).is_some()));
    if rows.is_empty() {
        return String::new();
    }
    let is_ratio = subjects.iter().any(|(_, base)| base.is_some());
    let mut text = format!("| {head} |");
    for (title, unit, _) in &measured {
        let shown_unit = if is_ratio { "" } else { *unit };
        let _ = write!(text, " {title}{shown_unit} |");
    }
    let _ = write!(text, "\n|---|{}", "---:|".repeat(measured.len()));
    for row in &rows {
        let (block, (peer, base)) = row;
        let _ = write!(text, "\n| {}: {}", name(block), peer.title());
        if let Some(base) = base {
            let _ = write!(text, " / {}", base.title());
        }
        text.push_str(" |");
        for (.., id) in &measured {
            let content = match value(row, id) {
                Some(spread) => cell(spread),
                None => "–".to_owned(),
            };
            let _ = write!(text, " {content} |");
        }
    }
    text
}

/// Returns a figure of a row.
fn value((block, (peer, base)): &(&Block, &Subject), id: &str) -> Option<Spread> {
    let own = block.spread(peer.name, id)?;
    Some(match base {
        Some(base) => own.over(&block.spread(base.name, id)?),
        None => own,
    })
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
    match [spread.least, spread.median, spread.most].map(short) {
        [least, median, most] if least == most => median,
        [least, median, most] => format!("{median} ({least}–{most})"),
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
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}
