//! Tables of the ratios between an informer and a peer.

use super::block::Block;
use super::text::{interval, table, thousands};
use crate::figures::{
    EVENT_CPU, EVENTS, Figure, GET, INDEX_LIST, LABEL_LIST, LATENCY_P99, RELIST, RESIDENT, SYNC,
    Spread,
};
use crate::peers::BASE;

/// An informer with the peer that it is compared with.
struct Pair {
    head: &'static str,
    own: &'static str,
    peer: &'static str,
}

const OF_PODS: [Pair; 4] = [
    pair("`Typed` / kube-runtime", "typed", BASE),
    pair(
        "`Typed` / client-go",
        "typed/protobuf",
        "client-go/protobuf",
    ),
    pair("`Packed` / kube-runtime", "packed", BASE),
    pair(
        "`Packed` / client-go",
        "packed/protobuf",
        "client-go/protobuf",
    ),
];

/// Custom resources have no protobuf.
const OF_CUSTOM_RESOURCES: [Pair; 4] = [
    pair("`Typed` / kube-runtime", "typed", BASE),
    pair("`Typed` / client-go", "typed", "client-go"),
    pair("`Packed` / kube-runtime", "packed", BASE),
    pair("`Packed` / client-go", "packed", "client-go"),
];

const fn pair(head: &'static str, own: &'static str, peer: &'static str) -> Pair {
    Pair { head, own, peer }
}

/// Row of a table of ratios.
struct Measure {
    name: &'static str,
    figure: Figure,
    unit: Unit,
}

/// Direction of a ratio.
#[derive(Clone, Copy)]
enum Unit {
    /// The peer's time divided by the informer's.
    TimesAsFast,
    /// The informer's number divided by the peer's.
    TimesAsMany,
    /// The informer's amount divided by the peer's.
    Share,
}

const MEASURES: [Measure; 9] = [
    measure("sync", SYNC, Unit::TimesAsFast),
    measure("resident memory", RESIDENT, Unit::Share),
    measure("relist, nothing changed", RELIST, Unit::TimesAsFast),
    measure("watch events per second", EVENTS, Unit::TimesAsMany),
    measure("CPU per watch event", EVENT_CPU, Unit::Share),
    measure("latency of an event, p99", LATENCY_P99, Unit::Share),
    measure("get", GET, Unit::TimesAsFast),
    measure("list by index", INDEX_LIST, Unit::TimesAsFast),
    measure("list by labels", LABEL_LIST, Unit::TimesAsFast),
];

const OF_EACH_CUSTOM_RESOURCE: [Measure; 3] = [
    measure("sync", SYNC, Unit::TimesAsFast),
    measure("resident memory", RESIDENT, Unit::Share),
    measure("watch events per second", EVENTS, Unit::TimesAsMany),
];

const fn measure(name: &'static str, figure: Figure, unit: Unit) -> Measure {
    Measure { name, figure, unit }
}

// === impl Measure ===

impl Measure {
    fn title(&self) -> String {
        let unit = match self.unit {
            Unit::TimesAsFast => "times as fast",
            Unit::TimesAsMany => "times as many",
            Unit::Share => "share",
        };
        format!("{}: {unit}", self.name)
    }

    fn cell(&self, block: &Block, pair: &Pair) -> String {
        let own = block.spread(pair.own, &self.figure);
        let peer = block.spread(pair.peer, &self.figure);
        own.zip(peer).map_or_else(
            || "–".to_owned(),
            |(own, peer)| interval(&self.unit.ratio(&own, &peer)),
        )
    }
}

// === impl Unit ===

impl Unit {
    fn ratio(self, own: &Spread, peer: &Spread) -> Spread {
        match self {
            Self::TimesAsFast => peer.over(own),
            Self::TimesAsMany | Self::Share => own.over(peer),
        }
    }
}

/// Renders a table of worlds of one kind, with a column for each pair and world.
pub(super) fn of_pods(head: &str, blocks: &[&Block]) -> String {
    let columns = || {
        let pairs = OF_PODS.iter();
        pairs.flat_map(|pair| blocks.iter().map(move |block| (pair, *block)))
    };
    let heads = columns().map(|(pair, block)| {
        let objects = thousands(block.world.objects);
        format!("{}, {objects}", pair.head)
    });
    let heads: Vec<String> = [head.to_owned()].into_iter().chain(heads).collect();
    let rows = MEASURES.iter().map(|measure| {
        let cells = columns().map(|(pair, block)| measure.cell(block, pair));
        (measure.title(), cells.collect())
    });
    table(&heads, &rows.collect::<Vec<_>>())
}

/// Renders a table with rows for each custom resource.
pub(super) fn of_custom_resources(blocks: &[&Block]) -> String {
    let heads = OF_CUSTOM_RESOURCES.iter().map(|pair| pair.head.to_owned());
    let heads: Vec<String> = ["custom resources".to_owned()]
        .into_iter()
        .chain(heads)
        .collect();
    let rows = blocks.iter().flat_map(|block| {
        let measures = OF_EACH_CUSTOM_RESOURCE.iter();
        measures.map(|measure| {
            let pairs = OF_CUSTOM_RESOURCES.iter();
            let cells = pairs.map(|pair| measure.cell(block, pair));
            let title = format!("{}, {}", block.name(), measure.title());
            (title, cells.collect())
        })
    });
    table(&heads, &rows.collect::<Vec<_>>())
}
