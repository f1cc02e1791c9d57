//! The Grafana dashboard in `docs/grafana.json` has a panel for each metric family.

use std::fmt::Write as _;

use informer::metrics::Collector;
use informer::shards::Shards;
use informer::{Event, ObjectKey, WorkQueue};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::{Value, json};

use crate::support::{Cluster, within};

/// Rows of the dashboard, with the prefix of their families: the first that fits counts.
const ROWS: [(&str, &str); 5] = [
    ("Handlers", "informer_handler_"),
    ("Shards", "informer_shards_"),
    ("Informers", "informer_"),
    ("Lists and watches", "reflector_"),
    ("Work queues", "workqueue_"),
];

const WIDTH: usize = 8;
const HEIGHT: usize = 7;

/// Family of a page of metrics: its name, help text and type.
struct Family<'p> {
    name: &'p str,
    help: &'p str,
    kind: &'p str,
}

fn families(page: &str) -> Vec<Family<'_>> {
    let lines: Vec<&str> = page.lines().collect();
    let pairs = lines.windows(2).filter_map(|pair| {
        let (name, help) = pair[0].strip_prefix("# HELP ")?.split_once(' ')?;
        let (_, kind) = pair[1].strip_prefix("# TYPE ")?.split_once(' ')?;
        Some(Family { name, help, kind })
    });
    pairs.collect()
}

/// Returns the query of a panel, its unit, and the legend of its series.
fn query(family: &Family<'_>) -> (String, &'static str, &'static str) {
    let Family { name, kind, .. } = family;
    let unit = if name.contains("_bytes") {
        "bytes"
    } else if name.contains("_seconds") {
        "s"
    } else {
        "short"
    };
    let labels = match *name {
        "informer_state" => "name, state",
        "informer_shards_moves" => "name, move",
        "reflector_lists" | "reflector_watches" | "workqueue_reasons" => "name, reason",
        "reflector_list_outcomes" | "reflector_watch_outcomes" => "name, outcome",
        _ if name.starts_with("informer_handler_") => "name, handler",
        _ => "name",
    };
    let legend = match labels.split_once(", ") {
        None => "{{name}}",
        Some((_, "state")) => "{{name}} {{state}}",
        Some((_, "move")) => "{{name}} {{move}}",
        Some((_, "reason")) => "{{name}} {{reason}}",
        Some((_, "outcome")) => "{{name}} {{outcome}}",
        Some(_) => "{{name}} {{handler}}",
    };
    let query = match *kind {
        "counter" => format!("sum by ({labels}) (rate({name}_total[$__rate_interval]))"),
        "histogram" => format!(
            "histogram_quantile(0.99, sum by (le, {labels}) (rate({name}_bucket[$__rate_interval])))"
        ),
        _ => format!("sum by ({labels}) ({name})"),
    };
    (query, unit, legend)
}

fn panel(family: &Family<'_>, position: usize, top: usize) -> Value {
    let (query, unit, legend) = query(family);
    let mut title = family.name.replace('_', " ");
    if family.kind == "histogram" {
        let _ = write!(title, ", 99th percentile");
    }
    json!({
        "type": "timeseries",
        "title": title,
        "description": family.help,
        "datasource": { "type": "prometheus", "uid": "${datasource}" },
        "gridPos": {
            "x": position % 3 * WIDTH, "y": top + position / 3 * HEIGHT, "w": WIDTH, "h": HEIGHT,
        },
        "fieldConfig": { "defaults": { "unit": unit, "min": 0 }, "overrides": [] },
        "targets": [{ "expr": query, "legendFormat": legend, "refId": "A" }],
    })
}

fn dashboard(page: &str) -> Value {
    let (mut panels, mut top) = (Vec::new(), 0);
    let row_of = |family: &Family<'_>| {
        ROWS.iter()
            .position(|(_, prefix)| family.name.starts_with(prefix))
    };
    for number in [2, 3, 4, 0, 1] {
        let of_row = families(page);
        let of_row: Vec<_> = of_row
            .iter()
            .filter(|one| row_of(one) == Some(number))
            .collect();
        let place = json!({ "x": 0, "y": top, "w": 3 * WIDTH, "h": 1 });
        panels.push(json!({ "type": "row", "title": ROWS[number].0, "gridPos": place }));
        top += 1;
        let positioned = of_row.iter().enumerate();
        panels.extend(positioned.map(|(position, family)| panel(family, position, top)));
        top += of_row.len().div_ceil(3) * HEIGHT;
    }
    json!({
        "title": "informer",
        "uid": "informer",
        "tags": ["kubernetes", "controller"],
        "schemaVersion": 39,
        "time": { "from": "now-1h", "to": "now" },
        "refresh": "30s",
        "templating": { "list": [{ "name": "datasource", "type": "datasource", "query": "prometheus" }] },
        "panels": panels,
    })
}

/// D-05. `INFORMER_WRITE=1` writes the file anew.
#[tokio::test]
async fn d05_the_dashboard_has_a_panel_for_each_metric_family() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    let maps = factory.informer::<ConfigMap>();
    maps.add_event_handler(|_: Event<ConfigMap>| {}).unwrap();
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    let queue: WorkQueue<ObjectKey> = WorkQueue::new("maps");
    let shards = Shards::builder(cluster.client.clone(), "group")
        .join()
        .await;
    let shards = shards.unwrap();
    let collector = Collector::new();
    collector.add_factory("main", &factory);
    collector.add_queue("maps", &queue);
    collector.add_shards(&shards);
    let page = collector.encode();
    shards.leave().await;
    factory.shutdown().await;
    cluster.server.shutdown().await;

    let expected = format!("{:#}\n", dashboard(&page));
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/grafana.json");
    if std::env::var_os("INFORMER_WRITE").is_some() {
        std::fs::write(file, &expected).unwrap();
    }
    let found = std::fs::read_to_string(file).unwrap();
    assert!(
        found == expected,
        "docs/grafana.json is not what the metrics want: INFORMER_WRITE=1"
    );
    let panels = families(&page);
    assert!(panels.len() > 50 && panels.iter().all(|one| found.contains(one.name)));
}
