//! Tables: the measured parts of docs/performance.md and of README.md, and those of a terminal.

use std::fmt::Write as _;

use super::data::{Block, Data};
use super::figures::Spread;
use crate::peers::{BASE, Peer};
use crate::world::Kind;

/// Smaller worlds appear in the table of gets and in the CSV only, because the start of a
/// connection dominates them.
const LEAST_OBJECTS: usize = 20_000;

/// Rows of a table of ratios: title, figure, and whether the ratio is the peer's to informer's.
const RATIOS: [(&str, (&str, bool)); 9] = [
    ("sync: times as fast", ("sync_seconds", true)),
    ("resident memory: share", ("resident_kib_per_object", false)),
    (
        "relist, nothing changed: times as fast",
        ("relist_seconds", true),
    ),
    (
        "watch events per second: times as many",
        ("events_per_second", false),
    ),
    ("CPU per watch event: share", ("event_cpu_micros", false)),
    ("latency of an event, p99: share", ("latency_p99_ms", false)),
    ("get: times as fast", ("get_nanos", true)),
    ("list by index: times as fast", ("index_list_micros", true)),
    ("list by labels: times as fast", ("label_list_ms", true)),
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
    let of = |kind| {
        data.blocks
            .iter()
            .filter(move |block| block.world.kind == kind)
    };
    let picture = "![The main figures](performance.svg)".to_owned();
    let mut parts = vec![data.conditions.clone(), picture];
    for kind in [Kind::Uniform, Kind::Mixed] {
        let large = of(kind).filter(|block| block.world.objects >= LEAST_OBJECTS);
        let columns = pairs("/protobuf").into_iter().flat_map(|(title, pair)| {
            let column = move |block: &'_ Block| {
                let size = thousands(block.world.objects);
                (format!("{title}, {size}"), (pair.clone(), block.clone()))
            };
            large.clone().map(column).collect::<Vec<_>>()
        });
        let columns: Vec<_> = columns.collect();
        let cell = |figure: &_, (pair, block): &(_, Block)| ratio_of(block, pair, figure);
        parts.push(table(&format!("{kind} Pods"), &columns, &RATIOS, cell));
    }
    let mut custom = Vec::new();
    for block in Kind::OF_ONE_KIND.into_iter().flat_map(of) {
        // The sync, the memory and the events.
        for (title, figure) in [RATIOS[0], RATIOS[1], RATIOS[3]] {
            custom.push((format!("{}, {title}", name(block)), (block, figure)));
        }
    }
    let cell = |(block, figure): &(&Block, _), pair: &_| ratio_of(block, pair, figure);
    parts.push(table("custom resources", &pairs(""), &custom, cell));
    let pods = of(Kind::Uniform).chain(of(Kind::Mixed));
    let pods: Vec<_> = pods.map(|block| (name(block), block)).collect();
    let [base, client_go, unpacked, packed] = README_PEERS;
    let cell = |peer: &&str, block: &&Block| amount(block, peer, "get_nanos");
    parts.push(table(
        "a get, ns",
        &pods,
        &[unpacked, packed, client_go, base],
        cell,
    ));
    for block in of(Kind::Sustained) {
        let head = format!("{}, {} events", name(block), thousands(block.world.events));
        let cell = |peer: &Peer, id: &&str| amount(block, peer.name, id);
        parts.push(table(&head, &SUSTAINED, &titled(block), cell));
    }
    let types: Vec<&Block> = of(Kind::Types).collect();
    let numbers = joined(types.iter().map(|block| block.world.objects.to_string()));
    let rows = types.first().map(|block| titled(block)).unwrap_or_default();
    let cell = |peer: &Peer, id: &&str| {
        let spreads = types.iter().filter_map(|block| block.spread(peer.name, id));
        some_or_dash(joined(spreads.map(|spread| short(spread.median))))
    };
    parts.push(table(&format!("{numbers} types"), &TYPES, &rows, cell));
    parts.retain(|part| !part.is_empty());
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
    let kinds = joined(worlds.iter().map(|block| block.world.kind.to_string()));
    let objects = worlds.first().map_or(0, |block| block.world.objects);
    let head = format!("{} Pods, {kinds}", thousands(objects));
    let cell = |id: &&str, peer: &&str| {
        joined(worlds.iter().map(|block| {
            let both = block.spread(peer, id).zip(block.spread(BASE, id));
            let ratio = both.map(|(own, base)| short(own.median / base.median));
            some_or_dash(ratio.unwrap_or_default())
        }))
    };
    table(&head, &README_PEERS, &README_ROWS, cell)
}

/// Renders all figures for a terminal: the median, the range, and the ratio to the baseline.
pub(crate) fn to_terminal(block: &Block) -> String {
    let mut text = format!("\n{}, times that of {BASE}\n", heading(block));
    for peer in block.peers() {
        for id in block.figures(peer.name) {
            let both = block.spread(peer.name, id).zip(block.spread(BASE, id));
            let both = both.filter(|(_, base)| base.median > 0.0);
            let times = both.map(|(own, base)| format!(" ×{}", short(own.median / base.median)));
            let (name, amount) = (peer.name, amount(block, peer.name, id));
            let times = times.unwrap_or_default();
            let _ = writeln!(text, "{name:<25} {id:<27} {amount}{times}");
        }
    }
    text
}

/// Returns the informers with the peers that they are compared with: title, informer, peer. All
/// peers read JSON, and with `/protobuf` those of client-go and beside it protobuf.
fn pairs(encoding: &str) -> Vec<(String, (String, String))> {
    let of = |(title, name): (&str, &str)| {
        let pair = |peer: &str, encoding: &str| {
            let both = (format!("{name}{encoding}"), format!("{peer}{encoding}"));
            (format!("`{title}` / {peer}"), both)
        };
        [pair(BASE, ""), pair("client-go", encoding)]
    };
    [("Typed", "typed"), ("Packed", "packed")]
        .into_iter()
        .flat_map(of)
        .collect()
}

/// Returns the peers of a world with their titles.
fn titled(block: &Block) -> Vec<(String, Peer)> {
    block
        .peers()
        .into_iter()
        .map(|peer| (peer.title(), peer))
        .collect()
}

/// Returns the name of the world in tables.
fn name(block: &Block) -> String {
    let objects = thousands(block.world.objects);
    match block.world.kind {
        kind @ (Kind::Uniform | Kind::Mixed) => format!("{kind}, {objects} Pods"),
        Kind::File => format!("{objects} objects of the file"),
        Kind::Sustained => format!("{objects} Pods"),
        Kind::Types => format!("{objects} types"),
        Kind::ConfigMaps => "ConfigMaps".to_owned(),
        Kind::Secrets => "Secrets".to_owned(),
        Kind::Certificates => "Certificates".to_owned(),
        Kind::Routes => "HTTPRoutes".to_owned(),
        Kind::Applications => "Applications".to_owned(),
    }
}

/// Returns the name of the world, with the numbers of events and runs.
pub(super) fn heading(block: &Block) -> String {
    let events = thousands(block.world.events);
    format!(
        "{}, {events} events, median of {} runs",
        name(block),
        block.runs
    )
}

fn ratio_of(block: &Block, (own, peer): &(String, String), (id, inverse): &(&str, bool)) -> String {
    let both = block.spread(own, id).zip(block.spread(peer, id));
    let ratio = both.map(|(own, peer)| {
        if *inverse {
            peer.over(&own)
        } else {
            own.over(&peer)
        }
    });
    with_range(ratio)
}

/// Returns the median of a figure, and the range if the runs differ.
fn amount(block: &Block, peer: &str, id: &str) -> String {
    with_range(block.spread(peer, id))
}

fn with_range(spread: Option<Spread>) -> String {
    let Some(Spread {
        median,
        least,
        most,
    }) = spread
    else {
        return some_or_dash(String::new());
    };
    match [least, median, most].map(short) {
        [least, median, most] if least == most => median,
        [least, median, most] => format!("{median} ({least}–{most})"),
    }
}

fn some_or_dash(text: String) -> String {
    if text.is_empty() {
        "–".to_owned()
    } else {
        text
    }
}

fn joined(parts: impl Iterator<Item = String>) -> String {
    parts.collect::<Vec<_>>().join(" / ")
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
pub(super) fn thousands(number: usize) -> String {
    match number {
        0..1000 => number.to_string(),
        _ => format!("{},{:03}", thousands(number / 1000), number % 1000),
    }
}

/// Renders a Markdown table of titled columns and rows; nothing without rows or columns.
fn table<C, R>(
    head: &str,
    columns: &[(impl AsRef<str>, C)],
    rows: &[(impl AsRef<str>, R)],
    cell: impl Fn(&R, &C) -> String,
) -> String {
    if columns.is_empty() || rows.is_empty() {
        return String::new();
    }
    let mut text = format!("| {head} |");
    text.extend(
        columns
            .iter()
            .map(|(title, _)| format!(" {} |", title.as_ref())),
    );
    let _ = write!(text, "\n|---|{}", "---:|".repeat(columns.len()));
    for (title, row) in rows {
        let _ = write!(text, "\n| {} |", title.as_ref());
        text.extend(
            columns
                .iter()
                .map(|(_, column)| format!(" {} |", cell(row, column))),
        );
    }
    text
}
