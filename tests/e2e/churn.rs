//! After any sequence of faults the cache equals the server, and the notifications of each handler,
//! replayed, equal the cache.
//!
//! `INFORMER_E2E_SEED=7 cargo test --test e2e churn` runs another sequence. A failure prints its
//! seed.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Duration;

use informer::advanced::Order;
use informer::source::KubeListerWatcher;
use informer::{
    HandlerOptions, HandlerRegistration, ObjectKey, ResourceInfo, ResourceVersion, Selector,
    SharedInformer, WatchListMode, WhenFull, async_handler,
};
use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, Recorder, key, quick, value, within};

const OBJECTS: usize = 5_000;
const STEPS: usize = 2_000;
const SEED: u64 = 0x1f0_9b3e;

/// N-08, C-13, C-14, W-12, W-14, H-02, H-04, H-05, H-06.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_cache_and_handlers_follow_the_server_through_everything_streaming() {
    play(WatchListMode::Auto, Order::Global, SEED).await;
}

/// N-08, C-13, C-14, W-08, B-02.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_cache_and_handlers_follow_the_server_through_everything_paged() {
    play(WatchListMode::Never, Order::Global, SEED + 1).await;
}

/// N-08, C-13, Q-18.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn n08_cache_and_handlers_follow_the_server_through_everything_ordered_per_key() {
    play(WatchListMode::Auto, Order::PerKey, SEED + 2).await;
}

async fn play(mode: WatchListMode, order: Order, seed: u64) {
    let seed = std::env::var("INFORMER_E2E_SEED").map_or(seed, |text| text.parse().unwrap());
    let _printed = PrintSeed(seed);
    // The event window is small, so a slow watch gets a 410.
    let cluster = Cluster::with(ApiServer::builder().event_window(400)).await;
    let mut game = Game::new(cluster, mode, seed);
    let resource = ResourceInfo::of::<ConfigMap>(&()).unwrap();
    let source = KubeListerWatcher::new(game.cluster.client.clone(), resource);
    let informer = SharedInformer::<ConfigMap>::builder(source)
        .config(quick().watch_list(mode))
        .order(order)
        .queue_capacity(64)
        .build()
        .unwrap();
    let cancel = CancellationToken::new();
    let mut running = JoinSet::new();
    {
        let (informer, cancel) = (informer.clone(), cancel.clone());
        running.spawn(async move { informer.run(cancel).await });
    }

    let door = Arc::new(Semaphore::new(0));
    let stuck = listen_behind(&informer, Arc::clone(&door));
    let stuck_stats = stuck.registration.clone();
    let mut handlers = vec![
        listen(&informer, "plain", HandlerOptions::new(), 0),
        listen(&informer, "slow", mailbox(16, WhenFull::Coalesce), 6),
        stuck,
        listen(&informer, "blocking", mailbox(8, WhenFull::Block), 1),
        listen(
            &informer,
            "resynced",
            HandlerOptions::new().resync_period(Duration::from_secs(1)),
            0,
        ),
    ];
    for step in 0..STEPS {
        game.step().await;
        if step % 750 == 500 {
            handlers.push(listen(
                &informer,
                &format!("late at {step}"),
                mailbox(64, WhenFull::Coalesce),
                step % 3,
            ));
        }
        if step % 250 == 0 {
            // Faults hit a synchronized state in other places than a state that lags behind.
            game.cluster.control.clear_faults();
            game.reached_by(&informer).await;
        }
    }
    game.settle();
    game.reached_by(&informer).await;

    game.compare_with(&informer);
    // The handler has been blocked in its first call until now.
    assert_eq!(stuck_stats.stats().delivered, 0);
    door.add_permits(1);
    for handler in &handlers {
        handler.compare_with(&informer).await;
    }
    assert!(stuck_stats.stats().coalesced > 0, "nothing was merged");
    let metrics = informer.metrics();
    assert!(
        metrics.lists > 1 && metrics.failures > 1 && metrics.undecodable_objects > 0,
        "no fault was injected: {metrics:?}"
    );
    let requests = game.cluster.control.requests();
    let streamed = requests
        .iter()
        .filter(|one| one.query.contains("sendInitialEvents"))
        .count();
    match mode {
        // An interruption before the first event counts as a refusal, after which lists follow.
        WatchListMode::Auto => assert!(streamed > 1, "{metrics:?}"),
        WatchListMode::Never => assert_eq!(streamed, 0),
    }
    cancel.cancel();
    let ended = within("the informer's end", running.join_next()).await;
    ended.unwrap().unwrap().unwrap();
}

fn mailbox(capacity: usize, when_full: WhenFull) -> HandlerOptions {
    let capacity = NonZeroUsize::new(capacity).unwrap();
    HandlerOptions::new()
        .capacity(capacity)
        .when_full(when_full)
}

// === handlers ===

struct Listener {
    registration: HandlerRegistration,
    recorder: Recorder<ConfigMap>,
}

fn listen(
    informer: &SharedInformer<ConfigMap>,
    name: &str,
    options: HandlerOptions,
    yields: usize,
) -> Listener {
    let recorder = Recorder::new();
    let handler = recorder.slow_handler(yields);
    let registration = informer
        .add_event_handler_with(handler, options.name(name))
        .unwrap();
    Listener {
        registration,
        recorder,
    }
}

/// Adds a handler whose first call blocks until the gate opens.
fn listen_behind(informer: &SharedInformer<ConfigMap>, gate: Arc<Semaphore>) -> Listener {
    let recorder = Recorder::new();
    let notes = recorder.clone();
    let handler = async_handler(move |event| {
        let (gate, notes) = (Arc::clone(&gate), notes.clone());
        async move {
            let _open = gate.acquire().await;
            notes.note(event);
        }
    });
    let options = mailbox(16, WhenFull::Coalesce).name("stuck");
    let registration = informer.add_event_handler_with(handler, options).unwrap();
    Listener {
        registration,
        recorder,
    }
}

// === impl Listener ===

impl Listener {
    /// Waits until the notifications, replayed, equal the cache, and checks that all of them were
    /// legal.
    async fn compare_with(&self, informer: &SharedInformer<ConfigMap>) {
        let name = self.registration.name();
        within(name, self.registration.wait_for_sync())
            .await
            .unwrap();
        let snapshot = informer.snapshot();
        let is_the_same = |held: &BTreeMap<ObjectKey, _>| {
            held.len() == snapshot.len()
                && snapshot.iter().all(|entry| {
                    held.get(&entry.key)
                        .is_some_and(|object| Arc::ptr_eq(object, &entry.handle))
                })
        };
        let what = format!("handler `{name}` to receive all events");
        self.recorder
            .until(&what, |notes| is_the_same(&notes.objects))
            .await;
        self.recorder.read(|notes| {
            let illegal: Vec<_> = notes.illegal.iter().take(5).collect();
            assert!(illegal.is_empty(), "handler `{name}`: {illegal:#?}");
            assert!(!notes.events.is_empty());
        });
    }
}

// === the game ===

struct Game {
    cluster: Cluster,
    mode: WatchListMode,
    rng: fastrand::Rng,
    /// Names in use, with the stored objects. Some objects are undecodable.
    stored: BTreeMap<String, Value>,
    spoilt: Vec<String>,
    next: usize,
    last_version: u64,
}

// === impl Game ===

impl Game {
    fn new(cluster: Cluster, mode: WatchListMode, seed: u64) -> Self {
        let mut game = Self {
            cluster,
            mode,
            rng: fastrand::Rng::with_seed(seed),
            stored: BTreeMap::new(),
            spoilt: Vec::new(),
            next: 0,
            last_version: 0,
        };
        for _ in 0..OBJECTS {
            game.create();
        }
        game
    }

    async fn step(&mut self) {
        match self.rng.u32(..1000) {
            0..300 => self.create(),
            300..600 => self.update(),
            600..880 => self.delete(),
            880..900 => self.recreate(),
            900..910 => self.spoil(),
            910..920 => self.fault(),
            920..928 => self.interrupt(),
            _ => tokio::task::yield_now().await,
        }
    }

    fn note(&mut self, name: &str, stored: Value) {
        let version = stored["metadata"]["resourceVersion"].as_str().unwrap();
        self.last_version = version.parse().unwrap();
        self.stored.insert(name.to_owned(), stored);
    }

    fn some_name(&mut self) -> Option<String> {
        if self.stored.is_empty() {
            return None;
        }
        let index = self.rng.usize(..self.stored.len());
        self.stored.keys().nth(index).cloned()
    }

    fn create(&mut self) {
        let name = format!("c-{:05}", self.next);
        self.next += 1;
        let stored = self.cluster.create(&name, "new");
        self.note(&name, stored);
    }

    fn update(&mut self) {
        let Some(name) = self.some_name() else { return };
        let text = self.rng.u32(..).to_string();
        let stored = self.cluster.update(&name, &text);
        self.spoilt.retain(|other| *other != name);
        self.note(&name, stored);
    }

    fn delete(&mut self) {
        let Some(name) = self.some_name() else { return };
        self.cluster.delete(&name);
        self.spoilt.retain(|other| *other != name);
        self.stored.remove(&name);
        self.last_version = self.cluster.control.current_resource_version();
    }

    /// Replaces an object by another one with the same name. A disconnected watch may report one
    /// change only.
    fn recreate(&mut self) {
        let Some(name) = self.some_name() else { return };
        self.cluster.delete(&name);
        self.spoilt.retain(|other| *other != name);
        let stored = self.cluster.create(&name, "again");
        self.note(&name, stored);
    }

    fn spoil(&mut self) {
        let Some(name) = self.some_name() else { return };
        self.last_version = self.cluster.spoil(self.stored[&name].clone());
        self.spoilt.push(name);
    }

    /// Injects a fault into a future request.
    fn fault(&mut self) {
        let status = |code, reason: &str| Fault::Status {
            code,
            reason: reason.to_owned(),
            message: "on purpose".to_owned(),
            retry_after: None,
        };
        let bytes = self.rng.u64(0..200_000);
        let (verb, fault) = match (self.mode, self.rng.u32(..6)) {
            (WatchListMode::Auto, 0..2) => (Verb::Watch, status(429, "TooManyRequests")),
            (WatchListMode::Auto, 2..4) => (Verb::Watch, Fault::CutAfter(bytes)),
            (WatchListMode::Auto, _) => (Verb::Watch, Fault::TruncateAfter(bytes)),
            (WatchListMode::Never, 0) => (Verb::Watch, status(410, "Expired")),
            (WatchListMode::Never, 1) => (Verb::Watch, status(500, "InternalError")),
            (WatchListMode::Never, 2) => (Verb::List, status(410, "Expired")),
            (WatchListMode::Never, 3) => (Verb::List, status(504, "Timeout")),
            (WatchListMode::Never, 4) => (Verb::List, Fault::CutAfter(bytes)),
            (WatchListMode::Never, _) => (Verb::List, Fault::TruncateAfter(bytes)),
        };
        let matcher = Matcher::any().resource("configmaps").verb(verb);
        self.cluster.control.fail_next(1, matcher, fault);
    }

    /// Injects a fault into the current watch.
    fn interrupt(&mut self) {
        let control = &self.cluster.control;
        match self.rng.u32(..4) {
            0 => control.close_watches(),
            1 => control.disconnect_watches(),
            _ => {
                control.compact();
                control.disconnect_watches();
            }
        }
    }

    /// Makes all objects valid again, and changes one more.
    fn settle(&mut self) {
        self.cluster.control.clear_faults();
        for name in std::mem::take(&mut self.spoilt) {
            let stored = self.cluster.update(&name, "good again");
            self.note(&name, stored);
        }
        self.create();
    }

    /// Waits until the cache reflects the last change.
    async fn reached_by(&self, informer: &SharedInformer<ConfigMap>) {
        let wanted = ResourceVersion::new(&self.last_version.to_string());
        let what = format!("the cache to reach {wanted}");
        let reached = within(&what, informer.indexer().wait_for(&wanted)).await;
        reached.unwrap();
    }

    fn compare_with(&self, informer: &SharedInformer<ConfigMap>) {
        let on_server: Vec<_> = self
            .cluster
            .control
            .objects("configmaps")
            .into_iter()
            .map(|object| {
                let text = |member: &str| object["metadata"][member].as_str().unwrap().to_owned();
                let value = object["data"]["v"].as_str().unwrap().to_owned();
                (text("name"), text("uid"), text("resourceVersion"), value)
            })
            .collect();
        let snapshot = informer.snapshot();
        let cached: Vec<_> = snapshot
            .iter()
            .map(|entry| {
                let meta = &entry.handle.metadata;
                assert_eq!(entry.key, key(meta.name.as_deref().unwrap()));
                (
                    entry.key.name().to_owned(),
                    meta.uid.clone().unwrap(),
                    meta.resource_version.clone().unwrap(),
                    value(&entry.handle).to_owned(),
                )
            })
            .collect();
        let differs: Vec<_> = on_server
            .iter()
            .zip(&cached)
            .filter(|(on_server, cached)| on_server != cached)
            .take(5)
            .collect();
        assert!(
            on_server == cached,
            "{} on the server, {} cached, first differences {differs:#?}",
            on_server.len(),
            cached.len(),
        );
        assert_eq!(snapshot.undecodable_all().count(), 0);
        // Other read methods agree, and so does the game's own record.
        let lister = informer.lister().namespace("default").into_owned();
        assert_eq!(lister.list(&Selector::everything()).len(), cached.len());
        assert!(self.stored.keys().all(|name| lister.get(name).is_some()));
    }
}

struct PrintSeed(u64);

impl Drop for PrintSeed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("to repeat the sequence: INFORMER_E2E_SEED={}", self.0);
        }
    }
}
