//! Pure parts by tables; the number of renderings, and limits of time, by a paused clock.

use std::future::pending;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::Duration;

use http::Request;
use http_body_util::BodyExt as _;
use informer_controller::shards::ShardsStatus;
use informer_controller::workqueue::{Action, Again, Outcome, Reasons, RecordedCall};
use informer_runtime::{FieldPath, ObjectKey, ResourceVersion, SharedInformerFactory};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::time::{Instant, sleep};
use tower::Service as _;

use crate::Service;
use crate::connections::{OpenConnection, Peer, Progress, victim};
use crate::history::History;
use crate::html::{Tone, spark};
use crate::read::{handler_name, holders, short_name};
use crate::redact::redact;
use crate::series::{ChangedAt, POINTS, Series};
use crate::serve::{connection, run};
use crate::shared::Recent;
use crate::text::{number, ranges, size, time};

const SECOND: Duration = Duration::from_secs(1);

/// D-03.
#[test]
fn d03_secrets_annotations_and_named_fields_are_removed() {
    let paths = [
        "spec.tls[*].key",
        "spec.password",
        "metadata.labels['a.b/c']",
    ];
    let paths = paths.map(|path| path.parse::<FieldPath>().unwrap());
    let hidden = "(redacted)";
    for (is_secret, mut object, expected, removed, absent) in [
        (
            true,
            json!({ "data": { "a": "YQ==" }, "stringData": { "b": "c" }, "type": "Opaque" }),
            json!({ "data": { "a": hidden }, "stringData": { "b": hidden }, "type": "Opaque" }),
            vec!["YQ==", "c"],
            3,
        ),
        (
            false,
            json!({ "data": { "a": "b" }, "metadata": { "annotations": { "x": "four" } } }),
            json!({ "data": { "a": "b" }, "metadata": { "annotations": { "x": "(4 bytes)" } } }),
            vec![],
            3,
        ),
        (
            false,
            json!({ "spec": { "template": { "metadata": { "annotations": { "x": "yz" } } } } }),
            json!({ "spec": { "template": { "metadata": { "annotations": { "x": "(2 bytes)" } } } } }),
            vec![],
            3,
        ),
        (
            false,
            json!({ "spec": { "tls": [{ "key": "k1", "host": "h" }, { "key": ["k2", 7] }], "password": null }, "metadata": { "labels": { "a.b/c": "v" } } }),
            json!({ "spec": { "tls": [{ "key": hidden, "host": "h" }, { "key": hidden }], "password": hidden }, "metadata": { "labels": { "a.b/c": hidden } } }),
            vec!["k1", "k2", "7", "v"],
            0,
        ),
        (
            false,
            json!({ "spec": { "tls": [{}] }, "metadata": { "labels": { "a.b/c": ["v"] } } }),
            json!({ "spec": { "tls": [{}] }, "metadata": { "labels": { "a.b/c": hidden } } }),
            vec!["v"],
            2,
        ),
    ] {
        let found = redact(&mut object, is_secret, &paths);
        assert_eq!((&object, found.absent.len()), (&expected, absent));
        assert_eq!(found.values, removed, "{object}");
    }
}

fn push(history: &mut History, key: &ObjectKey, ended: Instant, error: Option<&str>) {
    let outcome = match error {
        None => Outcome::Succeeded(Action::Done),
        Some(error) => {
            let failure = informer_controller::workqueue::Failure::Returned(error.into());
            Outcome::Failed(failure, Action::Requeue)
        }
    };
    let run = RecordedCall {
        reasons: &Reasons::default(),
        waited: SECOND,
        worked: SECOND,
        ended,
        outcome: &outcome,
        again: error.map(|_| Again {
            after: Duration::from_millis(1600),
            attempt: 5,
        }),
    };
    history.push(key, &run);
}

/// D-07.
#[test]
fn d07_the_last_calls_are_remembered_and_eight_of_each_key() {
    let mut history = History::default();
    let start = Instant::now();
    let key = |number: u64| ObjectKey::cluster(&format!("k{number}"));
    for round in 0..5000_u64 {
        // A key that is called again and again displaces no other one, and stays.
        let now = start + SECOND * u32::try_from(2 * round).unwrap();
        push(&mut history, &key(0), now, None);
        let error = (round % 100 == 0).then_some("a fault");
        push(&mut history, &key(round + 1), now + SECOND, error);
    }
    assert_eq!(history.of(&key(0)).len(), 8);
    assert_eq!(history.rate.points, [5; 120]);
    let known = (1..=5000).filter(|number| !history.of(&key(*number)).is_empty());
    let known: Vec<u64> = known.collect();
    assert!((2040..4096).contains(&known.len()), "{}", known.len());
    assert_eq!(
        known,
        (known[0]..=5000).collect::<Vec<_>>(),
        "the last ones"
    );
    let [failures, latest] = history.latest();
    assert_eq!((latest.len(), &latest[0].key), (8, &key(5000)));
    assert_eq!((failures.len(), &failures[0].key), (8, &key(4901)));
    let end = "failed: a fault; again in 1.6 s (attempt 5)";
    assert_eq!(failures[0].end, end);
}

#[test]
fn the_last_minutes_are_counted_in_points_of_five_seconds() {
    let (mut series, start) = (Series::default(), Instant::now());
    let pods = series.of("pods");
    // What was counted before the first look has no time.
    for (after, events, watches, version) in [
        (0, 100, 1, ""),
        (1, 103, 1, "10"),
        (2, 103, 2, "10"),
        (3, 103, 2, "20"),
        (4, 104, 2, ""),
        (5, 110, 2, "20"),
        (21, 111, 2, "20"),
    ] {
        let version = ResourceVersion::new(version);
        pods.record(events, watches, version, start + SECOND * after);
    }
    assert_eq!(pods.events.points, [4, 6, 0, 0, 1]);
    let spark = spark(&pods.events.points, "events").into_string();
    for part in [
        "<polyline points=\"115,9 116,1 117,23 118,23 119,20\">",
        "<title>11 events in ten minutes, at most 6 in 5 s</title>",
    ] {
        assert!(spark.contains(part), "{spark}");
    }
    assert_eq!(pods.watch_began(), Some(start + SECOND * 2));
    let [first, second] = [1, 3].map(|after| start + SECOND * after);
    for (version, expected) in [
        ("9", ChangedAt::Before(first)),
        ("10", ChangedAt::Before(first)),
        ("11", ChangedAt::Between(first, second)),
        ("21", ChangedAt::Unknown),
        ("x", ChangedAt::Unknown),
    ] {
        let version = ResourceVersion::new(version);
        assert_eq!(pods.changed(&version), expected, "{version}");
    }
    pods.events.add(1, start + SECOND * 100_000);
    assert_eq!(pods.events.points.len(), POINTS);
    series.keep(&[]);
    assert!(series.of("pods").events.points.is_empty());
}

#[test]
fn numbers_are_written_for_people() {
    for (count, text) in [
        (7, "7"),
        (1234, "1\u{202f}234"),
        (1_234_567, "1\u{202f}234\u{202f}567"),
    ] {
        assert_eq!(number(count), text);
    }
    for (bytes, text) in [
        (1023, "1023 B"),
        (1536, "1.5 KiB"),
        (5 << 20, "5.0 MiB"),
        (3 << 30, "3.0 GiB"),
    ] {
        assert_eq!(size(bytes), text);
    }
    for (millis, text) in [
        (0, "0 ms"),
        (59_999, "59 s"),
        (61_000, "1 min 1 s"),
        (7_260_000, "2 h 1 min"),
        (90_000_000, "1 d 1 h"),
    ] {
        assert_eq!(time(Duration::from_millis(millis)), text);
    }
    assert_eq!(time(Duration::from_micros(20)), "20 µs");
}

#[test]
fn names_leave_out_what_stands_beside_them() {
    for (name, short) in [
        ("pods.v1", "pods.v1"),
        ("pods.v1 (namespace `a`)", "pods.v1"),
        ("pods.v1 (namespaces `a,b`)", "pods.v1"),
        (
            "pods.v1 (namespace `a`, fields `b=c`, 2 names)",
            "pods.v1 (fields `b=c`, 2 names)",
        ),
        ("pods.v1 (labels `a=b`)", "pods.v1 (labels `a=b`)"),
    ] {
        assert_eq!(short_name(name), short);
    }
    for (name, short) in [
        ("foos: owned Deployment", "foos: owned Deployment"),
        ("a::b::Handler", "Handler"),
        ("a::Handler<b::Pod>", "Handler"),
    ] {
        assert_eq!(handler_name(name), short);
    }
}

/// D-08.
#[test]
fn d08_free_slices_come_first_then_replicas_and_those_that_died() {
    let mut shards = ShardsStatus::default();
    assert!(holders(&shards).is_empty());
    shards.identity = "b".into();
    shards.replicas = ["a", "b", "c"].map(str::to_owned).into();
    let holding = [Some("a"), Some("a"), None, Some("b"), Some("d"), Some("a")];
    shards.holders = holding.map(|name| name.map(str::to_owned)).into();
    let expected = [
        ("–", (Tone::WARN, "free"), vec![2]),
        ("a", (Tone::GOOD, "alive"), vec![0, 1, 5]),
        ("b", (Tone::GOOD, "this replica"), vec![3]),
        ("c", (Tone::GOOD, "alive"), vec![]),
        ("d", (Tone::BAD, "not alive"), vec![4]),
    ];
    assert_eq!(holders(&shards), expected);
    assert_eq!(ranges(&[0, 1, 2, 4, 6, 7]), "0–2, 4, 6–7");
}

/// D-09: addresses stand for clients, numbers for the seconds of their last progress.
#[test]
fn d09_the_peer_with_the_most_connections_makes_room() {
    let start = Instant::now();
    for (open, newcomer, closed) in [
        ("a1", "b", Some(0)),
        ("a2 a1 a3", "b", Some(1)),
        // Others do not pay for a peer that has more.
        ("b0 a2 a1 c0", "d", Some(2)),
        ("b0 a2 a1 c0", "a", Some(2)),
        // The newcomer counts.
        ("a1 b0", "a", Some(0)),
        ("a1 b2 a3 b4", "b", Some(1)),
        // Of peers that have as many, the oldest connection.
        ("a3 b2 c4", "d", Some(1)),
        ("a3 b2 a5 b4 c0", "d", Some(1)),
        ("", "a", None),
    ] {
        let peer = |name: &str| Peer::of(IpAddr::from([10, 0, 0, name.as_bytes()[0]]));
        let candidates = open.split_whitespace().map(|connection| {
            let (name, seconds) = connection.split_at(1);
            OpenConnection {
                peer: peer(name),
                since: start + SECOND * seconds.parse().unwrap(),
            }
        });
        let candidates: Vec<_> = candidates.collect();
        let found = victim(&candidates, peer(newcomer));
        assert_eq!(found, closed, "{open} for {newcomer}");
    }
}

/// D-09.
#[test]
fn d09_a_peer_is_an_address_or_a_network_of_64_bits() {
    let peer = |address: &str| Peer::of(address.parse().unwrap());
    for (one, other, is_same) in [
        ("10.0.0.1", "10.0.0.1", true),
        ("10.0.0.1", "10.0.0.2", false),
        ("10.0.0.1", "::ffff:10.0.0.1", true),
        ("2001:db8::1", "2001:db8::ffff:1", true),
        ("2001:db8::1", "2001:db8:0:1::1", false),
    ] {
        assert_eq!(peer(one) == peer(other), is_same, "{one} and {other}");
    }
}

/// Client that reads one byte in each of `Some` many seconds, or none. Returns the time after which
/// the server has closed the connection; `None` if it is open after an hour.
async fn closed_after(service: &Service, request: &str, reads: Option<u32>) -> Option<u64> {
    const HOUR: Duration = Duration::from_secs(3600);
    let (mut client, stream) = tokio::io::duplex(64);
    client.write_all(request.as_bytes()).await.unwrap();
    let progress = Arc::new(Progress::new());
    let connection = connection(stream, service.clone(), Arc::clone(&progress));
    let served = run(connection, progress);
    let reading = async {
        while let Some(seconds) = reads {
            client.read_u8().await.unwrap();
            sleep(SECOND * seconds).await;
        }
        pending::<()>().await;
    };
    let began = Instant::now();
    tokio::select! {
        () = served => Some(began.elapsed().as_secs()),
        () = reading => None,
        () = sleep(HOUR) => None,
    }
}

/// D-10.
#[tokio::test(start_paused = true)]
async fn d10_a_client_has_a_time_for_its_request_and_for_the_answer() {
    let server = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
    let client = kube::Client::try_from(server).unwrap();
    let factory = SharedInformerFactory::builder(client).build().unwrap();
    let service = Service::new(&factory).trusted();
    let [metrics, events] =
        ["/metrics", "/events"].map(|path| format!("GET {path} HTTP/1.1\r\nHost: a\r\n\r\n"));
    for (request, reads, expected) in [
        ("", None, Some(10)),
        ("GET /livez HT", None, Some(10)),
        (&*metrics, None, Some(30)),
        // Each byte is progress, but not the answer.
        (&*metrics, Some(1), Some(30)),
        (&*events, None, Some(30)),
        (&*events, Some(20), None),
        (&*events, Some(40), Some(30)),
    ] {
        let closed = closed_after(&service, request, reads).await;
        assert_eq!(closed, expected, "{request:?}, a byte in {reads:?} s");
    }
    let twice = "GET /livez HTTP/1.1\r\nHost: a\r\n\r\n".repeat(2);
    let (mut client, stream) = tokio::io::duplex(4096);
    client.write_all(twice.as_bytes()).await.unwrap();
    let progress = Arc::new(Progress::new());
    connection(stream, service, progress).await.unwrap();
    let mut answers = String::new();
    client.read_to_string(&mut answers).await.unwrap();
    assert_eq!(answers.matches("HTTP/1.1 200").count(), 1, "{answers}");
    factory.shutdown().await;
}

/// D-09.
#[test]
fn d09_a_rendering_is_shared_for_three_times_as_long_as_it_took() {
    let start = Instant::now();
    for (took, age, is_shared) in [(0, 0, false), (2, 0, true), (2, 5, true), (2, 6, false)] {
        let ended = start + SECOND * took;
        let recent = Recent::new("page".into(), start, ended);
        let page = recent.at(ended + SECOND * age);
        assert_eq!(page.is_some(), is_shared, "took {took} s, {age} s ago");
    }
}

/// D-06.
#[tokio::test(start_paused = true)]
async fn d06_viewers_share_one_rendering_a_second() {
    let server = kube::Config::new("http://127.0.0.1:1".parse().unwrap());
    let client = kube::Client::try_from(server).unwrap();
    let factory = SharedInformerFactory::builder(client).build().unwrap();
    let mut service = Service::new(&factory).trusted();
    sleep(SECOND * 30).await;
    let rendered = |service: &Service| service.shared.live.borrow().clone();
    assert!(rendered(&service).is_empty(), "nobody looks");

    let events = || Request::get("/events").body(()).unwrap();
    let mut viewers = Vec::new();
    for _ in 0..50 {
        viewers.push(service.call(events()).await.unwrap().into_body());
    }
    let began = Instant::now();
    let mut last = Vec::new();
    for _ in 0..10 {
        last.clear();
        for viewer in &mut viewers {
            last.push(viewer.frame().await.unwrap().unwrap().into_data().unwrap());
        }
        let one = rendered(&service);
        let is_shared = last.iter().all(|frame| frame.as_ptr() == one.as_ptr());
        assert!(is_shared, "rendered or copied for each viewer");
    }
    let seconds = began.elapsed().as_secs();
    assert!((9..=10).contains(&seconds), "in {seconds} s");
    let text = String::from_utf8(last[0].to_vec()).unwrap();
    assert!(text.starts_with("data: <!DOCTYPE html>"), "{text}");
    assert!(text.ends_with("</html>\n\n"), "{text}");

    for _ in 50..64 {
        viewers.push(service.call(events()).await.unwrap().into_body());
    }
    assert_eq!(service.call(events()).await.unwrap().status(), 503);
    drop(viewers);
    sleep(SECOND).await;
    let last = rendered(&service);
    sleep(SECOND * 30).await;
    let is_last = rendered(&service).as_ptr() == last.as_ptr();
    assert!(is_last, "nobody looks any more");
    assert_eq!(service.call(events()).await.unwrap().status(), 200);
    factory.shutdown().await;
}
