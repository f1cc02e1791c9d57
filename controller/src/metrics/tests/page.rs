//! Tests of the exported page, which a strict reader parses.

use std::collections::BTreeMap;
use std::convert::Infallible;
use std::fs;
use std::path::Path;

use informer_runtime::engine;
use informer_runtime::status::{Reason, SourceError};
use informer_runtime::{InformerMetrics, ObjectKey, Packed, SharedInformerFactory, Typed};
use k8s_openapi::api::core::v1::Pod;
use kube::Client;
use kube::client::Body;
use prometheus_client::encoding::text;
use prometheus_client::registry::Registry;

use crate::metrics::Collector;
use crate::shards::Shards;
use crate::tests::running::Running;
use crate::tests::server::Server;
use crate::workqueue::WorkQueue;

const AWKWARD: &str = "a\"b\\c\nd{},=é";

/// Samples of a page: the series with its labels in page order, and the value.
type Samples = BTreeMap<String, String>;

/// Parses a page. Panics where a strict reader would reject it.
fn read(page: &str) -> Samples {
    let body = page
        .strip_suffix("# EOF\n")
        .expect("the page ends with # EOF");
    let mut samples = Samples::new();
    let mut families = Vec::new();
    let mut lines = body.lines();
    while let Some(line) = lines.next() {
        if let Some(help) = line.strip_prefix("# HELP ") {
            let declared = lines.next().unwrap().strip_prefix("# TYPE ");
            let (name, kind) = declared.unwrap().split_once(' ').unwrap();
            let is_known = families.iter().any(|(known, _)| *known == name);
            assert!(!is_known, "{name} twice");
            assert!(help.starts_with(&format!("{name} ")), "{help}");
            families.push((name, kind));
            continue;
        }
        let (name, kind) = *families.last().expect("a family comes first");
        let (series, value) = line.rsplit_once(' ').unwrap();
        let series = &with_bound_last(series);
        value.parse::<f64>().unwrap();
        let base = series.split('{').next().unwrap();
        let suffix = base.strip_prefix(name).expect("a sample of its family");
        let allowed: &[&str] = match kind {
            "counter" => &["_total"],
            "gauge" => &[""],
            _ => &["_bucket", "_count", "_sum"],
        };
        assert!(allowed.contains(&suffix), "{line}");
        labels(series);
        let known = samples.insert(series.to_owned(), value.to_owned());
        assert!(known.is_none(), "twice: {line}");
    }
    samples
}

/// Moves the label `le` of a series, which the encoder writes first, to the end.
fn with_bound_last(series: &str) -> String {
    let parts = series.split_once("{le=").and_then(|(name, rest)| {
        let (bound, others) = rest.split_once(',')?;
        Some(format!(
            "{name}{{{},le={bound}}}",
            others.strip_suffix('}')?
        ))
    });
    parts.unwrap_or_else(|| series.to_owned())
}

/// Returns the labels of a series, unescaped. The escapes are those of JSON.
fn labels(series: &str) -> Vec<(String, String)> {
    let Some((_, mut rest)) = series.split_once('{') else {
        return Vec::new();
    };
    let mut labels = Vec::new();
    while let Some((name, value)) = rest.split_once('=') {
        let is_valid = |char: char| char.is_ascii_lowercase() || char == '_';
        assert!(name.chars().all(is_valid), "{series}");
        let mut values = serde_json::Deserializer::from_str(value).into_iter::<String>();
        labels.push((name.to_owned(), values.next().unwrap().unwrap()));
        rest = &value[values.byte_offset()..];
        rest = rest.strip_prefix(',').unwrap_or(rest);
    }
    assert_eq!(rest, "}", "{series}");
    labels
}

fn informer(name: &str) -> InformerMetrics {
    let mut metrics = engine::measured(name);
    metrics.labels.name = name.to_owned();
    metrics.labels.group = "apps".to_owned();
    metrics.labels.version = "v1".to_owned();
    metrics.labels.resource = "deployments".to_owned();
    metrics.labels.form = "typed";
    metrics
}

fn factory(names: &[&str]) -> Vec<InformerMetrics> {
    names.iter().copied().map(informer).collect()
}

/// O-01: names and labels are those of client-go. Counters that are zero by reason are left out.
#[test]
fn o01_a_page_has_every_number_once() {
    let collector = Collector::new();
    collector.add_measured("", factory(&["deploy"]));
    let samples = read(&collector.encode());
    let of = "factory=\"\",name=\"deploy\",group=\"apps\",version=\"v1\",resource=\"deployments\",\
              namespace=\"\",form=\"typed\"";
    let value = |name: &str, more: &str| samples[&format!("{name}{{{of}{more}}}")].as_str();
    for (name, more, expected) in [
        ("informer_store_resource_version", "", "42"),
        ("informer_queued_items", "", "0"),
        ("informer_events_total", "", "7"),
        (
            "reflector_lists_total",
            r#",mode="list",reason="initial""#,
            "1",
        ),
        (
            "reflector_list_outcomes_total",
            r#",mode="list",outcome="expired""#,
            "1",
        ),
        ("informer_publish_latency_seconds_count", "", "2"),
        ("informer_publish_latency_seconds_sum", "", "60.0002"),
        (
            "informer_handler_pending",
            r#",handler="deploy",handler_id="3""#,
            "0",
        ),
    ] {
        assert_eq!(value(name, more), expected, "{name}");
    }
    let watches = |series: &String| series.starts_with("reflector_watches_total");
    assert!(!samples.keys().any(watches));
    let bucket = |le: &str| {
        let le = format!(",le=\"{le}\"");
        value("informer_publish_latency_seconds_bucket", &le)
    };
    assert_eq!(
        ["0.0001", "0.00025", "1.0", "10.0", "+Inf"].map(bucket),
        ["0", "1", "1", "1", "2"]
    );
}

/// O-01: names come from the user, and may contain any character.
#[test]
fn o01_label_values_are_escaped() {
    let queue: WorkQueue<ObjectKey> = WorkQueue::new(AWKWARD);
    let collector = Collector::new();
    collector.add_measured(AWKWARD, factory(&[AWKWARD]));
    collector.add_queue(queue.name(), &queue);
    let page = collector.encode();
    assert!(
        page.contains(r#"factory="a\"b\\c\nd{},=é",name="a\"b\\c\nd{},=é""#),
        "{page}"
    );
    assert!(
        page.contains(r#"workqueue_depth{name="a\"b\\c\nd{},=é"} 0"#),
        "{page}"
    );
    let samples = read(&page);
    let read_back = samples.keys().flat_map(|series| labels(series));
    let mut users =
        read_back.filter(|(name, _)| matches!(name.as_str(), "factory" | "name" | "handler"));
    assert!(users.all(|(_, value)| value == AWKWARD));
}

/// O-02: series with the same labels are renamed.
#[test]
fn o02_no_series_is_on_a_page_twice() {
    let queue: WorkQueue<ObjectKey> = WorkQueue::new("q");
    let collector = Collector::new();
    collector.add_measured("one", factory(&["pods", "pods #2"]));
    collector.add_measured("one", factory(&["pods"]));
    collector.add_measured("other", factory(&["pods"]));
    collector.add_measured("one", vec![informer("pods")]);
    collector.add_queue(queue.name(), &queue);
    collector.add_queue(queue.name(), &queue);
    let samples = read(&collector.encode());
    let names = |family: &str| -> Vec<String> {
        let series = samples
            .keys()
            .filter(|series| series.starts_with(&format!("{family}{{")));
        let texts = series.map(|series| {
            let users = labels(series).into_iter().take(2);
            let users = users.filter(|(name, _)| matches!(name.as_str(), "factory" | "name"));
            users.map(|(_, value)| value).collect::<Vec<_>>().join("/")
        });
        texts.collect()
    };
    let mut informers = names("informer_objects");
    informers.sort();
    assert_eq!(
        informers,
        [
            "one/pods",
            "one/pods #2",
            "one/pods #3",
            "one/pods #4",
            "other/pods"
        ]
    );
    let mut queues = names("workqueue_depth");
    queues.sort();
    assert_eq!(queues, ["q", "q #2"]);
}

#[test]
fn an_empty_page_is_a_page() {
    assert_eq!(Collector::new().encode(), "# EOF\n");
}

/// O-02: two factories and two queues with one collector in a program's registry. Dropped ones
/// disappear from the next page.
#[tokio::test(start_paused = true)]
async fn o02_a_collector_keeps_nothing_alive() {
    // Answers nothing.
    let service = tower::service_fn(|_: http::Request<Body>| {
        std::future::pending::<Result<http::Response<Body>, Infallible>>()
    });
    let client = Client::new(service, "default");
    let [kept, dropped] = ["kept", "dropped"].map(|name| {
        let factory = SharedInformerFactory::builder(client.clone())
            .build()
            .unwrap();
        let pods = factory.informer::<Pod>();
        (name, factory, pods, WorkQueue::<ObjectKey>::new(name))
    });
    let mut registry = Registry::default();
    let collector = Collector::new();
    collector.register(&mut registry);
    for (name, factory, _, queue) in [&kept, &dropped] {
        collector.add_factory(name, factory);
        collector.add_queue(name, queue);
    }
    let shown = || {
        let mut page = String::new();
        text::encode(&mut page, &registry).unwrap();
        let samples = read(&page);
        let series = samples.into_keys();
        let series = series.filter(|series| {
            series.starts_with("informer_objects{") || series.starts_with("workqueue_depth{")
        });
        let names = series.map(|series| labels(&series)[0].1.clone());
        names.collect::<Vec<_>>()
    };
    assert_eq!(shown(), ["dropped", "kept", "dropped", "kept"]);
    drop(dropped);
    assert_eq!(shown(), ["kept", "kept"]);
    drop(kept);
    assert_eq!(shown(), [""; 0]);
}

/// O-01: the memory of packed storage is on the page, and that of other storage is not.
#[tokio::test(start_paused = true)]
async fn o01_packed_storage_shows_its_memory() {
    let world = Running::<Packed>::synced(&["a", "b"]).await;
    let packed = &world.informer;
    let memory = packed.metrics().packed.unwrap();
    assert_eq!(memory.objects, 2);
    let shown = |collector: &Collector| read(&collector.encode());
    let collector = Collector::new();
    collector.add_informer(packed);
    let samples = shown(&collector);
    for (family, bytes) in [
        ("informer_packed_bytes", memory.total()),
        ("informer_packed_object_bytes", memory.packed_bytes),
        ("informer_packed_unpacked_bytes", memory.unpacked_bytes),
        (
            "informer_packed_dictionary_bytes",
            memory.dictionary_bytes + memory.sample_bytes,
        ),
    ] {
        let mut of_family = samples
            .iter()
            .filter(|(series, _)| series.starts_with(&format!("{family}{{")));
        assert_eq!(of_family.next().unwrap().1, &bytes.to_string(), "{family}");
    }
    world.stop().await;
    let typed = Running::<Typed>::new(&[]).informer;
    let collector = Collector::new();
    collector.add_informer(&typed);
    assert!(
        shown(&collector)
            .into_keys()
            .all(|series| !series.starts_with("informer_packed_bytes{"))
    );
}

/// O-01: each series of a state is 1 in that state only.
#[tokio::test(start_paused = true)]
async fn o01_the_state_of_an_informer_is_on_the_page() {
    let mut world = Running::<Typed>::new(&[]);
    world.source.set_supports_watch_list(false);
    let malformed = SourceError::Malformed("nonsense".to_owned());
    world.source.list_error(malformed);
    let collector = Collector::new();
    collector.add_informer(&world.informer);
    let current = || {
        let samples = read(&collector.encode());
        let states = samples
            .iter()
            .filter(|(series, _)| series.starts_with("informer_state{"));
        let states: Vec<_> = states
            .map(|(series, value)| (labels(series).pop().unwrap(), value.clone()))
            .collect();
        assert_eq!(states.len(), 6);
        let others = states.iter().filter(|(_, value)| value == "0").count();
        assert_eq!(others, 5, "{states:?}");
        let current = states.into_iter().find(|(_, value)| value == "1").unwrap();
        assert_eq!(current.0.0, "state");
        current.0.1
    };
    assert_eq!(current(), "pending");
    world.start();
    world.informer.wait_for_sync().await.unwrap_err();
    assert_eq!(current(), "degraded");
    world.source.list_error(None);
    let mut changes = world.informer.status_changes();
    changes.wait_for(|status| status.has_synced).await.unwrap();
    assert_eq!(current(), "synced");
    let _stopped = world.stop().await;
    assert_eq!(current(), "stopped");
}

/// O-01: the guide describes every family, and no other.
#[tokio::test]
async fn o01_the_guide_lists_every_family() {
    let queue: WorkQueue<ObjectKey> = WorkQueue::new("q");
    let collector = Collector::new();
    collector.add_measured("", factory(&["pods"]));
    collector.add_queue(queue.name(), &queue);
    let shards = Shards::builder(Server::new(0).client(), "group")
        .join()
        .await;
    let shards = shards.unwrap();
    collector.add_shards(&shards);
    let page = collector.encode();
    let mut families: Vec<String> = page
        .lines()
        .filter_map(|line| line.strip_prefix("# TYPE ")?.split_once(' '))
        .map(|(name, kind)| match kind {
            "counter" => format!("{name}_total"),
            _ => name.to_owned(),
        })
        .collect();
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/metrics.md");
    let guide = fs::read_to_string(guide).unwrap();
    let rows: Vec<&str> = guide
        .lines()
        .filter_map(|line| line.strip_prefix("| `")?.split_once('`'))
        .map(|(name, _)| name)
        .collect();
    let is_family = |name: &&str| {
        let prefixes = ["informer_", "reflector_", "workqueue_"];
        prefixes.iter().any(|prefix| name.starts_with(prefix))
    };
    let mut listed: Vec<&str> = rows.iter().copied().filter(is_family).collect();
    families.sort();
    listed.sort_unstable();
    assert_eq!(listed, families);
    let unlisted: Vec<Reason> = Reason::ALL
        .into_iter()
        .filter(|reason| !rows.contains(&reason.as_str()))
        .collect();
    assert_eq!(unlisted, [], "reasons without a row");
}
