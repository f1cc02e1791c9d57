//! The measured parts of docs/performance.md and of README.md.

use super::block::Block;
use super::data::Data;
use super::text::{ratio, table, thousands, wrap};
use super::{amounts, goals, ratios};
use crate::figures::{
    EVENT_CPU, EVENTS, Figure, GET, LABEL_LIST, LATENCY_P99, RELIST, RESIDENT, SYNC,
};
use crate::peers::BASE;
use crate::world::Kind;

/// Smaller worlds appear in the table of gets and in the CSV only, because the start of a
/// connection dominates them.
const LEAST_OBJECTS: usize = 20_000;

/// Renders the measured part of docs/performance.md.
pub(super) fn performance(data: &Data) -> String {
    let of = |kind: Kind| {
        data.blocks
            .iter()
            .filter(move |block| block.world.kind == kind)
    };
    let shown = |kind| -> Vec<&Block> {
        of(kind)
            .filter(|block| block.world.objects >= LEAST_OBJECTS)
            .collect()
    };
    let mut parts = vec![
        wrap(&data.conditions),
        "![The main figures](performance.svg)".to_owned(),
    ];
    for (kind, head) in [(Kind::Uniform, "uniform Pods"), (Kind::Mixed, "mixed Pods")] {
        let blocks = shown(kind);
        if !blocks.is_empty() {
            parts.push(ratios::of_pods(head, &blocks));
        }
    }
    let custom = [Kind::Certificates, Kind::Routes, Kind::Applications];
    let custom: Vec<&Block> = custom.into_iter().flat_map(of).collect();
    if !custom.is_empty() {
        parts.push(ratios::of_custom_resources(&custom));
    }
    let pods: Vec<&Block> = [Kind::Uniform, Kind::Mixed]
        .into_iter()
        .flat_map(of)
        .collect();
    parts.push(amounts::of_gets(&pods));
    parts.extend(of(Kind::Sustained).map(amounts::of_sustained));
    let types: Vec<&Block> = of(Kind::Types).collect();
    if !types.is_empty() {
        parts.push(amounts::of_types(&types));
    }
    parts.push("### Goals".to_owned());
    parts.push(goals::to_markdown(&data.blocks, LEAST_OBJECTS));
    let parts: Vec<&str> = parts.iter().map(|part| part.trim_end()).collect();
    parts.join("\n\n") + "\n"
}

/// Columns of README's table.
const README_PEERS: [(&str, &str); 4] = [
    ("kube-runtime, JSON", BASE),
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
    ("time of a get", GET),
    ("time of a list by labels", LABEL_LIST),
];

/// Renders the measured part of README.md: figures relative to kube-runtime, in the uniform and in
/// the mixed world.
pub(super) fn readme(data: &Data) -> String {
    let worlds = [Kind::Uniform, Kind::Mixed].into_iter().filter_map(|kind| {
        let mut blocks = data.blocks.iter();
        blocks.find(|block| block.world.kind == kind && block.world.objects >= LEAST_OBJECTS)
    });
    let worlds: Vec<&Block> = worlds.collect();
    let Some(first) = worlds.first() else {
        return String::new();
    };
    let kinds: Vec<&str> = worlds.iter().map(|block| block.world.kind.name()).collect();
    let pods = thousands(first.world.objects);
    let heads: Vec<String> = [format!("{pods} Pods, {}", kinds.join(" / "))]
        .into_iter()
        .chain(README_PEERS.map(|(title, _)| title.to_owned()))
        .collect();
    let rows = README_FIGURES.map(|(name, figure)| {
        let cells = README_PEERS.map(|(_, peer)| {
            let cells = worlds.iter().map(|block| relative(block, peer, &figure));
            cells.collect::<Vec<_>>().join(" / ")
        });
        (name.to_owned(), cells.to_vec())
    });
    table(&heads, &rows)
}

/// Returns the ratio of the medians of a peer and of the baseline.
fn relative(block: &Block, peer: &str, figure: &Figure) -> String {
    let own = block.spread(peer, figure);
    own.zip(block.spread(BASE, figure)).map_or_else(
        || "–".to_owned(),
        |(own, base)| ratio(own.median / base.median),
    )
}

#[cfg(test)]
pub(super) mod tests {
    use super::super::block::tests::block;
    use super::*;
    use crate::peers::Peer;
    use crate::sample::{Phase, Quantiles, Reads, Sample};
    use crate::world::World;

    fn data() -> Data {
        let sample = |elapsed: f64, resident: u64| {
            let mut sample = Sample {
                resident: Some(resident),
                ..Sample::default()
            };
            sample.sync.elapsed = elapsed;
            sample
        };
        let peer = |name: &str| name.parse::<Peer>().unwrap();
        let world = World {
            kind: Kind::Mixed,
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
        let page = performance(&data);
        let (results, goals) = page.split_once("### Goals").unwrap();
        assert!(!goals.contains("1,000"), "{goals}");
        // Only the cost of a get is shown.
        assert_eq!(results.matches(" 1,000 ").count(), 1, "{results}");
    }

    /// Returns a sample with all figures.
    fn complete() -> Sample {
        let phase = Phase {
            elapsed: 1.0,
            processor: 1.0,
            server: 0.1,
        };
        Sample {
            sync: phase,
            resident: Some(1 << 30),
            sync_peak: Some(1 << 30),
            relist: Some(phase),
            events: Some(phase),
            resident_after_events: Some(1 << 30),
            latency: Some(Quantiles::default()),
            reads: Some(Reads {
                gets: 1.0,
                get: Quantiles::default(),
                index_list: Some(1.0),
                index_visit: Some(1.0),
                selector_list: Some(1.0),
            }),
            heap: Some(1 << 20),
            tasks: Some(1),
            connections: Some(1),
            idle: Some(phase),
            idle_wake_ups: Some(1),
        }
    }

    /// Returns a world of each kind, with all its peers.
    pub(in super::super) fn every_kind() -> Data {
        let worlds = Kind::GENERATED
            .into_iter()
            .flat_map(|kind| World::of(kind, &[1_000, 20_000, 100_000], 20_000));
        let blocks = worlds.map(|world| {
            let measures = |peer: &Peer| peer.measures(world.kind, world.kind.are_pods());
            let peers = Peer::ALL.into_iter().filter(measures);
            let samples = peers.map(|peer| (peer, vec![complete(), complete()]));
            Block::new(world, 3, samples.collect())
        });
        Data {
            conditions: "Measured on a table.".to_owned(),
            blocks: blocks.collect(),
        }
    }

    #[test]
    fn every_world_is_on_the_page() {
        let page = performance(&every_kind());
        for part in [
            "| uniform Pods |",
            "| mixed Pods |",
            "| custom resources |",
            "| a get, ns |",
            "| 5,000 Pods, 400,000 events |",
            "| 1 / 20 / 200 types |",
            "| typed/protobuf: get against client-go/protobuf |",
            "| typed: idle CPU of 200 types against client-go |",
        ] {
            assert!(page.contains(part), "no {part} in:\n{page}");
        }
    }

    #[test]
    fn rows_of_a_table_have_the_same_columns() {
        for data in [data(), every_kind()] {
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
}
