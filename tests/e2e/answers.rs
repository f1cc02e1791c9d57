//! Requests of an informer after each kind of response, recorded by the server.
//! `runtime/src/reflector/tests` covers the same decisions on a paused clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use informer::source::{Backoff, Encoding, KubeListerWatcher, SourceError, Timeouts};
use informer::status::InformerState;
use informer::{InformerConfig, ReflectorError, ResourceInfo, SharedInformer, WatchListMode};
use informer_apiserver::{ApiServer, Fault, Matcher, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, ENCODINGS, Failures, MODES, quick, until_cached, within};

fn of_maps(verb: Verb) -> Matcher {
    Matcher::any().resource("configmaps").verb(verb)
}

fn listing() -> InformerConfig {
    quick().watch_list(WatchListMode::Never)
}

/// Informer of a cluster, with its failures and the cluster.
struct World {
    cluster: Cluster,
    maps: SharedInformer<ConfigMap>,
    failures: Failures,
    factory: informer::SharedInformerFactory,
}

// === impl World ===

impl World {
    /// Starts a cluster with `objects` config maps, and with these faults before the first request.
    async fn start(
        encoding: Encoding,
        config: InformerConfig,
        objects: usize,
        faults: &[(Verb, Fault)],
    ) -> Self {
        Self::with(Cluster::start_in(encoding).await, config, objects, faults)
    }

    fn with(
        cluster: Cluster,
        config: InformerConfig,
        objects: usize,
        faults: &[(Verb, Fault)],
    ) -> Self {
        for index in 0..objects {
            cluster.create(&format!("c-{index:03}"), "1");
        }
        for (verb, fault) in faults {
            cluster.control.fail_next(1, of_maps(*verb), fault.clone());
        }
        let failures = Failures::default();
        let config = config.error_handler(failures.handler());
        let factory = cluster.builder().config(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        factory.start().unwrap();
        Self {
            cluster,
            maps,
            failures,
            factory,
        }
    }

    /// Waits until the cache has `objects` config maps and the watches are open.
    async fn follows(&self, objects: usize) {
        let whole = self
            .maps
            .indexer()
            .wait_until(move |all| all.is_synced() && all.len() == objects);
        within("the cache", whole).await;
        within(
            "a watch",
            self.cluster.control.await_watches("configmaps", 1),
        )
        .await;
    }

    /// Injects a fault into the next watches, and waits until the failures are reported.
    async fn watch_fails(&self, times: usize, fault: Fault) {
        let before = self.failures.all().len();
        self.cluster
            .control
            .fail_next(times, of_maps(Verb::Watch), fault);
        self.cluster.control.disconnect_watches();
        // The error of the connection precedes them.
        self.failures.until_count(before + times + 1).await;
    }

    /// Returns all requests for the maps, as `list 0 limit=500`, `watch 5` and `stream`.
    fn requests(&self) -> Vec<String> {
        let requests = self.cluster.control.requests();
        let of_maps = requests.iter().filter(|one| one.resource == "configmaps");
        of_maps.map(|request| text(request)).collect()
    }

    async fn stop(self) {
        self.factory.shutdown().await;
        self.cluster.server.shutdown().await;
    }
}

/// Formats a request, without the versions that the server assigns.
fn text(request: &RecordedRequest) -> String {
    let version = match request.parameter("resourceVersion").as_deref() {
        None => " -",
        Some("0") => " 0",
        Some(_) => " last",
    };
    let verb = match request.parameter("sendInitialEvents") {
        Some(_) => "stream",
        None if request.verb == Verb::Watch => "watch",
        None if request.parameter("limit").as_deref() == Some("1") => "probe",
        None => "list",
    };
    let not_older = request.parameter("resourceVersionMatch").as_deref() == Some("NotOlderThan");
    let version = match version {
        " last" if not_older && verb == "list" => " >=last",
        other => other,
    };
    let limit = request
        .parameter("limit")
        .map(|limit| format!(" limit={limit}"));
    let page = request.parameter("continue").map(|_| " next");
    let (limit, page) = (limit.unwrap_or_default(), page.unwrap_or_default());
    format!("{verb}{version}{limit}{page}")
}

/// Returns an ERROR event.
fn error_event(code: u16, reason: &str) -> Fault {
    let event = json!({ "type": "ERROR", "object": {
        "kind": "Status", "status": "Failure", "code": code, "reason": reason, "message": "",
    }});
    Fault::Raw {
        code: 200,
        content_type: "application/json".to_owned(),
        body: Bytes::from(format!("{event}\n")),
    }
}

// === lists ===

/// W-06, W-07, R-04, B-01.
#[tokio::test]
async fn w06_pages_are_of_500_or_as_set_and_a_known_version_is_listed_whole() {
    for encoding in ENCODINGS {
        let world = World::start(encoding, listing(), 3, &[]).await;
        world.follows(3).await;
        world
            .watch_fails(1, Fault::status(410, "Expired", "on purpose"))
            .await;
        world.follows(3).await;
        let expected = [
            "list 0 limit=500",
            "watch last",
            "probe last limit=1",
            "watch last",
            "list last",
            "watch last",
        ];
        assert_eq!(world.requests(), expected);
        world.stop().await;

        let world = World::start(encoding, listing().page_size(2), 5, &[]).await;
        world.follows(5).await;
        // A list at version "0" comes from the watch cache, which does not support pages.
        assert_eq!(world.requests(), ["list 0 limit=2", "watch last"]);
        world.stop().await;
    }
}

/// W-08, B-01, B-03: an expired continue token leads to a list without pages, at the version of the
/// first request.
#[tokio::test]
async fn w08_an_expired_continue_token_leads_to_a_list_without_pages() {
    for encoding in ENCODINGS {
        let world = World::start(encoding, listing().page_size(2), 5, &[]).await;
        world.follows(5).await;
        let expired = || Fault::status(410, "Expired", "on purpose");
        // Faults apply to the list at the last version too, which the server pages.
        let continued = of_maps(Verb::List).query("continue=");
        let control = &world.cluster.control;
        control.fail_next(1, of_maps(Verb::Watch), expired());
        control.fail_next(1, of_maps(Verb::List).query("limit=2"), expired());
        control.fail_next(1, continued, expired());
        let begun = world.requests().len();
        control.disconnect_watches();
        world.cluster.create("new", "1");
        world.follows(6).await;
        assert_eq!(
            world.requests()[begun..],
            [
                "probe last limit=1",
                "watch last",
                "list >=last limit=2",
                "list - limit=2",
                "list - limit=2 next",
                "list -",
                "watch last"
            ]
        );
        world.stop().await;
    }
}

/// B-05, B-01: each form of the response leads to one immediate list of the latest state.
#[tokio::test]
async fn b05_a_version_from_the_future_is_recognised_in_three_shapes() {
    for encoding in ENCODINGS {
        let cause = |key: &str, text: &str| json!({ "causes": [{ key: text }] });
        for (message, details) in [
            ("", cause("reason", "ResourceVersionTooLarge")),
            ("", cause("message", "Too large resource version")),
            ("Too large resource version: 9, current: 5", json!({})),
        ] {
            let body = json!({
                "kind": "Status", "apiVersion": "v1", "status": "Failure", "code": 504,
                "reason": "Timeout", "message": message, "details": details,
            });
            let too_large = Fault::Raw {
                code: 504,
                content_type: "application/json".to_owned(),
                body: Bytes::from(body.to_string()),
            };
            let world = World::start(encoding, listing().page_size(2), 1, &[]).await;
            world.follows(1).await;
            let begun = world.requests().len();
            let list = of_maps(Verb::List).query("limit=2");
            world.cluster.control.fail_next(1, list, too_large);
            world
                .watch_fails(1, Fault::status(410, "Gone", "on purpose"))
                .await;
            world.follows(1).await;
            let expected = [
                "probe last limit=1",
                "watch last",
                "list >=last limit=2",
                "list - limit=2",
                "watch last",
            ];
            assert_eq!(world.requests()[begun..], expected, "{body}");
            world.stop().await;
        }
    }
}

/// W-21, N-07: a list that stalls in the middle, and a list without a response.
#[tokio::test]
async fn w21_a_silent_server_times_out_and_is_retried() {
    for encoding in ENCODINGS {
        let short = Duration::from_millis(500);
        for fault in [Fault::Stall, Fault::StallAfter(100)] {
            let cluster = Cluster::start_in(encoding).await;
            cluster.create("a", "1");
            cluster
                .control
                .fail_next(1, of_maps(Verb::List), fault.clone());
            let resource = ResourceInfo::of::<ConfigMap>(&()).unwrap();
            let timeouts = Timeouts {
                headers: short,
                list_progress: short,
                ..Timeouts::default()
            };
            let source = KubeListerWatcher::new(cluster.client.clone(), resource)
                .encoding(encoding)
                .timeouts(timeouts);
            let failures = Failures::default();
            let maps = SharedInformer::<ConfigMap>::builder(source)
                .config(listing().error_handler(failures.handler()))
                .build()
                .unwrap();
            let mut changes = maps.status_changes();
            let stop = CancellationToken::new();
            let run = maps.run(stop.clone());
            let test = async {
                let stale =
                    changes.wait_for(|status| matches!(status.state, InformerState::Stale { .. }));
                assert!(
                    within("the status to become stale", stale).await.is_some(),
                    "{fault:?}"
                );
                until_cached(&maps, "a=1").await;
                let fresh =
                    changes.wait_for(|status| matches!(status.state, InformerState::Synced));
                assert!(within("a fresh state", fresh).await.unwrap().has_synced);
                stop.cancel();
            };
            let (ended, ()) = tokio::join!(run, test);
            ended.unwrap();
            // Expects one more list than timeouts. A busy machine may add timeouts.
            let lists = cluster.control.count(Verb::List, "configmaps");
            let silent = failures.all();
            assert_eq!(lists, silent.len() as u64 + 1, "{:?}", failures.texts());
            for failure in &silent {
                let is_silence = matches!(
                    failure,
                    ReflectorError::List(SourceError::Timeout { after, .. }) if *after == short
                );
                assert!(is_silence, "{failure:?}");
            }
            cluster.server.shutdown().await;
        }
    }
}

// === watches ===

/// E-09: a 429 response, or a 429 event in the stream, causes no list, and no request
/// before the server's `Retry-After`.
#[tokio::test]
async fn r10_too_many_requests_are_waited_out_without_a_list() {
    for encoding in ENCODINGS {
        let answered = Fault::Status {
            code: 429,
            reason: "TooManyRequests".to_owned(),
            message: "on purpose".to_owned(),
            retry_after: Some(1),
        };
        let world = World::start(encoding, listing(), 1, &[]).await;
        world.follows(1).await;
        let before = tokio::time::Instant::now();
        world.watch_fails(1, answered).await;
        let watches = world.cluster.control.await_watches("configmaps", 1);
        within("the next watch", watches).await;
        // The second watch begins later, and may last longer on a busy machine.
        let waited = before.elapsed();
        assert!(waited >= Duration::from_secs(1), "{waited:?}");
        world
            .watch_fails(2, error_event(429, "TooManyRequests"))
            .await;
        world.follows(1).await;
        let requests = world.requests();
        assert_eq!(
            requests
                .iter()
                .filter(|one| one.starts_with("list"))
                .count(),
            1,
            "{requests:?}"
        );
        world.stop().await;
    }
}

///
#[tokio::test]
async fn r11_internal_errors_are_watched_through_in_their_window_and_listed_outside() {
    for encoding in ENCODINGS {
        for (window, expected) in [
            (
                Duration::from_secs(30),
                &[
                    "probe last limit=1",
                    "watch last",
                    "watch last",
                    "watch last",
                ][..],
            ),
            (
                Duration::ZERO,
                &[
                    "probe last limit=1",
                    "watch last",
                    "list last",
                    "watch last",
                    "list last",
                    "watch last",
                ][..],
            ),
        ] {
            let world =
                World::start(encoding, listing().internal_error_retry(window), 1, &[]).await;
            world.follows(1).await;
            let begun = world.requests().len();
            world
                .watch_fails(2, error_event(500, "InternalError"))
                .await;
            world.follows(1).await;
            assert_eq!(world.requests()[begun..], *expected);
            let failures = world.failures.all();
            let internal = failures.iter().filter(|failure| {
                matches!(failure, ReflectorError::Watch(_)) && failure.status().is_some()
            });
            assert_eq!(internal.count(), 2, "{:?}", world.failures.texts());
            world.stop().await;
        }
    }
}

/// Backoff with a minimal delay, which counts its calls.
#[derive(Debug, Clone, Default)]
struct Counted(Arc<AtomicU64>);

impl Backoff for Counted {
    fn next_delay(&mut self) -> Duration {
        self.0.fetch_add(1, Ordering::SeqCst);
        Duration::from_millis(1)
    }
    fn reset(&mut self) {}
}

/// E-07: a server that closes each watch immediately gets one request for each delay.
#[tokio::test]
async fn r17_watches_that_close_at_once_are_failures_and_no_hot_loop() {
    for encoding in ENCODINGS {
        for mode in MODES {
            let counted = Counted::default();
            let backoff = counted.clone();
            let config = InformerConfig::new()
                .watch_list(mode)
                .backoff(move || backoff.clone());
            let world = World::start(encoding, config, 1, &[]).await;
            world.follows(1).await;
            let before = (world.requests().len(), counted.0.load(Ordering::SeqCst));
            world.watch_fails(20, Fault::TruncateAfter(0)).await;
            world.follows(1).await;
            let requests = world.requests().len() - before.0;
            let delays = counted.0.load(Ordering::SeqCst) - before.1;
            // A probe; a watch and a list each, or a stream that fails to begin and is replaced by a
            // list.
            let limit = 2 * usize::try_from(delays).unwrap() + 3;
            assert!(
                delays >= 10 && requests <= limit,
                "{mode:?}: {requests} for {delays} delays"
            );
            let short =
                |failure: &ReflectorError| matches!(failure, ReflectorError::VeryShortWatch);
            let short = world
                .failures
                .all()
                .iter()
                .filter(|failure| short(failure))
                .count();
            assert_eq!(short, 20, "{:?}", world.failures.texts());
            world.stop().await;
        }
    }
}

/// B-10, B-11: other writes advance the version, and the next watch starts at the bookmark.
#[tokio::test]
async fn b10_a_bookmark_moves_the_version_from_which_a_watch_is_resumed() {
    for encoding in ENCODINGS {
        for mode in MODES {
            let builder = ApiServer::builder().bookmark_interval(Duration::from_millis(5));
            let cluster = Cluster::with(builder).await.speaking(encoding);
            let world = World::with(cluster, quick().watch_list(mode), 1, &[]);
            world.follows(1).await;
            let control = &world.cluster.control;
            let secret = json!({
                "apiVersion": "v1", "kind": "Secret", "metadata": { "name": "s", "namespace": "default" },
            });
            control.create_direct(secret).unwrap();
            let last = control.current_resource_version().to_string();
            let read = last.clone();
            let reached = world
                .maps
                .indexer()
                .wait_until(move |all| all.resource_version().to_string() == read);
            within("a bookmark", reached).await;
            let watches = usize::try_from(control.count(Verb::Watch, "configmaps")).unwrap();
            control.disconnect_watches();
            let resumed = control.await_nth_request(of_maps(Verb::Watch), watches + 1);
            let resumed = within("the next watch", resumed).await;
            assert_eq!(resumed.parameter("resourceVersion"), Some(last));
            assert!(world.maps.metrics().bookmarks > 0);
            world.stop().await;
        }
    }
}

// === streaming lists ===

/// L-06, L-08: a connection that is lost before the first event does not count as a refusal of
/// streaming.
#[tokio::test]
async fn l06_a_connection_lost_before_the_first_event_is_no_refusal() {
    for encoding in ENCODINGS {
        let faults = [
            (Verb::Watch, Fault::CutAfter(0)),
            (Verb::Watch, Fault::CutAfter(0)),
        ];
        let world = World::start(encoding, quick(), 3, &faults).await;
        world.follows(3).await;
        assert_eq!(world.requests(), ["stream -", "stream -", "stream -"]);
        assert_eq!(world.failures.all().len(), 2);
        for text in world.failures.texts() {
            assert!(text.starts_with("watch "), "{text}");
        }
        world.stop().await;
    }
}

/// L-06: an overload does not count as a refusal either, but the first state then comes from a
/// list.
#[tokio::test]
async fn l06_an_overloaded_server_is_listed_once_and_streams_the_next_time() {
    for encoding in ENCODINGS {
        let faults = [(
            Verb::Watch,
            Fault::status(503, "ServiceUnavailable", "on purpose"),
        )];
        let world = World::start(encoding, quick(), 3, &faults).await;
        world.follows(3).await;
        world
            .watch_fails(1, Fault::status(410, "Expired", "on purpose"))
            .await;
        world.follows(3).await;
        assert_eq!(
            world.requests(),
            [
                "stream -",
                "list 0 limit=500",
                "watch last",
                "probe last limit=1",
                "watch last",
                "stream last"
            ]
        );
        world.stop().await;
    }
}

/// L-07: the version of the last stream is too old for the next stream.
#[tokio::test]
async fn l07_a_stream_at_a_lost_version_is_asked_for_without_one() {
    for encoding in ENCODINGS {
        let world = World::start(encoding, quick(), 3, &[]).await;
        world.follows(3).await;
        let begun = world.requests().len();
        let expired = Fault::status(410, "Expired", "on purpose");
        // The faults apply to the resumed watch, and to the stream that follows.
        world.watch_fails(2, expired).await;
        world.follows(3).await;
        assert_eq!(
            world.requests()[begun..],
            [
                "probe last limit=1",
                "watch last",
                "stream last",
                "stream -"
            ]
        );
        world.stop().await;
    }
}

/// L-09: only the bookmark is missing. All objects have arrived.
#[tokio::test]
async fn l09_a_stream_whose_bookmark_is_lost_is_replaced_by_a_list() {
    for encoding in ENCODINGS {
        let faults = [(Verb::Watch, Fault::LoseBookmarks(1))];
        let config = quick().initial_events_deadline(Duration::from_millis(100));
        let world = World::start(encoding, config, 3, &faults).await;
        world.follows(3).await;
        assert_eq!(
            world.requests(),
            ["stream -", "list 0 limit=500", "watch last"]
        );
        assert!(matches!(
            world.failures.all()[..],
            [ReflectorError::BookmarkMissing(_)]
        ));
        world.stop().await;
    }
}

// === a restored server ===

/// N-05, R-12: a watch from a version that the restored server does not have would stay silent. The
/// informer probes the server after the lost connection, lists its state, and reports the rollback
/// in the status.
#[tokio::test]
async fn n05_a_probe_detects_a_server_that_is_behind() {
    for encoding in ENCODINGS {
        for mode in MODES {
            let world = World::start(encoding, quick().watch_list(mode), 2, &[]).await;
            world.follows(2).await;
            let control = &world.cluster.control;
            let backup = control.current_resource_version();
            for index in 0..10 {
                world.cluster.create(&format!("late-{index}"), "1");
            }
            world.follows(12).await;
            let mut changes = world.maps.status_changes();
            let begun = world.requests().len();
            control.rewind_to(backup).unwrap();
            world.cluster.update("c-000", "2");
            let reported = changes.wait_for(|status| {
                let InformerState::Degraded { cause } = &status.state else {
                    return false;
                };
                matches!(**cause, ReflectorError::WentBack { .. })
            });
            let wait = within("the status to report it", reported);
            let (reported, ()) = tokio::join!(wait, until_cached(&world.maps, "c-000=2 c-001=1"));
            assert!(reported.unwrap().has_synced);
            let first = if mode == WatchListMode::Never {
                &["probe last limit=1", "list - limit=500", "watch last"][..]
            } else {
                &["probe last limit=1", "stream -"][..]
            };
            world.follows(2).await;
            assert_eq!(world.requests()[begun..], *first, "{mode:?}");
            world.stop().await;
        }
    }
}
