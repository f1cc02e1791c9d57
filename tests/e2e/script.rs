//! Faults from a script, random by a seed or written down: after the script the cache equals the
//! server.
//!
//! A failure prints the script. `INFORMER_E2E_SCRIPT=file cargo test --test e2e script` runs that
//! file instead of the seeds.

use std::time::Duration;

use informer::source::{Encoding, KubeListerWatcher, Timeouts};
use informer::{ResourceInfo, SharedInformer, Snapshot, WatchListMode};
use informer_apiserver::{ApiServer, Fault, FaultScript, Matcher, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, ENCODINGS, Recorder, config_map, quick, value, within};

const OBJECTS: u64 = 40;
const CHANGES: u64 = 150;
const STEPS: usize = 24;

/// Every kind of fault of a watch or a streaming list, each for the nth such request.
fn faults_of_watches() -> Vec<(usize, Verb, Fault)> {
    let faults = [
        (1, throttled()),
        (2, Fault::Undecodable(3)),
        (2, Fault::CutAfter(9000)),
        (3, login_page()),
        (4, Fault::Compact),
        (5, Fault::DuplicateEvents(5)),
        (5, Fault::CloseAfter(7)),
        (6, Fault::TruncateAfter(700)),
        (7, Fault::ExpireAfter(2)),
        (8, Fault::LoseBookmarks(3)),
        (9, Fault::Stall),
        (10, Fault::StallAfter(300)),
        (11, Fault::status(410, "Expired", "")),
        (12, Fault::Rewind(5)),
        (13, Fault::Delay(Duration::from_millis(1))),
        (14, Fault::CloseWatches),
    ];
    faults.map(|(nth, fault)| (nth, Verb::Watch, fault)).into()
}

/// Faults of a list in pages. With streaming, no such list is requested.
fn faults_of_lists() -> Vec<(usize, Verb, Fault)> {
    let pause = Duration::from_micros(100);
    let faults = [
        (1, Fault::Slow { bytes: 100, pause }),
        (1, Fault::TruncateAfter(3000)),
        (2, Fault::Stall),
        (3, Fault::Undecodable(2)),
        (4, Fault::status(500, "InternalError", "boom")),
        (4, Fault::DisconnectWatches),
        (5, Fault::ClockSkew(-3600)),
        (5, Fault::CutAfter(100)),
    ];
    faults.map(|(nth, fault)| (nth, Verb::List, fault)).into()
}

fn throttled() -> Fault {
    Fault::Status {
        code: 429,
        reason: "TooManyRequests".to_owned(),
        message: "slow down".to_owned(),
        retry_after: Some(0),
    }
}

fn login_page() -> Fault {
    Fault::Raw {
        code: 502,
        content_type: "text/html".to_owned(),
        body: "<h1>bad gateway</h1>".into(),
    }
}

fn script(faults: Vec<(usize, Verb, Fault)>) -> FaultScript {
    let steps = faults.into_iter();
    steps.fold(FaultScript::new(), |script, (nth, verb, fault)| {
        script.at(nth, Matcher::any().verb(verb).resource("configmaps"), fault)
    })
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_the_cache_is_the_server_after_scripts_of_faults_streaming() {
    play_seeds(WatchListMode::Auto).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_the_cache_is_the_server_after_scripts_of_faults_paged() {
    play_seeds(WatchListMode::Never).await;
}

/// N-08, R-13, E-03.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_the_cache_is_the_server_after_every_kind_of_fault() {
    let both = [faults_of_watches(), faults_of_lists()].concat();
    for (mode, script) in [
        (WatchListMode::Auto, script(faults_of_watches())),
        (WatchListMode::Never, script(both)),
    ] {
        for encoding in ENCODINGS {
            play((mode, encoding), script.clone(), true).await;
        }
    }
}

async fn play_seeds(mode: WatchListMode) {
    if let Ok(path) = std::env::var("INFORMER_E2E_SCRIPT") {
        let text = std::fs::read_to_string(path).unwrap();
        for encoding in ENCODINGS {
            play((mode, encoding), text.parse().unwrap(), false).await;
        }
        return;
    }
    for (seed, encoding) in (0..12).zip(ENCODINGS.into_iter().cycle()) {
        let script = FaultScript::seeded(seed, "configmaps", STEPS);
        play((mode, encoding), script, false).await;
    }
}

/// Changes objects during the script, and then compares the results. With `to_its_end`, first waits
/// until all steps of the script have applied.
async fn play((mode, encoding): (WatchListMode, Encoding), script: FaultScript, to_its_end: bool) {
    let cluster = Cluster::with(ApiServer::builder().event_window(200)).await;
    let mut game = Game {
        rng: fastrand::Rng::with_seed(7),
        highest: 0,
        cluster,
    };
    for number in 0..OBJECTS {
        game.cluster.create(&name(number), "new");
    }
    let run = game.cluster.control.play(script);
    let informer = game.informer(mode, encoding);
    let recorder = Recorder::new();
    informer.add_event_handler(recorder.handler()).unwrap();
    let cancel = CancellationToken::new();
    let mut running = JoinSet::new();
    running.spawn({
        let (informer, cancel) = (informer.clone(), cancel.clone());
        async move { informer.run(cancel).await }
    });
    for change in 0..CHANGES {
        game.change();
        if change % 5 == 0 {
            // Without this, the informer would open few watches, and few steps would apply.
            game.cluster.control.close_watches();
            game.round().await;
        }
        if change % 25 == 0 && mode == WatchListMode::Never {
            game.cluster.control.expire_watches();
        }
        tokio::task::yield_now().await;
    }
    let finished = async {
        while to_its_end && run.left() > 0 {
            game.change();
            // Includes silent watches.
            game.cluster.control.disconnect_watches();
            game.cluster.control.compact();
            game.round().await;
        }
    };
    within("every step to apply", finished).await;
    game.cluster.control.clear_faults();
    game.settle();
    let stored = game.stored();
    let expected = stored.clone();
    let equal = informer
        .indexer()
        .wait_until(move |cached| rows(cached) == expected);
    within("the cache to equal the server", equal).await;
    let handled = recorder.until("the handler to receive all events", |notes| {
        notes.objects.len() == stored.len()
    });
    handled.await;
    recorder.read(|notes| assert_eq!(notes.illegal, [""; 0]));
    assert_eq!(informer.snapshot().undecodable_all().count(), 0);
    cancel.cancel();
    let ended = within("the informer's end", running.join_next()).await;
    ended.unwrap().unwrap().unwrap();
}

fn name(number: u64) -> String {
    format!("c-{number:03}")
}

struct Game {
    cluster: Cluster,
    rng: fastrand::Rng,
    /// Highest version so far. A script may set the server back behind it.
    highest: u64,
}

// === impl Game ===

impl Game {
    /// Returns an informer with short timeouts.
    fn informer(&self, mode: WatchListMode, encoding: Encoding) -> SharedInformer<ConfigMap> {
        let patience = Duration::from_millis(50);
        let resource = ResourceInfo::of::<ConfigMap>(&()).unwrap();
        let source = KubeListerWatcher::new(self.cluster.client.clone(), resource);
        let source = source.encoding(encoding).timeouts(Timeouts {
            headers: patience,
            list_progress: patience,
            watch_grace: patience,
            watch_progress: patience,
        });
        let config = quick().watch_list(mode).initial_events_deadline(patience);
        SharedInformer::builder(source)
            .config(config)
            .build()
            .unwrap()
    }

    /// Gives the informer time to open its next watch, which the script may prevent. The time only
    /// affects how many steps of the script apply.
    async fn round(&self) {
        let watched = self.cluster.control.await_watches("configmaps", 1);
        let _ = tokio::time::timeout(Duration::from_millis(5), watched).await;
    }

    /// Changes an object, regardless of the script's effects: creates, updates or deletes the
    /// object of a name.
    fn change(&mut self) {
        let control = &self.cluster.control;
        let name = name(self.rng.u64(..OBJECTS));
        let path = crate::support::path(&name);
        if self.rng.u8(..4) == 0 && control.delete_direct(&path).is_ok() {
            return self.note();
        }
        self.put(&name);
    }

    fn put(&mut self, name: &str) {
        let control = &self.cluster.control;
        let object = config_map(name, &self.rng.u32(..).to_string());
        // The script may set the server back meanwhile, with or without the object.
        let is_written = (0..3).any(|_| {
            let updated = control.update_direct(object.clone());
            updated.is_ok() || control.create_direct(object.clone()).is_ok()
        });
        assert!(is_written, "{name}");
        self.note();
    }

    fn note(&mut self) {
        let version = self.cluster.control.current_resource_version();
        self.highest = self.highest.max(version);
    }

    /// Gives every object a new version, and forces a relist.
    fn settle(&mut self) {
        let control = self.cluster.control.clone();
        while control.current_resource_version() < self.highest {
            self.put(&name(0));
        }
        for number in 0..OBJECTS {
            self.put(&name(number));
        }
        control.compact();
        control.disconnect_watches();
    }

    /// Returns name, uid, version and content of the stored objects.
    fn stored(&self) -> Vec<[String; 4]> {
        let objects = self.cluster.control.objects("configmaps");
        let row = |object: &serde_json::Value| {
            let text = |field: &str| object["metadata"][field].as_str().unwrap().to_owned();
            let value = object["data"]["v"].as_str().unwrap().to_owned();
            [text("name"), text("uid"), text("resourceVersion"), value]
        };
        objects.iter().map(row).collect()
    }
}

/// Returns name, uid, version and value of the cached objects.
fn rows(snapshot: &Snapshot<ConfigMap>) -> Vec<[String; 4]> {
    let maps = snapshot.iter();
    maps.map(|map| {
        let meta = &map.metadata;
        let text = |field: &Option<String>| field.clone().unwrap();
        let version = text(&meta.resource_version);
        let value = value(map).to_owned();
        [text(&meta.name), text(&meta.uid), version, value]
    })
    .collect()
}
