//! The measured parts of docs/performance.md and of README.md.

use super::block::Block;
use super::data::Data;
use super::goals;
use super::text::{interval, ratio, table, thousands, wrap};
use crate::figures::{
    EVENT_CPU, EVENTS, Figure, GETS, INDEX_LIST, LABEL_LIST, LATENCY_P99, RELIST, RESIDENT, SYNC,
    SYNC_PEAK, Spread,
};
use crate::peers::BASE;

/// Smaller worlds appear in the CSV only, because the start of a connection dominates them.
const LEAST_OBJECTS: usize = 20_000;

/// An informer with the peer that it is compared with.
struct Pair {
    head: &'static str,
    own: &'static str,
    peer: &'static str,
}

const PAIRS: [Pair; 4] = [
    Pair {
        head: "`Typed` / kube-runtime",
        own: "typed",
        peer: BASE,
    },
    Pair {
        head: "`Typed` / client-go",
        own: "typed/protobuf",
        peer: "client-go/protobuf",
    },
    Pair {
        head: "`Packed` / kube-runtime",
        own: "packed",
        peer: BASE,
    },
    Pair {
        head: "`Packed` / client-go",
        own: "packed/protobuf",
        peer: "client-go/protobuf",
    },
];

/// Row of the table of ratios.
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

const MEASURES: [Measure; 10] = [
    measure("sync", SYNC, Unit::TimesAsFast),
    measure("resident memory", RESIDENT, Unit::Share),
    measure("peak memory", SYNC_PEAK, Unit::Share),
    measure("relist, nothing changed", RELIST, Unit::TimesAsFast),
    measure("watch events per second", EVENTS, Unit::TimesAsMany),
    measure("CPU per watch event", EVENT_CPU, Unit::Share),
    measure("latency of an event, p99", LATENCY_P99, Unit::Share),
    measure("gets per second", GETS, Unit::TimesAsMany),
    measure("list by index", INDEX_LIST, Unit::TimesAsFast),
    measure("list by labels", LABEL_LIST, Unit::TimesAsFast),
];

const fn measure(name: &'static str, figure: Figure, unit: Unit) -> Measure {
    Measure { name, figure, unit }
}

/// Renders the measured part of docs/performance.md.
pub(super) fn performance(data: &Data) -> String {
    let mut text = format!(
        "{}\n\n![The main figures](performance.svg)\n",
        wrap(&data.conditions)
    );
    let blocks = || {
        let is_shown = |block: &&Block| block.world.objects >= LEAST_OBJECTS;
        data.blocks.iter().filter(is_shown)
    };
    for block in blocks() {
        text.push('\n');
        text.push_str(&ratios(block));
    }
    text.push_str("\n### Goals\n\n");
    text.push_str(&goals::to_markdown(&data.blocks, LEAST_OBJECTS));
    text
}

fn ratios(block: &Block) -> String {
    let heads: Vec<String> = [block.title()]
        .into_iter()
        .chain(PAIRS.map(|pair| pair.head.to_owned()))
        .collect();
    let rows = MEASURES.iter().map(|measure| {
        let cells = PAIRS.iter().map(|pair| {
            let own = block.spread(pair.own, &measure.figure);
            let peer = block.spread(pair.peer, &measure.figure);
            own.zip(peer).map_or_else(
                || "–".to_owned(),
                |(own, peer)| interval(&measure.unit.ratio(&own, &peer)),
            )
        });
        let unit = match measure.unit {
            Unit::TimesAsFast => "times as fast",
            Unit::TimesAsMany => "times as many",
            Unit::Share => "share",
        };
        (format!("{}: {unit}", measure.name), cells.collect())
    });
    table(&heads, &rows.collect::<Vec<_>>())
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

/// Columns of README's table.
const README_PEERS: [(&str, &str); 5] = [
    ("kube-runtime, JSON", BASE),
    ("client-go, JSON", "client-go"),
    ("client-go, protobuf", "client-go/protobuf"),
    ("informer `Typed`, protobuf", "typed/protobuf"),
    ("informer `Packed`, protobuf", "packed/protobuf"),
];

/// Rows of README's table.
const README_FIGURES: [(&str, Figure); 8] = [
    ("time of the first list", SYNC),
    ("memory per object", RESIDENT),
    ("time of a relist without changes", RELIST),
    ("watch events per second", EVENTS),
    ("CPU per event", EVENT_CPU),
    ("latency of an event, p99", LATENCY_P99),
    ("gets per second", GETS),
    ("time of a list by labels", LABEL_LIST),
];

/// Renders the measured part of README.md: the figures of one world, relative to kube-runtime.
pub(super) fn readme(data: &Data) -> String {
    let is_shown = |block: &&Block| block.world.objects >= LEAST_OBJECTS;
    let Some(block) = data.blocks.iter().find(is_shown) else {
        return String::new();
    };
    let heads: Vec<String> = [format!("{} Pods", thousands(block.world.objects))]
        .into_iter()
        .chain(README_PEERS.map(|(title, _)| title.to_owned()))
        .collect();
    let rows = README_FIGURES.map(|(name, figure)| {
        let cells = README_PEERS.map(|(_, peer)| {
            let own = block.spread(peer, &figure);
            own.zip(block.spread(BASE, &figure)).map_or_else(
                || "–".to_owned(),
                |(own, base)| ratio(own.median / base.median),
            )
        });
        (name.to_owned(), cells.to_vec())
    });
    table(&heads, &rows)
}

#[cfg(test)]
mod tests {
    use super::super::block::tests::block;
    use super::*;
    use crate::figures::World;
    use crate::peers::Peer;
    use crate::sample::Sample;

    fn data() -> Data {
        let sample = |elapsed: f64, resident: u64| {
            let mut sample = Sample {
                resident,
                ..Sample::default()
            };
            sample.sync.elapsed = elapsed;
            sample
        };
        let peer = |name: &str| name.parse::<Peer>().unwrap();
        let world = World {
            objects: 20_000,
            events: 1,
        };
        let samples = vec![
            (
                peer(BASE),
                vec![sample(8.0, 400), sample(6.0, 400), sample(9.0, 400)],
            ),
            (
                peer("typed"),
                vec![sample(2.0, 100), sample(2.0, 200), sample(3.0, 100)],
            ),
        ];
        Data {
            conditions: "Measured on a table.".to_owned(),
            blocks: vec![Block::new(world, 3, samples)],
        }
    }

    #[test]
    fn a_ratio_has_the_range_of_all_runs() {
        let page = performance(&data());
        let row = |name: &str| page.lines().find(|line| line.contains(name)).unwrap();
        assert_eq!(
            row("sync: times as fast"),
            "| sync: times as fast | 4.00 (2.00–4.50) | – | – | – |"
        );
        let row = row("resident memory");
        assert!(row.contains("| 0.25 (0.25–0.50) |"), "{row}");
    }

    #[test]
    fn small_worlds_are_not_on_the_page() {
        let mut data = data();
        let mut small = block();
        small.world.objects = 1_000;
        data.blocks.insert(0, small);
        assert!(!performance(&data).contains("1,000 Pods"));
    }

    #[test]
    fn rows_of_a_table_have_the_same_columns() {
        let data = data();
        for text in [performance(&data), readme(&data)] {
            for table in text.split("\n\n").filter(|part| part.starts_with('|')) {
                let columns = |line: &str| line.matches('|').count();
                let mut lines = table.lines().map(columns);
                let first = lines.next();
                assert!(lines.all(|count| Some(count) == first), "{table}");
            }
        }
    }
}
