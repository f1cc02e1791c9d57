//! Requests of an informer after each kind of response, recorded by the server.
//! `runtime/src/reflector/tests` covers the same decisions on a paused clock.
//!
//! `answers/*.yaml` are lists of stories about one informer of config maps. A story is played in both
//! encodings, and in the initial list modes `modes`, which are all of them if it names none.
//!
//! | step | effect |
//! |---|---|
//! | `create: a=1 b=2`, `update: a=2`, `delete: a b` | writes objects without HTTP |
//! | `touch` | writes an object of another resource |
//! | `fail: FAULT` | injects a fault, see [`Fail`] |
//! | `control: NAME` | calls the control of the server |
//! | `start` | starts the informer |
//! | `note` | notes the newest resourceVersion |
//! | `mark` | later `requests` and `lasted` count from here |
//! | `follows: COUNT` | waits until so many objects are cached and a watch is open |
//! | `watch_fails: FAULT` | injects a fault of watches, ends the watch, and waits for the failures |
//! | `cached: a=1 b=2`, `reaches_note` | waits for this content or the noted version of the cache |
//! | `holds: a=1` | expects this content, although the server has another |
//! | `requests: TEXTS` | expects these requests since the mark, see [`text`] |
//! | `lists: COUNT` | expects so many lists since the mark |
//! | `lasted: SECONDS` | expects that so much time has passed since the mark |
//! | `events: TEXTS` | expects these further events at a handler |
//! | `failures: TEXTS` | expects exactly these reports of failures |
//! | `failed: TEXT` | waits for such a report |
//! | `state: TEXT` | waits for such a state |
//!
//! In the text of a failure or a state, `..` stands for any text.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use informer::source::{Backoff, Encoding, KubeListerWatcher, SourceError, Timeouts};
use informer::status::InformerState;
use informer::{
    InformerConfig, ReflectorError, ResourceInfo, SharedInformer, SharedInformerFactory,
    WatchListMode,
};
use informer_apiserver::{ApiServer, Fault, Matcher, RecordedRequest, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::runtime::Builder;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use crate::named::{cases, name_of, names_in};
use crate::support::{
    Cluster, ENCODINGS, Failures, MODES, Recorder, cached, chain, quick, until_cached, within,
};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Story {
    #[serde(rename = "test")]
    name: String,
    #[serde(default)]
    modes: Vec<String>,
    #[serde(default)]
    settings: Settings,
    steps: Vec<Step>,
}

/// Settings of the informer and of the server. Durations are in milliseconds.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Settings {
    page_size: Option<u32>,
    internal_error_retry: Option<u64>,
    initial_events_deadline: Option<u64>,
    bookmark_interval: Option<u64>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Step {
    Create(String),
    Update(String),
    Delete(String),
    Touch,
    Fail(Fail),
    Control(String),
    Start,
    Note,
    Mark,
    Follows(usize),
    WatchFails(Fail),
    Cached(String),
    ReachesNote,
    Holds(String),
    Requests(Vec<String>),
    Lists(usize),
    Lasted(f64),
    Events(Vec<String>),
    Failures(Vec<String>),
    Failed(String),
    State(String),
}

/// Fault of the next requests for config maps that match: any fault, or the code and the reason of
/// a `Status`, or the code and the document of a response.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Fail {
    #[serde(default)]
    of: Matcher,
    times: Option<usize>,
    fault: Option<Fault>,
    status: Option<(u16, String)>,
    answer: Option<(u16, Value)>,
}

/// Informer of a cluster, with what it has reported.
struct World {
    cluster: Cluster,
    maps: SharedInformer<ConfigMap>,
    failures: Failures,
    factory: SharedInformerFactory,
    seen: Recorder<ConfigMap>,
    events: usize,
    note: String,
    mark: (usize, Instant),
}

/// Plays the story of this name. A failure prints the mode, the encoding and the step.
fn play_one(text: &str, name: &str) {
    let stories = informer_manifest::parse::<Value>(text).unwrap().remove(0);
    let stories: Vec<Story> = serde_json::from_value(stories).unwrap();
    let mut stories = stories.into_iter();
    let story = stories.find(|story| name_of(&story.name) == name).unwrap();
    let runtime = Builder::new_current_thread().enable_all().build();
    runtime.unwrap().block_on(play(story));
}

async fn play(story: Story) {
    let is_played = |mode: &WatchListMode| {
        let name = format!("{mode:?}").to_lowercase();
        story.modes.is_empty() || story.modes.contains(&name)
    };
    for mode in MODES.into_iter().filter(is_played) {
        for encoding in ENCODINGS {
            println!("{mode:?}, {encoding}");
            let mut world = World::of(&story.settings, mode, encoding).await;
            for step in &story.steps {
                println!("    {step:?}");
                world.take(step.clone()).await;
            }
            world.stop().await;
        }
    }
}

cases! {
    play_one:
    lists, "answers/lists.yaml":
        a_known_version_is_listed_whole
        pages_are_of_the_size_that_is_set
        an_expired_continue_token_leads_to_a_list_without_pages_at_the_version_of_the_first_request
        a_version_from_the_future_is_recognised_by_the_reason_of_a_cause
        a_version_from_the_future_is_recognised_by_the_message_of_a_cause
        a_version_from_the_future_is_recognised_by_the_message;
    streams, "answers/streams.yaml":
        a_connection_that_is_lost_before_the_first_event_is_no_refusal
        an_overloaded_server_is_listed_once_and_streams_the_next_time
        a_refused_streaming_list_is_replaced_by_a_list_and_remembered
        a_stream_at_a_lost_version_is_asked_for_without_one
        a_stream_whose_bookmark_is_lost_is_replaced_by_a_list
        a_stream_that_stops_is_replaced_by_a_list;
    watches, "answers/watches.yaml":
        too_many_requests_are_waited_out_without_a_list
        internal_errors_are_watched_through_in_their_window
        internal_errors_are_listed_outside_of_their_window
        a_bookmark_moves_the_version_from_which_a_watch_is_resumed
        a_watch_that_ends_is_resumed_without_a_list
        an_answer_that_a_version_has_expired_leads_to_a_relist_that_finds_what_was_missed
        an_event_that_a_version_has_expired_leads_to_a_relist_that_finds_what_was_missed
        cached_objects_stay_readable_during_an_outage
        a_probe_detects_a_server_that_is_behind_whose_state_is_listed
        a_probe_detects_a_server_that_is_behind_whose_state_is_streamed
        a_server_that_is_behind_refuses_the_first_probes;
}

// === impl Fail ===

impl Fail {
    /// Injects the fault, and returns the number of requests that it affects.
    fn inject(self, cluster: &Cluster) -> usize {
        let answer = |(code, document): (u16, Value)| Fault::Raw {
            code,
            content_type: "application/json".to_owned(),
            body: format!("{document}\n").into(),
        };
        let status = |(code, reason)| Fault::status(code, reason, "on purpose");
        let fault = self.fault.or(self.status.map(status));
        let fault = fault.or(self.answer.map(answer)).unwrap();
        let times = self.times.unwrap_or(1);
        let of = self.of.resource("configmaps");
        cluster.control.fail_next(times, of, fault);
        times
    }
}

// === impl World ===

impl World {
    async fn of(settings: &Settings, mode: WatchListMode, encoding: Encoding) -> Self {
        let mut config = quick().watch_list(mode);
        if let Some(size) = settings.page_size {
            config = config.page_size(size);
        }
        if let Some(window) = settings.internal_error_retry {
            config = config.internal_error_retry(Duration::from_millis(window));
        }
        if let Some(deadline) = settings.initial_events_deadline {
            config = config.initial_events_deadline(Duration::from_millis(deadline));
        }
        let mut server = ApiServer::builder();
        if let Some(interval) = settings.bookmark_interval {
            server = server.bookmark_interval(Duration::from_millis(interval));
        }
        Self::with(Cluster::with(server).await.speaking(encoding), config)
    }

    fn with(cluster: Cluster, config: InformerConfig) -> Self {
        let failures = Failures::default();
        let config = config.error_handler(failures.handler());
        let factory = cluster.builder().config(config).build().unwrap();
        let maps = factory.informer::<ConfigMap>();
        let seen = Recorder::new();
        maps.add_event_handler(seen.handler()).unwrap();
        Self {
            cluster,
            maps,
            failures,
            factory,
            seen,
            events: 0,
            note: String::new(),
            mark: (0, Instant::now()),
        }
    }

    async fn take(&mut self, step: Step) {
        match step {
            Step::Create(objects) => for_each(&objects, |name, value| {
                self.cluster.create(name, value);
            }),
            Step::Update(objects) => for_each(&objects, |name, value| {
                self.cluster.update(name, value);
            }),
            Step::Delete(names) => for_each(&names, |name, _| self.cluster.delete(name)),
            Step::Touch => {
                let metadata = json!({ "name": "s", "namespace": "default" });
                let secret = json!({ "apiVersion": "v1", "kind": "Secret", "metadata": metadata });
                self.cluster.control.create_direct(secret).unwrap();
            }
            Step::Fail(fail) => _ = fail.inject(&self.cluster),
            Step::Control(name) => self.control(&name),
            Step::Start => self.factory.start().unwrap(),
            Step::Note => {
                self.note = self.cluster.control.current_resource_version().to_string();
            }
            Step::Mark => self.mark = (self.requests().len(), Instant::now()),
            Step::Follows(objects) => self.follows(objects).await,
            Step::WatchFails(fail) => self.watch_fails(fail).await,
            Step::Cached(expected) => until_cached(&self.maps, &expected).await,
            Step::ReachesNote => {
                let note = self.note.clone();
                let reached = self
                    .maps
                    .indexer()
                    .wait_until(move |all| all.resource_version().to_string() == note);
                within("the noted version", reached).await;
            }
            Step::Holds(expected) => {
                assert_eq!(cached(&self.maps), expected);
                assert!(self.maps.has_synced());
            }
            Step::Requests(expected) => {
                let (begun, of_maps) = (self.mark.0, Matcher::any().resource("configmaps"));
                let control = &self.cluster.control;
                let all = control.await_nth_request(of_maps, begun + expected.len());
                within("the requests", all).await;
                assert_eq!(self.requests()[begun..], expected);
            }
            Step::Lists(expected) => {
                let requests = self.requests().split_off(self.mark.0);
                let lists = requests.iter().filter(|one| one.starts_with("list"));
                assert_eq!(lists.count(), expected, "{requests:?}");
            }
            Step::Lasted(seconds) => {
                let lasted = self.mark.1.elapsed();
                assert!(lasted >= Duration::from_secs_f64(seconds), "{lasted:?}");
            }
            Step::Events(expected) => {
                let from = self.events;
                self.events += expected.len();
                self.seen.until_events(self.events).await;
                assert_eq!(self.seen.events()[from..], expected);
                self.seen.read(|notes| assert_eq!(notes.illegal, [""; 0]));
            }
            Step::Failures(expected) => {
                let found = self.failures.texts();
                let fit = found
                    .iter()
                    .zip(&expected)
                    .all(|(one, like)| fits(like, one));
                assert!(fit && found.len() == expected.len(), "{found:#?}");
            }
            Step::Failed(like) => {
                let is_like = |failure: &ReflectorError| fits(&like, &chain(failure));
                self.failures.until(&like, is_like).await;
            }
            Step::State(like) => {
                let mut changes = self.maps.status_changes();
                let reached = changes.wait_for(|status| fits(&like, &state(&status.state)));
                let status = within(&like, reached).await.unwrap();
                assert!(status.has_synced);
            }
        }
    }

    fn control(&self, name: &str) {
        let control = &self.cluster.control;
        match name {
            "disconnect" => control.disconnect_watches(),
            "close" => control.close_watches(),
            "compact" => control.compact(),
            "clear_faults" => control.clear_faults(),
            "refuse_streams" => control.refuse_watch_list(true),
            "permit_streams" => control.refuse_watch_list(false),
            "rewind_to_note" => control.rewind_to(self.note.parse().unwrap()).unwrap(),
            other => panic!("no control {other}"),
        }
    }

    async fn follows(&self, objects: usize) {
        let whole = self
            .maps
            .indexer()
            .wait_until(move |all| all.is_synced() && all.len() == objects);
        within("the cache", whole).await;
        let watch = self.cluster.control.await_watches("configmaps", 1);
        within("a watch", watch).await;
    }

    async fn watch_fails(&self, mut fail: Fail) {
        let before = self.failures.all().len();
        fail.of = fail.of.verb(Verb::Watch);
        let times = fail.inject(&self.cluster);
        self.cluster.control.disconnect_watches();
        // The error of the connection precedes them.
        self.failures.until_count(before + times + 1).await;
    }

    fn requests(&self) -> Vec<String> {
        let requests = self.cluster.control.requests();
        let of_maps = requests.iter().filter(|one| one.resource == "configmaps");
        of_maps.map(|request| text(request, &self.note)).collect()
    }

    async fn stop(self) {
        self.factory.shutdown().await;
        self.cluster.server.shutdown().await;
    }
}

/// Calls `act` with the name and the value of each word such as `a=1`.
fn for_each(words: &str, mut act: impl FnMut(&str, &str)) {
    for word in words.split(' ') {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        act(name, value);
    }
}

/// Reports whether a text is `like`, in which `..` stands for any text.
fn fits(like: &str, text: &str) -> bool {
    let (start, more) = like.split_once("..").unwrap_or((like, ""));
    let Some(mut rest) = text.strip_prefix(start) else {
        return false;
    };
    if start == like {
        return rest.is_empty();
    }
    let (middle, end) = more.rsplit_once("..").unwrap_or(("", more));
    for part in middle.split("..") {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(end)
}

/// Formats a state, with its cause.
fn state(state: &InformerState) -> String {
    if let InformerState::Degraded { cause } = state {
        return format!("degraded: {}", chain(&**cause));
    }
    state.to_string()
}

/// Formats a request as `list 0 limit=500`, `watch last` or `stream -`. A probe is a list of one
/// object. A version is `noted`, or `last` for any other that the server has assigned.
fn text(request: &RecordedRequest, note: &str) -> String {
    let verb = match request.parameter("sendInitialEvents") {
        Some(_) => "stream",
        None if request.verb == Verb::Watch => "watch",
        None if request.parameter("limit").as_deref() == Some("1") => "probe",
        None => "list",
    };
    let version = match request.parameter("resourceVersion").as_deref() {
        None => "-",
        Some("0") => "0",
        Some(version) if version == note => "noted",
        Some(_) => "last",
    };
    let not_older = request.parameter("resourceVersionMatch").as_deref() == Some("NotOlderThan");
    let bound = match (verb, version) {
        ("list", "last" | "noted") if not_older => ">=",
        _ => "",
    };
    let limit = request.parameter("limit");
    let limit = limit.map(|limit| format!(" limit={limit}"));
    let page = request.parameter("continue").map(|_| " next");
    let (limit, page) = (limit.unwrap_or_default(), page.unwrap_or_default());
    format!("{verb} {bound}{version}{limit}{page}")
}

/// W-06, W-07, W-08, R-04, B-01, B-03, B-05.
#[test]
fn w06_lists_are_of_pages_or_whole_and_of_a_version_that_the_server_has() {
    assert_eq!(names_in(lists::TEXT), lists::NAMES, "each story is a test");
}

/// B-02, B-10, B-11, C-09, E-03, E-09, E-10, L-10, N-05, N-06, R-06, R-09, R-10, R-11, R-12, R-13, R-15, T-01.
#[test]
fn r06_watches_are_resumed_or_replaced_by_a_list_as_the_failure_requires() {
    assert_eq!(
        names_in(watches::TEXT),
        watches::NAMES,
        "each story is a test"
    );
}

/// L-06, L-07, L-08, L-09.
#[test]
fn l06_streaming_lists_are_refused_repeated_or_replaced_by_a_list() {
    assert_eq!(
        names_in(streams::TEXT),
        streams::NAMES,
        "each story is a test"
    );
}

/// W-21, N-07: a list that stalls in the middle, and a list without a response.
#[tokio::test]
async fn w21_a_silent_server_times_out_and_is_retried() {
    for encoding in ENCODINGS {
        let short = Duration::from_millis(500);
        for fault in [Fault::Stall, Fault::StallAfter(100)] {
            let cluster = Cluster::start_in(encoding).await;
            cluster.create("a", "1");
            let lists = Matcher::any().resource("configmaps").verb(Verb::List);
            cluster.control.fail_next(1, lists, fault.clone());
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
            let config = quick().watch_list(WatchListMode::Never);
            let maps = SharedInformer::<ConfigMap>::builder(source)
                .config(config.error_handler(failures.handler()))
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
            let config = InformerConfig::new().watch_list(mode);
            let config = config.backoff(move || backoff.clone());
            let world = World::with(Cluster::start_in(encoding).await, config);
            world.cluster.create("a", "1");
            world.factory.start().unwrap();
            world.follows(1).await;
            let before = (world.requests().len(), counted.0.load(Ordering::SeqCst));
            let fault = json!({ "times": 20, "fault": { "truncateAfter": 0 } });
            world
                .watch_fails(serde_json::from_value(fault).unwrap())
                .await;
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
            let failures = world.failures.all();
            let is_short =
                |failure: &&ReflectorError| matches!(failure, ReflectorError::VeryShortWatch);
            let short = failures.iter().filter(is_short).count();
            assert_eq!(short, 20, "{:?}", world.failures.texts());
            world.stop().await;
        }
    }
}
