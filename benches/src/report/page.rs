//! Tables: the measured parts of docs/performance.md and of README.md, and those of a terminal.

use std::fmt::Write as _;

use super::data::{Block, Data};
use super::figures::{FIGURES, Spread};
use crate::peers::{BASE, Peer};
use crate::world::Kind;

/// Smaller worlds appear in the table of gets and in the CSV only, because the start of a
/// connection dominates them.
const LEAST_OBJECTS: usize = 20_000;

/// An informer with the peer that it is compared with: title, informer, peer.
type Pair = (&'static str, &'static str, &'static str);

const PODS: [Pair; 4] = [
    ("`Typed` / kube-runtime", "typed", BASE),
    (
        "`Typed` / client-go",
        "typed/protobuf",
        "client-go/protobuf",
    ),
    ("`Packed` / kube-runtime", "packed", BASE),
    (
        "`Packed` / client-go",
        "packed/protobuf",
        "client-go/protobuf",
    ),
];

/// Custom resources have no protobuf.
const CUSTOM: [Pair; 4] = [
    ("`Typed` / kube-runtime", "typed", BASE),
    ("`Typed` / client-go", "typed", "client-go"),
    ("`Packed` / kube-runtime", "packed", BASE),
    ("`Packed` / client-go", "packed", "client-go"),
];

/// Rows of a table of ratios: title, figure, and whether the ratio is the peer's to informer's.
const RATIOS: [(&str, &str, bool); 9] = [
    ("sync: times as fast", "sync_seconds", true),
    ("resident memory: share", "resident_kib_per_object", false),
    (
        "relist, nothing changed: times as fast",
        "relist_seconds",
        true,
    ),
    (
        "watch events per second: times as many",
        "events_per_second",
        false,
    ),
    ("CPU per watch event: share", "event_cpu_micros", false),
    ("latency of an event, p99: share", "latency_p99_ms", false),
    ("get: times as fast", "get_nanos", true),
    ("list by index: times as fast", "index_list_micros", true),
    ("list by labels: times as fast", "label_list_ms", true),
];

/// Rows of README's table.
const README_ROWS: [(&str, &str); 8] = [
    ("time of the first list", "sync_seconds"),
    ("memory per object", "resident_kib_per_object"),
    ("time of a relist without changes", "relist_seconds"),
    ("watch events per second", "events_per_second"),
    ("CPU per event", "event_cpu_micros"),
    ("latency of an event, p99", "latency_p99_ms"),
    ("time of a get", "get_nanos"),
    ("time of a list by labels", "label_list_ms"),
];

/// Columns of README's table.
const README_PEERS: [(&str, &str); 4] = [
    ("kube-runtime, JSON", BASE),
    ("client-go, protobuf", "client-go/protobuf"),
    ("informer `Typed`, protobuf", "typed/protobuf"),
    ("informer `Packed`, protobuf", "packed/protobuf"),
];

const SUSTAINED: [(&str, &str); 4] = [
    ("events per s", "events_per_second"),
    ("CPU per event, µs", "event_cpu_micros"),
    ("resident after the sync, MiB", "resident_mib"),
    ("after the events", "resident_after_events_mib"),
];

const TYPES: [(&str, &str); 7] = [
    ("resident, MiB", "resident_mib"),
    ("heap, MiB", "heap_mib"),
    ("tasks", "tasks"),
    ("connections", "connections"),
    ("sync, s", "sync_seconds"),
    ("wake-ups per idle minute", "idle_wake_ups_per_minute"),
    ("idle CPU, ms per minute", "idle_cpu_ms_per_minute"),
];

/// Renders the measured part of docs/performance.md.
pub(super) fn performance(data: &Data) -> String {
    let of = |kind: Kind| {
        data.blocks
            .iter()
            .filter(move |block| block.world.kind == kind)
    };
    let mut parts = vec![
        wrap(&data.conditions),
        "![The main figures](performance.svg)".to_owned(),
    ];
    for (kind, head) in [(Kind::Uniform, "uniform Pods"), (Kind::Mixed, "mixed Pods")] {
        let large = of(kind).filter(|block| block.world.objects >= LEAST_OBJECTS);
        let columns: Vec<(Pair, &Block)> = {
            let large: Vec<&Block> = large.collect();
            let pairs = PODS.into_iter();
            pairs
                .flat_map(|pair| large.iter().map(move |block| (pair, *block)))
                .collect()
        };
        let heads = columns
            .iter()
            .map(|((title, ..), block)| format!("{title}, {}", thousands(block.world.objects)));
        let row = |&(title, id, inverse): &(&str, &str, bool)| {
            let cells = columns
                .iter()
                .map(|(pair, block)| ratio_of(block, pair, id, inverse));
            line(title, cells)
        };
        parts.push(table(&line(head, heads), RATIOS.iter().map(row)));
    }
    let others = Kind::OF_ONE_KIND
        .into_iter()
        .flat_map(of)
        .flat_map(|block| {
            let shown = RATIOS.iter().filter(|(_, id, _)| {
                [
                    "sync_seconds",
                    "resident_kib_per_object",
                    "events_per_second",
                ]
                .contains(id)
            });
            shown.map(move |&(title, id, inverse)| {
                let cells = CUSTOM.iter().map(|pair| ratio_of(block, pair, id, inverse));
                line(&format!("{}, {title}", name(block)), cells)
            })
        });
    let heads = CUSTOM.map(|(title, ..)| title.to_owned());
    parts.push(table(&line("custom resources", heads), others));
    let pods: Vec<&Block> = of(Kind::Uniform).chain(of(Kind::Mixed)).collect();
    let gets = [
        "typed/protobuf",
        "packed/protobuf",
        "client-go/protobuf",
        BASE,
    ]
    .map(|peer| {
        let cells = pods.iter().map(|block| amount(block, peer, "get_nanos"));
        line(&title(peer), cells)
    });
    parts.push(table(
        &line("a get, ns", pods.iter().map(|block| name(block))),
        gets,
    ));
    for block in of(Kind::Sustained) {
        let head = format!("{}, {} events", name(block), thousands(block.world.events));
        let rows = block.peers().into_iter().map(|peer| {
            line(
                &peer.title(),
                SUSTAINED.map(|(_, id)| amount(block, peer.name, id)),
            )
        });
        let heads = SUSTAINED.map(|(title, _)| title.to_owned());
        parts.push(table(&line(&head, heads), rows));
    }
    let types: Vec<&Block> = of(Kind::Types).collect();
    let numbers: Vec<String> = types
        .iter()
        .map(|block| block.world.objects.to_string())
        .collect();
    let rows = types.first().map(|block| block.peers()).unwrap_or_default();
    let rows = rows.into_iter().map(|peer| {
        let cells = TYPES.map(|(_, id)| {
            let medians = types
                .iter()
                .filter_map(|block| median(block, peer.name, id));
            some_or_dash(medians.collect::<Vec<_>>().join(" / "))
        });
        line(&peer.title(), cells)
    });
    let heads = TYPES.map(|(title, _)| title.to_owned());
    parts.push(table(
        &line(&format!("{} types", numbers.join(" / ")), heads),
        rows,
    ));
    parts.retain(|part| !part.is_empty());
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n\n") + "\n"
}

/// Renders the measured part of README.md: figures relative to kube-runtime, in the uniform and in
/// the mixed world.
pub(super) fn readme(data: &Data) -> String {
    let worlds = [Kind::Uniform, Kind::Mixed].into_iter().filter_map(|kind| {
        let mut blocks = data.blocks.iter();
        blocks.find(|block| block.world.kind == kind && block.world.objects >= LEAST_OBJECTS)
    });
    let worlds: Vec<&Block> = worlds.collect();
    let kinds: Vec<&str> = worlds.iter().map(|block| block.world.kind.name()).collect();
    let objects = worlds.first().map_or(0, |block| block.world.objects);
    let head = format!("{} Pods, {}", thousands(objects), kinds.join(" / "));
    let rows = README_ROWS.map(|(title, id)| {
        let cells = README_PEERS.map(|(_, peer)| {
            let relative = worlds.iter().map(|block| {
                let own = block.spread(peer, id).zip(block.spread(BASE, id));
                some_or_dash(
                    own.map_or_else(String::new, |(own, base)| ratio(own.median / base.median)),
                )
            });
            relative.collect::<Vec<_>>().join(" / ")
        });
        line(title, cells)
    });
    table(
        &line(&head, README_PEERS.map(|(title, _)| title.to_owned())),
        rows,
    )
}

/// Renders all figures for a terminal: the median, its ratio to the baseline, and the range.
pub(crate) fn to_terminal(block: &Block) -> String {
    let peers = block.peers();
    let rows = FIGURES.into_iter().map(|(id, name, _)| {
        let cells = peers.iter().map(|peer| {
            let base = block.spread(BASE, id).filter(|base| base.median > 0.0);
            block
                .spread(peer.name, id)
                .map_or_else(String::new, |spread| {
                    let times =
                        base.map(|base| format!(" ×{}", ratio(spread.median / base.median)));
                    amount(block, peer.name, id) + &times.unwrap_or_default()
                })
        });
        line(name, cells)
    });
    let rows: Vec<Vec<String>> = rows
        .filter(|row| row.iter().skip(1).any(|cell| !cell.is_empty()))
        .collect();
    let mut text = format!("\n{}, times that of {BASE}\n", heading(block));
    let heads = line("", peers.iter().map(|peer| peer.name.to_owned()));
    let width = |at: usize| {
        let cells = rows.iter().chain([&heads]).filter_map(|row| row.get(at));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    for row in [&heads].into_iter().chain(&rows) {
        for (at, cell) in row.iter().enumerate() {
            let _ = write!(text, "{cell:<width$}  ", width = width(at));
        }
        text.truncate(text.trim_end().len());
        text.push('\n');
    }
    text
}

/// Returns the name of the world in tables.
fn name(block: &Block) -> String {
    let objects = thousands(block.world.objects);
    match block.world.kind {
        Kind::Uniform => format!("uniform, {objects} Pods"),
        Kind::Mixed => format!("mixed, {objects} Pods"),
        Kind::File => format!("{objects} objects of the file"),
        Kind::Sustained => format!("{objects} Pods"),
        Kind::ConfigMaps => "ConfigMaps".to_owned(),
        Kind::Secrets => "Secrets".to_owned(),
        Kind::Certificates => "Certificates".to_owned(),
        Kind::Routes => "HTTPRoutes".to_owned(),
        Kind::Applications => "Applications".to_owned(),
        Kind::Types => format!("{objects} types"),
    }
}

/// Returns the name of the world, with the numbers of events and runs.
pub(super) fn heading(block: &Block) -> String {
    let events = thousands(block.world.events);
    let runs = match block.runs {
        1 => "one run".to_owned(),
        runs => format!("median of {runs} runs"),
    };
    format!("{}, {events} events, {runs}", name(block))
}

fn title(peer: &str) -> String {
    let peer: Result<Peer, String> = peer.parse();
    peer.map_or_else(|name| name, |peer| peer.title())
}

fn ratio_of(block: &Block, (_, own, peer): &Pair, id: &str, inverse: bool) -> String {
    let both = block.spread(own, id).zip(block.spread(peer, id));
    some_or_dash(both.map_or_else(String::new, |(own, peer)| {
        let spread = if inverse {
            peer.over(&own)
        } else {
            own.over(&peer)
        };
        with_range(&spread, ratio)
    }))
}

/// Returns the median of a figure, and the range if the runs differ.
fn amount(block: &Block, peer: &str, id: &str) -> String {
    let spread = block.spread(peer, id);
    some_or_dash(spread.map_or_else(String::new, |spread| with_range(&spread, decimals(id))))
}

fn median(block: &Block, peer: &str, id: &str) -> Option<String> {
    block
        .spread(peer, id)
        .map(|spread| decimals(id)(spread.median))
}

/// Returns the format of a figure.
fn decimals(id: &str) -> impl Fn(f64) -> String {
    let figure = FIGURES.iter().find(|(known, ..)| *known == id);
    let decimals = figure.map_or(0, |figure| figure.2);
    move |value| format!("{value:.decimals$}")
}

fn with_range(spread: &Spread, format: impl Fn(f64) -> String) -> String {
    let [least, median, most] = [spread.least, spread.median, spread.most].map(format);
    if least == most {
        median
    } else {
        format!("{median} ({least}–{most})")
    }
}

fn some_or_dash(text: String) -> String {
    if text.is_empty() {
        "–".to_owned()
    } else {
        text
    }
}

/// Formats a ratio with three significant digits.
pub(super) fn ratio(value: f64) -> String {
    let decimals = if value < 0.1 {
        3
    } else if value < 10.0 {
        2
    } else {
        1
    };
    format!("{value:.decimals$}")
}

/// Formats an integer with commas between groups of three digits.
pub(super) fn thousands(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

fn line(first: &str, others: impl IntoIterator<Item = String>) -> Vec<String> {
    [first.to_owned()].into_iter().chain(others).collect()
}

/// Renders a Markdown table; nothing without rows or columns. All columns but the first are
/// right-aligned.
fn table(heads: &[String], rows: impl IntoIterator<Item = Vec<String>>) -> String {
    let rows: Vec<Vec<String>> = rows.into_iter().collect();
    if heads.len() < 2 || rows.is_empty() {
        return String::new();
    }
    let rule = format!("|---|{}\n", "---:|".repeat(heads.len() - 1));
    let row = |cells: &[String]| format!("| {} |\n", cells.join(" | "));
    row(heads) + &rule + &rows.iter().map(|cells| row(cells)).collect::<String>()
}

/// Breaks a paragraph into lines of at most 100 columns.
fn wrap(paragraph: &str) -> String {
    let (mut text, mut columns) = (String::new(), 0);
    for word in paragraph.split_whitespace() {
        let width = word.chars().count();
        let separator = match columns {
            0 => "",
            _ if columns + 1 + width > 100 => "\n",
            _ => " ",
        };
        columns = if separator == " " {
            columns + 1 + width
        } else {
            width
        };
        text.push_str(separator);
        text.push_str(word);
    }
    text
}
