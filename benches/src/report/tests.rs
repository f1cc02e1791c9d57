use clap::ValueEnum as _;

use super::data::Spread;
use super::*;
use crate::peers::Peer;
use crate::sample::{Phase, Quantiles, Reads, Sample};
use crate::world::World;

fn phase(elapsed: f64) -> Phase {
    Phase {
        elapsed,
        processor: 1.0,
        server: 0.5,
    }
}

/// Returns a sample with every figure.
fn sample(elapsed: f64) -> Sample {
    Sample {
        sync: phase(elapsed),
        resident: Some(1 << 30),
        sync_peak: Some(1 << 30),
        relist: Some(phase(elapsed)),
        events: Some(phase(elapsed)),
        resident_after_events: Some(1 << 30),
        latency: Some(Quantiles::default()),
        reads: Some(Reads {
            get: Some(1.0),
            get_field: Some(1.0),
            borrow: Some(1.0),
            gets_of_two: Some(1.0),
            index_list: Some(1.0),
            index_visit: Some(1.0),
            selector_list: Some(1.0),
            label_list: Some(1.0),
        }),
        heap: Some(1 << 20),
        tasks: Some(1),
        connections: Some(1),
        idle: Some(phase(elapsed)),
        idle_wake_ups: Some(1),
    }
}

/// Returns a world of each kind, with all peers.
fn every_kind() -> Data {
    let kinds = Kind::value_variants().iter().copied();
    let worlds = kinds.flat_map(|kind| World::of(kind, &[20_000, 1_000], 20_000));
    let samples = |peer: Peer| (peer, [4.0, 1.0, 2.0, 9.0].map(sample).to_vec());
    let samples = Peer::ALL.map(samples);
    Data {
        conditions: "Measured on a table.".to_owned(),
        blocks: worlds.map(|world| Block::new(world, 4, &samples)).collect(),
    }
}

#[test]
fn the_pages_are_what_the_data_says() {
    let data = Data::from_csv(include_str!("../../../docs/performance.csv")).unwrap();
    for (page, measured) in pages(&data) {
        let text = fs::read_to_string(path(page)).unwrap();
        assert!(
            replace(&text, &measured) == Some(text),
            "{page} is not what {DATA} says: `cargo run -p informer-benches -- render` writes it"
        );
    }
}

#[test]
fn every_world_is_on_the_page_in_tables_of_equal_rows() {
    let page = page::tables(&every_kind());
    for part in [
        "| uniform 20,000: informer Typed, JSON / kube-runtime, JSON |",
        "| uniform 20,000: informer Typed, JSON, with managedFields / kube-runtime, JSON, with managedFields |",
        "| uniform 20,000: informer Typed, JSON / kube-runtime, JSON, with managedFields |",
        "| mixed 20,000: informer Packed, protobuf, streaming list / client-go, protobuf, streaming list |",
        "| routes 20,000: informer Typed, JSON / client-go, JSON |",
        "| routes 20,000: informer DynamicObject, JSON / client-go dynamic, JSON |",
        "| uniform 20,000: informer Tiered, protobuf |",
        "| mixed 1,000: informer Packed, protobuf / client-go, protobuf |",
        "| secrets 20,000: informer Typed, JSON / kube-runtime, JSON |",
        "| sustained 5,000: informer Typed, JSON, mimalloc |",
        "| types 200: informer DynamicObject, JSON |",
    ] {
        assert!(page.contains(part), "no {part} in:\n{page}");
    }
    for table in page.split("\n\n").filter(|part| part.starts_with('|')) {
        let mut columns = table.lines().map(|line| line.matches('|').count());
        let first = columns.next();
        assert!(columns.all(|count| Some(count) == first), "{table}");
    }
    assert_eq!(page::tables(&Data::default()).matches('|').count(), 0);
}

#[test]
fn readme_divides_by_a_peer_that_keeps_the_same_fields() {
    let readme = page::readme(&every_kind());
    for part in [
        "| uniform 20,000: client-go, protobuf / kube-runtime, JSON |",
        "| mixed 20,000: informer Typed, protobuf / kube-runtime, JSON |",
    ] {
        assert!(readme.contains(part), "no {part} in:\n{readme}");
    }
    assert!(!readme.contains("managedFields"), "{readme}");
}

#[test]
fn a_figure_has_its_median_and_its_range() {
    let data = every_kind();
    let spread = data.blocks[0].spread("typed", "sync_seconds");
    let expected = Spread {
        median: 3.0,
        least: 1.0,
        most: 9.0,
    };
    assert_eq!(spread, Some(expected));
    let text = to_terminal(&data.blocks[0]);
    assert!(
        text.contains("uniform 20,000, 20,000 events, median of 4 runs"),
        "{text}"
    );
    assert!(text.contains("3.00 (1.00–9.00) ×1.00"), "{text}");
}

#[test]
fn what_is_written_is_read_and_an_error_has_its_line() {
    let csv = every_kind().to_csv().unwrap();
    assert_eq!(Data::from_csv(&csv).unwrap().to_csv().unwrap(), csv);
    let header = csv.lines().nth(1).unwrap();
    for (line, expected) in [
        ("uniform,2", "fields"),
        ("uniform,1,2,3,typed,sync_seconds,1,x,1", "invalid float"),
        (
            "flat,1,2,3,typed,sync_seconds,1,1,1",
            "unknown variant `flat`",
        ),
    ] {
        let error = Data::from_csv(&format!("# -\n{header}\n{line}\n"));
        let error = error.unwrap_err().to_string();
        assert!(
            error.contains("line: 3") && error.contains(expected),
            "{error}"
        );
    }
}

#[test]
fn the_longest_bar_ends_before_its_number() {
    let block = &every_kind().blocks[0];
    let svg = picture::draw(block);
    assert!(svg.contains("width=\"540.0\""), "{svg}");
    assert!(svg.contains("3.00 ×1.00"), "{svg}");
    assert_eq!(svg.matches("class=\"title\"").count(), 4);
}

#[test]
fn the_conditions_have_versions_and_the_number_of_runs() {
    let blocks = every_kind().blocks;
    let line = conditions(&blocks, Some("go1"), &["Busy.".to_owned()]);
    assert!(
        line.contains("kube-runtime ") && !line.contains('?'),
        "{line}"
    );
    assert!(line.contains("client-go v0."), "{line}");
    assert!(line.ends_with(" cores, 4 runs of each. Busy."), "{line}");
}

#[test]
fn only_the_measured_part_of_a_page_is_replaced() {
    let page = format!("before\n{BEGIN}old\n{END}after\n");
    let new = replace(&page, "new\n").unwrap();
    assert_eq!(new, format!("before\n{BEGIN}\nnew\n\n{END}after\n"));
    assert_eq!(replace("no markers", "new"), None);
}
