//! Tables of the figures themselves, without ratios.

use super::block::Block;
use super::text::{table, thousands};
use crate::figures::{
    CONNECTIONS, EVENT_CPU, EVENTS, Figure, GET, HEAP, IDLE_CPU, IDLE_WAKE_UPS, RESIDENT_AFTER,
    RESIDENT_TOTAL, SYNC, TASKS,
};
use crate::peers::Peer;

/// Renders the cost of a get, with a row for each peer and a column for each world.
pub(super) fn of_gets(blocks: &[&Block]) -> String {
    const PEERS: [&str; 4] = [
        "typed/protobuf",
        "packed/protobuf",
        "client-go/protobuf",
        "kube-runtime",
    ];
    let worlds = blocks.iter().map(|block| block.name());
    let heads = ["a get, ns".to_owned()].into_iter().chain(worlds);
    let rows = PEERS.iter().map(|peer| {
        let cells = blocks.iter().map(|block| cell(block, peer, &GET));
        (title(peer), cells.collect())
    });
    table(&heads.collect::<Vec<_>>(), &rows.collect::<Vec<_>>())
}

/// Renders the sustained world, with a row for each peer.
pub(super) fn of_sustained(block: &Block) -> String {
    let events = thousands(block.world.events);
    let head = format!("{}, {events} events", block.name());
    let columns = [
        ("events per s", EVENTS),
        ("CPU per event, µs", EVENT_CPU),
        ("resident after the sync, MiB", RESIDENT_TOTAL),
        ("after the events", RESIDENT_AFTER),
    ];
    let heads = columns.iter().map(|(name, _)| (*name).to_owned());
    let heads: Vec<String> = [head].into_iter().chain(heads).collect();
    let rows = block.results.iter().map(|results| {
        let cells = columns.iter();
        let cells = cells.map(|(_, figure)| cell(block, results.peer.name, figure));
        (results.peer.title(), cells.collect())
    });
    table(&heads, &rows.collect::<Vec<_>>())
}

/// Renders the worlds of many types, with a row for each peer and a column for each figure and
/// world.
pub(super) fn of_types(blocks: &[&Block]) -> String {
    const FIGURES: [(&str, Figure); 7] = [
        ("resident, MiB", RESIDENT_TOTAL),
        ("heap, MiB", HEAP),
        ("tasks", TASKS),
        ("connections", CONNECTIONS),
        ("sync, s", SYNC),
        ("wake-ups per idle minute", IDLE_WAKE_UPS),
        ("idle CPU, ms per minute", IDLE_CPU),
    ];
    let types: Vec<String> = blocks
        .iter()
        .map(|block| block.world.objects.to_string())
        .collect();
    let heads = FIGURES.iter().map(|(name, _)| (*name).to_owned());
    let head = format!("{} types", types.join(" / "));
    let heads: Vec<String> = [head].into_iter().chain(heads).collect();
    let peers = blocks.first().map(|block| &*block.results);
    let rows = peers.unwrap_or_default().iter().map(|results| {
        let cells = FIGURES.iter().map(|(_, figure)| {
            let cells = blocks
                .iter()
                .map(|block| median(block, results.peer.name, figure));
            let cells: Vec<String> = cells.flatten().collect();
            if cells.is_empty() {
                "–".to_owned()
            } else {
                cells.join(" / ")
            }
        });
        (results.peer.title(), cells.collect())
    });
    table(&heads, &rows.collect::<Vec<_>>())
}

fn title(peer: &str) -> String {
    peer.parse::<Peer>()
        .map_or_else(|_| peer.to_owned(), |peer| peer.title())
}

fn median(block: &Block, peer: &str, figure: &Figure) -> Option<String> {
    let median = block.spread(peer, figure)?.median;
    Some(format!("{median:.*}", figure.decimals))
}

/// Returns the median, and the range if the runs differ.
fn cell(block: &Block, peer: &str, figure: &Figure) -> String {
    let Some(spread) = block.spread(peer, figure) else {
        return "–".to_owned();
    };
    let number = |value: f64| format!("{value:.*}", figure.decimals);
    let [least, median, most] = [spread.least, spread.median, spread.most].map(number);
    if least == most {
        median
    } else {
        format!("{median} ({least}–{most})")
    }
}
