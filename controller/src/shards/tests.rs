//! Replicas with controllers over a server in memory, on a paused clock.

use std::collections::{BTreeMap, BTreeSet};
use std::future::pending;
use std::io;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use http::Method;
use informer_runtime::{
    Event, HandlerOptions, ObjectKey, SharedInformer, SharedInformerFactory, WatchListMode,
    WhenFull, async_handler,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::client::Body;
use kube::{Client, ResourceExt as _};
use serde_json::json;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{Instant, sleep, timeout};
use tokio_util::sync::CancellationToken;

use super::{ShardBy, Shards, ShardsBuilder, ShardsError, ShardsStatus};
use crate::controller::{Controller, ControllerHandle};
use crate::tests::server::Server;
use crate::workqueue::Action;

const SLICES: u16 = 8;
const OBJECTS: usize = 40;
/// Time after which a change of the replicas is carried out, without a lost lease.
const SOON: Duration = Duration::from_secs(5);

/// Calls that run, and what they may not do.
#[derive(Default)]
struct Log {
    /// Replica that runs a call for the object now.
    running: BTreeMap<String, usize>,
    /// Calls that have ended, by object and replica.
    done: BTreeSet<(String, usize)>,
    overlaps: usize,
    dropped: usize,
}

type Seen = Arc<parking_lot::Mutex<Log>>;

/// Process with a membership, a factory and a controller.
struct Replica {
    shards: Shards,
    is_cut: Arc<AtomicBool>,
    stop: CancellationToken,
    controller: ControllerHandle,
    _running: JoinSet<()>,
}

/// Removes a running call, also if it is dropped.
struct Running {
    seen: Seen,
    name: String,
    is_done: bool,
}

fn secs(secs: u64) -> Duration {
    Duration::from_secs(secs)
}

fn server() -> Server {
    let server = Server::new(0);
    for number in 0..OBJECTS {
        let (namespace, name) = (format!("{number}-team"), format!("map-{number}"));
        let key = ObjectKey::namespaced(&namespace, &name);
        server.put("configmaps", &key, Some(json!({ "data": {} })));
    }
    server
}

/// Returns a factory of the membership's part, which has started, and an informer of it.
fn cache(server: &Server, shards: &Shards) -> (SharedInformerFactory, SharedInformer<ConfigMap>) {
    let factory = SharedInformerFactory::builder(server.client());
    let factory = factory.watch_list(WatchListMode::Never);
    let factory = factory.shards(shards).build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    (factory, maps)
}

fn builder(server: &Server, is_cut: &Arc<AtomicBool>) -> ShardsBuilder {
    let client = server.client_unless(Arc::clone(is_cut));
    Shards::builder(client, "maps").slices(SLICES)
}

/// Starts a replica whose calls take `lasts`, and repeat every second.
async fn replica(
    server: &Server,
    number: usize,
    by: ShardBy,
    lasts: Duration,
    seen: &Seen,
) -> Replica {
    replica_with(OBJECTS, server, number, by, lasts, seen).await
}

async fn replica_with(
    workers: usize,
    server: &Server,
    number: usize,
    by: ShardBy,
    lasts: Duration,
    seen: &Seen,
) -> Replica {
    let is_cut = Arc::default();
    let builder = builder(server, &is_cut)
        .by(by)
        .identity(format!("r{number}"));
    let shards = builder.join().await.unwrap();
    let (factory, maps) = cache(server, &shards);
    let stop = CancellationToken::new();
    let controller = Controller::new("maps", &maps)
        .workers(workers)
        .shards(&shards)
        .shutdown_on(stop.clone().cancelled_owned());
    let handle = controller.handle();
    let run = controller.run(
        Arc::clone(seen),
        move |map: Arc<ConfigMap>, seen: Seen| async move {
            let name = map.name_any();
            let other = seen.lock().running.insert(name.clone(), number);
            seen.lock().overlaps += usize::from(other.is_some());
            let mut running = Running {
                seen: Arc::clone(&seen),
                name: name.clone(),
                is_done: false,
            };
            sleep(lasts).await;
            seen.lock().done.insert((name, number));
            running.is_done = true;
            Ok::<_, io::Error>(Action::RequeueAfter(secs(1)))
        },
    );
    let mut running = JoinSet::new();
    running.spawn(async move {
        run.await.unwrap();
        factory.shutdown().await;
    });
    Replica {
        shards,
        is_cut,
        stop,
        controller: handle,
        _running: running,
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut log = self.seen.lock();
        log.running.remove(&self.name);
        log.dropped += usize::from(!self.is_done);
    }
}

// === impl Replica ===

impl Replica {
    fn status(&self) -> ShardsStatus {
        self.shards.status()
    }

    fn owned(&self) -> usize {
        self.status().owned.len()
    }
}

/// Returns the number of objects that each replica has reconciled since the last call.
fn work(seen: &Seen) -> BTreeMap<usize, usize> {
    let mut work = BTreeMap::new();
    for (_, replica) in std::mem::take(&mut seen.lock().done) {
        *work.entry(replica).or_insert(0) += 1;
    }
    work
}

#[tokio::test(start_paused = true)]
async fn p03_each_object_has_one_replica_and_a_graceful_end_hands_it_over_at_once() {
    for (by, is_ignored) in [(ShardBy::Namespace, true), (ShardBy::Uid, false)] {
        let (server, seen) = (server(), Seen::default());
        server.shard(!is_ignored);
        let a = replica(&server, 0, by, Duration::ZERO, &seen).await;
        sleep(SOON).await;
        assert_eq!(
            (a.owned(), work(&seen)),
            (8, BTreeMap::from([(0, OBJECTS)]))
        );
        let b = replica(&server, 1, by, Duration::ZERO, &seen).await;
        sleep(SOON).await;
        assert_eq!((a.owned(), b.owned()), (4, 4));
        work(&seen);
        sleep(SOON).await;
        let shares = work(&seen);
        assert_eq!(shares.values().sum::<usize>(), OBJECTS, "{shares:?}");
        assert_eq!(shares.len(), 2);
        let (moves, of_b) = (a.status(), b.status());
        assert_eq!((moves.gained, moves.released, moves.lost), (8, 4, 0));
        assert_eq!(moves.replicas, of_b.replicas);
        assert_eq!(of_b.holders.iter().flatten().count(), 8);
        assert_eq!(of_b.is_ignored, is_ignored);

        a.stop.cancel();
        a.shards.leave().await;
        sleep(SOON).await;
        assert_eq!(b.status().replicas.len(), 1);
        work(&seen);
        sleep(SOON).await;
        assert_eq!(
            (b.owned(), work(&seen)),
            (8, BTreeMap::from([(1, OBJECTS)]))
        );
        let leases = server.objects("leases");
        assert_eq!(leases.len(), 9, "the member lease of the other is gone");
        assert_eq!(seen.lock().overlaps, 0);
    }
}

#[tokio::test(start_paused = true)]
async fn p04_calls_of_a_slice_that_is_given_away_finish_first() {
    let (server, seen) = (server(), Seen::default());
    let a = replica(&server, 0, ShardBy::Namespace, secs(12), &seen).await;
    sleep(secs(30)).await;
    let b = replica(&server, 1, ShardBy::Namespace, secs(12), &seen).await;
    sleep(SOON).await;
    // The calls have begun after 26 s, and end after 38 s. One of the slices has no object.
    assert!(a.status().released <= 1, "slices with calls are released");
    sleep(SOON).await;
    let running = seen.lock().running.len();
    assert!(running < OBJECTS, "calls of the leaving slices begin");
    assert_eq!(a.status().released, 4);
    sleep(secs(20)).await;
    assert_eq!(b.owned(), 4);
    let log = seen.lock();
    assert_eq!((log.overlaps, log.dropped), (0, 0));
    drop(log);
    drop((a, b));
}

#[tokio::test(start_paused = true)]
async fn p04_calls_that_outlast_the_grace_period_are_dropped() {
    let (server, seen) = (server(), Seen::default());
    let a = replica(&server, 0, ShardBy::Namespace, secs(3600), &seen).await;
    sleep(SOON).await;
    let b = replica(&server, 1, ShardBy::Namespace, secs(3600), &seen).await;
    sleep(secs(20) + SOON).await;
    assert_eq!((a.owned(), b.owned()), (4, 4));
    let log = seen.lock();
    let of_b = log
        .running
        .values()
        .filter(|replica| **replica == 1)
        .count();
    assert_eq!((log.running.len(), log.overlaps), (OBJECTS, 0));
    assert_eq!(log.dropped, of_b);
    drop(log);
    drop((a, b));
}

#[tokio::test(start_paused = true)]
async fn p05_a_replica_without_the_server_drops_its_calls_before_others_begin() {
    let (server, seen) = (server(), Seen::default());
    let a = replica(&server, 0, ShardBy::Namespace, secs(3600), &seen).await;
    let b = replica(&server, 1, ShardBy::Namespace, secs(3600), &seen).await;
    sleep(secs(20) + SOON).await;
    assert_eq!((a.owned(), b.owned()), (4, 4));
    let cut = Instant::now();
    a.is_cut.store(true, Ordering::Relaxed);
    while a.owned() > 0 {
        sleep(Duration::from_millis(100)).await;
    }
    assert!(
        cut.elapsed() <= secs(10) + Duration::from_millis(200),
        "{:?}",
        cut.elapsed()
    );
    assert!(seen.lock().running.values().all(|replica| *replica == 1));
    while b.owned() < 8 {
        sleep(Duration::from_millis(100)).await;
    }
    assert!(
        cut.elapsed() <= secs(17) + Duration::from_millis(200),
        "{:?}",
        cut.elapsed()
    );
    assert_eq!(a.status().lost, 4);
    a.is_cut.store(false, Ordering::Relaxed);
    sleep(secs(20) + SOON).await;
    assert_eq!((a.owned(), b.owned()), (4, 4));
    let log = seen.lock();
    assert_eq!((log.running.len(), log.overlaps), (OBJECTS, 0));
    drop(log);
    drop((a, b));
}

/// Keys of a slice that is given away do not wait for a worker, and do not count in the depth.
#[tokio::test(start_paused = true)]
async fn p04_the_queue_forgets_the_keys_of_a_slice_that_is_given_away() {
    let (server, seen, by) = (server(), Seen::default(), ShardBy::Namespace);
    let a = replica_with(1, &server, 0, by, secs(3600), &seen).await;
    sleep(SOON).await;
    let depth = || a.controller.queue().metrics().depth;
    assert_eq!(depth(), OBJECTS - 1, "the only worker has the other");
    let b = replica(&server, 1, by, Duration::ZERO, &seen).await;
    sleep(secs(20) + SOON).await;
    work(&seen);
    sleep(SOON).await;
    let of_b = work(&seen)[&1];
    assert_eq!((a.owned(), b.owned()), (4, 4));
    assert_eq!(depth(), OBJECTS - of_b - 1);
    drop((a, b));
}

/// Nothing is kept of the failures of a key whose slice leaves, also if its object is gone.
#[tokio::test(start_paused = true)]
async fn p04_the_attempts_of_a_slice_that_is_given_away_are_forgotten() {
    let (server, seen) = (server(), Seen::default());
    let joined = builder(&server, &Arc::default()).join().await;
    let shards = joined.unwrap();
    let (_factory, maps) = cache(&server, &shards);
    let attempts = Arc::new(parking_lot::Mutex::new(BTreeMap::new()));
    let noted = Arc::clone(&attempts);
    let policy = move |key: &ObjectKey, _: &io::Error, attempt| {
        noted.lock().insert(key.clone(), attempt);
        Action::RequeueAfter(secs(1))
    };
    let controller = Controller::new("maps", &maps).workers(OBJECTS);
    let run = controller
        .shards(&shards)
        .on_error(policy)
        .run_keys(Arc::new(()), |_, _| async {
            Err::<Action, _>(io::Error::other("always"))
        });
    let mut running = JoinSet::new();
    running.spawn(async move { run.await.unwrap() });
    sleep(SOON).await;
    let keys: Vec<ObjectKey> = attempts.lock().keys().cloned().collect();
    for key in &keys {
        server.put("configmaps", key, None);
    }
    sleep(secs(60)).await;
    let b = replica(&server, 1, ShardBy::Namespace, Duration::ZERO, &seen).await;
    sleep(SOON).await;
    attempts.lock().clear();
    sleep(SOON).await;
    let stayed: BTreeSet<ObjectKey> = attempts.lock().keys().cloned().collect();
    b.stop.cancel();
    b.shards.leave().await;
    sleep(SOON).await;
    for key in &keys {
        server.put("configmaps", key, Some(json!({ "data": {} })));
    }
    sleep(SOON).await;
    let after = attempts.lock();
    assert!(after.len() == OBJECTS && stayed.len() < OBJECTS);
    for (key, attempt) in &*after {
        assert_eq!(*attempt > 50, stayed.contains(key), "{key}: {attempt}");
    }
}

/// A slice that an informer cannot list is in the status, and is owned when the list succeeds.
#[tokio::test(start_paused = true)]
async fn p09_a_slice_whose_objects_cannot_be_listed_is_overdue_after_a_minute() {
    let (server, seen, by) = (server(), Seen::default(), ShardBy::Namespace);
    let a = replica(&server, 0, by, Duration::ZERO, &seen).await;
    let b = replica(&server, 1, by, Duration::ZERO, &seen).await;
    sleep(secs(20)).await;
    server.fail(|target| (target.resource == "configmaps").then_some((503, "Unavailable")));
    b.shards.leave().await;
    sleep(secs(55)).await;
    assert_eq!((a.owned(), a.status().overdue.len()), (4, 0));
    sleep(secs(10)).await;
    assert_eq!((a.owned(), a.status().overdue.len()), (4, 4));
    assert!(a.status().holders.iter().all(Option::is_some));
    server.fail(|_| None);
    sleep(secs(32) + SOON).await;
    assert_eq!((a.owned(), a.status().overdue.len()), (8, 0));
}

/// A key without an object in the cache may be another replica's object, where the uid decides.
#[tokio::test(start_paused = true)]
async fn p03_deletions_are_reconciled_where_the_namespace_decides() {
    for (by, is_reconciled) in [(ShardBy::Namespace, true), (ShardBy::Uid, false)] {
        let server = server();
        let joined = builder(&server, &Arc::default()).by(by).join().await;
        let shards = joined.unwrap();
        let (_factory, maps) = cache(&server, &shards);
        let deleted = Arc::new(AtomicUsize::new(0));
        let (lister, counted) = (maps.lister(), Arc::clone(&deleted));
        let controller = Controller::new("maps", &maps).shards(&shards);
        let run = controller.run_keys(counted, move |key, counted| {
            let is_gone = lister.get_by_key(&key).is_none();
            counted.fetch_add(usize::from(is_gone), Ordering::Relaxed);
            async { Ok::<_, io::Error>(()) }
        });
        let mut running = JoinSet::new();
        running.spawn(async move { run.await.unwrap() });
        sleep(SOON).await;
        let key = ObjectKey::namespaced("0-team", "map-0");
        server.put("configmaps", &key, None);
        sleep(SOON).await;
        assert_eq!(deleted.load(Ordering::Relaxed) == 1, is_reconciled);
    }
}

/// The keys that came while the replica owned nothing are reconciled when it does again.
#[tokio::test(start_paused = true)]
async fn p06_a_lone_replica_takes_its_slices_again_and_misses_no_change() {
    let (server, seen) = (server(), Seen::default());
    let a = replica(&server, 0, ShardBy::Namespace, Duration::ZERO, &seen).await;
    sleep(SOON).await;
    a.is_cut.store(true, Ordering::Relaxed);
    sleep(secs(11)).await;
    assert_eq!(a.owned(), 0);
    work(&seen);
    sleep(secs(30)).await;
    assert!(work(&seen).is_empty());
    a.is_cut.store(false, Ordering::Relaxed);
    sleep(SOON).await;
    assert_eq!(
        (a.owned(), work(&seen)),
        (8, BTreeMap::from([(0, OBJECTS)]))
    );
}

#[tokio::test(start_paused = true)]
async fn p07_the_fence_of_an_object_grows_with_each_owner() {
    let (server, seen) = (server(), Seen::default());
    let a = replica(&server, 0, ShardBy::Namespace, Duration::ZERO, &seen).await;
    sleep(SOON).await;
    let map: ConfigMap = serde_json::from_value(server.objects("configmaps")[0].clone()).unwrap();
    let first = a.shards.fence(&map).unwrap();
    let b = replica(&server, 1, ShardBy::Namespace, Duration::ZERO, &seen).await;
    a.stop.cancel();
    a.shards.leave().await;
    assert_eq!(a.shards.fence(&map), None);
    sleep(SOON).await;
    assert!(b.shards.fence(&map).unwrap() > first);
}

#[tokio::test(start_paused = true)]
async fn p08_replicas_that_cut_the_hashes_differently_share_nothing() {
    let (server, is_cut) = (server(), Arc::default());
    let old = builder(&server, &is_cut).join().await.unwrap();
    sleep(SOON).await;
    let new = builder(&server, &is_cut).slices(16).join().await.unwrap();
    sleep(secs(60)).await;
    assert_eq!((old.status().owned.len(), new.status().owned.len()), (8, 0));
    assert!(new.status().is_blocked);
    old.leave().await;
    sleep(SOON).await;
    assert_eq!(new.status().owned.len(), 16);
    assert!(!new.status().is_blocked);
}

/// Adds a handler that blocks the informer. Its calls for deletions last `lasts`, and all calls for ever
/// once it is stuck.
fn block(maps: &SharedInformer<ConfigMap>, lasts: Duration) -> watch::Sender<bool> {
    let (stuck, is_stuck) = watch::channel(false);
    let handler = async_handler(move |event: Event<ConfigMap>| {
        let mut is_stuck = is_stuck.clone();
        async move {
            if matches!(event, Event::Deleted(_)) {
                sleep(lasts).await;
            }
            // Ends with the sender.
            _ = is_stuck.wait_for(|is_stuck| !is_stuck).await;
        }
    });
    let options = HandlerOptions::new()
        .when_full(WhenFull::Block)
        .name("mirror");
    let options = options.capacity(NonZeroUsize::MIN);
    maps.add_event_handler_with(handler, options).unwrap();
    stuck
}

/// P-14. The caches have dropped the slices: the handlers are told about it later.
#[tokio::test(start_paused = true)]
async fn p14_a_slow_handler_delays_no_hand_over() {
    let server = server();
    let a = builder(&server, &Arc::default()).join().await.unwrap();
    let (_factory, maps) = cache(&server, &a);
    let _stuck = block(&maps, secs(10));
    sleep(SOON).await;
    let b = builder(&server, &Arc::default()).join().await.unwrap();
    let (_factory, _maps) = cache(&server, &b);
    sleep(SOON).await;
    assert_eq!((a.status().owned.len(), b.status().owned.len()), (4, 4));
    assert!(maps.len() < OBJECTS);
}

/// P-14. After the grace period, a handler that takes no events is named, and holds nothing up.
#[tokio::test(start_paused = true)]
async fn p14_a_stuck_handler_holds_no_slice_for_longer_than_the_grace_period() {
    let (server, log) = (
        server(),
        crate::logged::capture("informer_controller::shards"),
    );
    let a = builder(&server, &Arc::default()).join().await.unwrap();
    let (_factory, maps) = cache(&server, &a);
    let stuck = block(&maps, Duration::ZERO);
    sleep(SOON).await;
    stuck.send_replace(true);
    let late = |number: usize| ObjectKey::namespaced(&format!("{number}-team"), "late");
    for number in 0..OBJECTS {
        server.put("configmaps", &late(number), Some(json!({ "data": {} })));
    }
    sleep(SOON).await;
    let b = builder(&server, &Arc::default()).join().await.unwrap();
    let (_factory, of_b) = cache(&server, &b);
    sleep(secs(20) + SOON).await;
    assert_eq!((a.status().owned.len(), b.status().owned.len()), (4, 4));
    let text = log.text();
    assert!(
        text.contains("handler \"mirror\" of informer \"configmaps.v1 (sharded)\""),
        "{text}"
    );
    let began = Instant::now();
    a.leave().await;
    assert!(began.elapsed() <= secs(20) + SOON, "{:?}", began.elapsed());
    sleep(SOON).await;
    assert_eq!(b.status().owned.len(), 8);
    // What was waited for goes on.
    stuck.send_replace(false);
    sleep(SOON).await;
    assert_eq!((maps.len(), of_b.len()), (0, 2 * OBJECTS));
}

/// P-09, P-14. A handler that takes no events keeps the cache from showing slices, which is the
/// reason that the log names.
#[tokio::test(start_paused = true)]
async fn p14_a_stuck_handler_is_the_reason_of_overdue_slices() {
    let (server, log) = (
        server(),
        crate::logged::capture("informer_controller::shards"),
    );
    let [a, b] = [(); 2].map(|()| builder(&server, &Arc::default()));
    let a = a.join().await.unwrap();
    let (_factory, maps) = cache(&server, &a);
    let stuck = block(&maps, Duration::ZERO);
    let b = b.join().await.unwrap();
    let (_factory, _maps) = cache(&server, &b);
    sleep(SOON).await;
    stuck.send_replace(true);
    for number in 0..OBJECTS {
        let key = ObjectKey::namespaced(&format!("{number}-team"), "late");
        server.put("configmaps", &key, Some(json!({ "data": {} })));
    }
    b.leave().await;
    sleep(secs(60) + SOON).await;
    assert_eq!((a.status().owned.len(), a.status().overdue.len()), (4, 4));
    let text = log.text();
    let reason = "not reconciled: handler \"mirror\" of informer \"configmaps.v1 (sharded)\" takes no events";
    assert!(text.contains(reason), "{text}");
    assert!(!text.contains("cannot"), "{text}");
    stuck.send_replace(false);
    sleep(SOON).await;
    assert_eq!((a.status().owned.len(), a.status().overdue.len()), (8, 0));
}

type IsSilent = dyn Fn(usize, &Method) -> bool + Send + Sync;

/// Requests of a replica, of which some have no answer.
#[derive(Clone)]
struct Requests {
    /// Decides by number and method which requests are handled, but not answered.
    is_silent: Arc<IsSilent>,
    sent: Arc<AtomicUsize>,
    /// Number of lists.
    lists: Arc<AtomicUsize>,
    /// Greatest time for which one was awaited.
    longest: Arc<parking_lot::Mutex<Duration>>,
}

/// Request that is awaited.
struct Awaited(Requests, Instant);

// === impl Requests ===

impl Requests {
    fn new(is_silent: impl Fn(usize, &Method) -> bool + Send + Sync + 'static) -> Self {
        Self {
            is_silent: Arc::new(is_silent),
            sent: Arc::default(),
            lists: Arc::default(),
            longest: Arc::default(),
        }
    }

    fn builder(&self, server: &Server) -> ShardsBuilder {
        let (client, requests) = (server.client(), self.clone());
        let service = tower::service_fn(move |request: http::Request<Body>| {
            let (client, requests) = (client.clone(), requests.clone());
            let number = requests.sent.fetch_add(1, Ordering::Relaxed) + 1;
            let is_silent = (requests.is_silent)(number, request.method());
            let is_list = request.uri().path().ends_with("/leases");
            let is_list = is_list && request.method() == Method::GET;
            requests
                .lists
                .fetch_add(usize::from(is_list), Ordering::Relaxed);
            async move {
                let awaited = Awaited(requests, Instant::now());
                let answered = client.send(request).await;
                if is_silent {
                    pending::<()>().await;
                }
                drop(awaited);
                answered.map_err(io::Error::other)
            }
        });
        Shards::builder(Client::new(service, "default"), "maps").slices(SLICES)
    }
}

impl Drop for Awaited {
    fn drop(&mut self) {
        let mut longest = self.0.longest.lock();
        *longest = self.1.elapsed().max(*longest);
    }
}

/// P-13. A claim without an answer delays no other slice.
#[tokio::test(start_paused = true)]
async fn p13_a_slice_opens_when_its_claim_is_answered() {
    let server = server();
    // After a list, the member lease and the next list come the claims.
    let requests = Requests::new(|number, _| number == 7);
    let shards = requests.builder(&server).join().await.unwrap();
    let (_factory, maps) = cache(&server, &shards);
    maps.wait_for_sync().await.unwrap();
    sleep(secs(3)).await;
    assert_eq!(shards.status().owned.len(), 7);
    sleep(secs(10)).await;
    assert_eq!(shards.status().owned.len(), 8);
}

/// P-13. Claims whose answers are lost delay neither the lists nor the slices of which a list shows that
/// they are held.
#[tokio::test(start_paused = true)]
async fn p13_a_replica_goes_on_while_claims_have_no_answer() {
    let server = server();
    // The third request creates the member lease, and later ones those of the slices.
    let requests = Requests::new(|number, method| number > 3 && method == Method::POST);
    let shards = requests.builder(&server).slices(64).join().await.unwrap();
    let (_factory, maps) = cache(&server, &shards);
    maps.wait_for_sync().await.unwrap();
    sleep(secs(15)).await;
    let lists = requests.lists.load(Ordering::Relaxed);
    assert!(lists >= 7, "{lists} lists");
    assert!(shards.status().owned.len() >= 8, "{:?}", shards.status());
    sleep(secs(45)).await;
    assert_eq!(shards.status().owned.len(), 64);
}

/// K-26. A request that a proxy swallows ends after its limit, whichever request that is: a replica
/// joins, shares and leaves.
#[tokio::test(start_paused = true)]
async fn k26_no_request_of_a_replica_is_awaited_for_ever() {
    let mut number = 1;
    loop {
        let server = server();
        let one = Requests::new(move |sent, _| sent == number);
        let joined = timeout(secs(60), one.builder(&server).join()).await;
        let a = joined
            .unwrap_or_else(|_| panic!("`join` waits for request {number}"))
            .unwrap();
        let (_factory, maps) = cache(&server, &a);
        maps.wait_for_sync().await.unwrap();
        sleep(secs(30)).await;
        assert_eq!(a.status().owned.len(), 8, "request {number}");
        let b = builder(&server, &Arc::default()).join().await.unwrap();
        sleep(secs(30)).await;
        assert_eq!(a.status().owned.len(), 4, "request {number}");
        let left = timeout(secs(60), a.leave()).await;
        assert!(left.is_ok(), "`leave` waits for request {number}");
        let longest = *one.longest.lock();
        assert!(
            longest <= secs(10),
            "request {number} was awaited for {longest:?}"
        );
        if one.sent.load(Ordering::Relaxed) < number {
            break;
        }
        drop(b);
        number += 1;
    }
    assert!(number > 50, "{number} requests");
}

/// K-26. A server that does not answer any more keeps no replica from its end.
#[tokio::test(start_paused = true)]
async fn k26_a_replica_ends_while_the_server_is_silent() {
    for first in 1..60 {
        let server = server();
        let all = Requests::new(move |sent, _| sent >= first);
        if let Ok(shards) = timeout(secs(60), all.builder(&server).join()).await {
            sleep(secs(first as u64)).await;
            let shards = shards.unwrap();
            let left = timeout(secs(60), shards.leave()).await;
            assert!(left.is_ok(), "`leave` waits, from request {first} on");
        }
        let longest = *all.longest.lock();
        assert!(
            longest <= secs(10),
            "from {first} on, one was awaited for {longest:?}"
        );
    }
}

#[tokio::test(start_paused = true)]
async fn invalid_settings_and_missing_permissions_are_errors() {
    let (server, is_cut) = (server(), Arc::default());
    let invalid = [
        builder(&server, &is_cut).slices(0),
        builder(&server, &is_cut).slices(1025),
        builder(&server, &is_cut).identity("Pod_1"),
        Shards::builder(server.client(), "-a"),
    ];
    for builder in invalid {
        let error = builder.join().await.unwrap_err();
        assert!(matches!(error, ShardsError::Invalid { .. }), "{error}");
    }
    let error = builder(&server, &is_cut)
        .renew_deadline(secs(20))
        .join()
        .await
        .unwrap_err();
    assert!(matches!(error, ShardsError::Lease { .. }), "{error}");
    server.fail(|target| (target.resource == "leases").then_some((403, "Forbidden")));
    let error = builder(&server, &is_cut).join().await.unwrap_err();
    assert!(matches!(error, ShardsError::List { .. }), "{error}");
}
