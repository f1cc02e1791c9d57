//! Work, counted: requests, decodes, copies, tasks.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::leader_election::LeaderElector;
use informer::{
    HandlerOptions, InformerOptions, ObjectKey, Selector, SharedInformer, WatchListMode,
};
use informer_apiserver::{Fault, Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};
use serde_json::json;

use crate::support::{Cluster, MODES, Recorder, key, quick, until_cached, within};

/// A type is listed once and watched once, for any number of users.
///
/// F-01, F-03, R-04, L-01.
#[tokio::test]
async fn f01_one_list_and_one_watch_however_many_handlers_listers_and_clones() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let factory = cluster
            .builder()
            .config(quick().watch_list(mode))
            .build()
            .unwrap();
        let recorders: Vec<Recorder<ConfigMap>> = (0..5).map(|_| Recorder::new()).collect();
        let mut informers = Vec::new();
        for recorder in &recorders {
            let informer = factory.clone().informer::<ConfigMap>();
            informer.add_event_handler(recorder.handler()).unwrap();
            informers.push((informer.lister(), informer.clone(), informer));
        }
        let generated = factory.core().v1().config_maps();
        factory.start().unwrap();
        within("sync", factory.wait_for_cache_sync()).await.unwrap();
        // Later users share the watch too.
        factory.start().unwrap();
        let late = Recorder::new();
        generated.add_event_handler(late.handler()).unwrap();
        cluster.create("b", "2");
        for recorder in recorders.iter().chain([&late]) {
            recorder.until_events(2).await;
        }

        let requests = cluster.control.requests();
        let of_maps = requests.iter().filter(|one| one.resource == "configmaps");
        let sent: Vec<(Verb, &str)> = of_maps
            .map(|one| {
                let query = one.query.split_once("&timeoutSeconds=");
                (one.verb, query.map_or(&*one.query, |(query, _)| query))
            })
            .collect();
        let version = cluster.control.current_resource_version() - 1;
        let expected_watch =
            format!("watch=true&resourceVersion={version}&allowWatchBookmarks=true");
        match mode {
            WatchListMode::Auto => assert_eq!(
                sent,
                [(
                    Verb::Watch,
                    "watch=true&allowWatchBookmarks=true&sendInitialEvents=true\
                     &resourceVersionMatch=NotOlderThan"
                )]
            ),
            WatchListMode::Never => assert_eq!(
                sent,
                [
                    (Verb::List, "limit=500&resourceVersion=0"),
                    (Verb::Watch, expected_watch.as_str()),
                ]
            ),
        }
        // All readers share one allocation.
        let first = generated.lister().get_by_key(&key("a")).unwrap();
        for (lister, clone, informer) in &informers {
            let again = lister.namespace("default").get("a").unwrap();
            assert!(Arc::ptr_eq(&first, &again));
            assert!(Arc::ptr_eq(
                &first,
                &clone.lister().list(&Selector::everything())[0]
            ));
            assert_eq!(informer.metrics().decoded_objects, 2);
        }
        for recorder in &recorders {
            recorder.read(|notes| assert!(Arc::ptr_eq(&first, &notes.objects[&key("a")])));
        }
        factory.shutdown().await;
    }
}

/// Two scopes of a type have two watches, and no more.
///
/// F-01, F-02.
#[tokio::test]
async fn f01_each_scope_has_its_own_watch() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    for _ in 0..3 {
        let _all = factory.informer::<ConfigMap>();
        let _one = factory.informer_with(InformerOptions::<ConfigMap>::new().namespace("x"));
    }
    factory.start().unwrap();
    within("sync", factory.wait_for_cache_sync()).await.unwrap();
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 2);
    assert_eq!(cluster.control.watch_count("configmaps"), 2);
    factory.shutdown().await;
    within(
        "the watches' end",
        cluster.control.await_watches("configmaps", 0),
    )
    .await;
}

/// Concurrent first requests on a running factory share one informer.
///
/// F-03, F-04.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn f03_concurrent_first_requests_are_one_informer() {
    let cluster = Cluster::start().await;
    let factory = cluster.factory();
    factory.start().unwrap();
    let gate = Arc::new(std::sync::Barrier::new(8));
    let mut asking = tokio::task::JoinSet::new();
    for _ in 0..8 {
        let (factory, gate) = (factory.clone(), Arc::clone(&gate));
        asking.spawn_blocking(move || {
            gate.wait();
            factory.informer::<ConfigMap>()
        });
    }
    let informers = within("eight informers", asking.join_all()).await;
    for informer in &informers {
        within("sync", informer.wait_for_sync()).await.unwrap();
    }
    assert_eq!(cluster.control.count(Verb::Watch, "configmaps"), 1);
    // A handler of one clone is served by the task of all clones.
    let recorder = Recorder::new();
    informers[7].add_event_handler(recorder.handler()).unwrap();
    cluster.create("a", "1");
    recorder.until_events(1).await;
    factory.shutdown().await;
}

// === decodes and copies ===

/// Number of decodes of a `Counted`, and number of live values, for one test. `group` distinguishes
/// the tests.
#[derive(Debug)]
struct Count {
    decoded: AtomicU64,
    alive: AtomicI64,
    most: AtomicI64,
}

static COUNT: Count = Count {
    decoded: AtomicU64::new(0),
    alive: AtomicI64::new(0),
    most: AtomicI64::new(0),
};

/// Projection of a Secret that counts its decodes and copies.
#[derive(Debug, serde::Deserialize)]
pub(crate) struct Counted {
    metadata: k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta,
    #[serde(rename = "type")]
    _token: Token,
}

#[derive(Debug)]
pub(crate) struct Token;

impl<'de> serde::Deserialize<'de> for Token {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        serde::de::IgnoredAny::deserialize(deserializer)?;
        COUNT.decoded.fetch_add(1, Ordering::SeqCst);
        let alive = COUNT.alive.fetch_add(1, Ordering::SeqCst) + 1;
        COUNT.most.fetch_max(alive, Ordering::SeqCst);
        Ok(Self)
    }
}

impl Drop for Token {
    fn drop(&mut self) {
        COUNT.alive.fetch_sub(1, Ordering::SeqCst);
    }
}

impl kube::Resource for Counted {
    type DynamicType = ();
    type Scope = k8s_openapi::NamespaceResourceScope;

    fn kind((): &()) -> std::borrow::Cow<'_, str> {
        "Secret".into()
    }
    fn group((): &()) -> std::borrow::Cow<'_, str> {
        "".into()
    }
    fn version((): &()) -> std::borrow::Cow<'_, str> {
        "v1".into()
    }
    fn plural((): &()) -> std::borrow::Cow<'_, str> {
        "secrets".into()
    }
    fn meta(&self) -> &k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
        &self.metadata
    }
    fn meta_mut(&mut self) -> &mut k8s_openapi::apimachinery::pkg::apis::meta::v1::ObjectMeta {
        &mut self.metadata
    }
}

fn secret(name: &str) -> serde_json::Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": { "name": name, "namespace": "default" },
    })
}

/// One decode for each object version, for any number of reads. A relist without changes notifies
/// no handler, decodes nothing, and holds no second copy, not even temporarily.
///
/// C-05, C-08, L-17, I-13, Y-09.
#[tokio::test]
async fn c05_an_unchanged_relist_sends_no_notification_and_copies_nothing() {
    const N: usize = 1_000;
    for mode in MODES {
        for counter in [&COUNT.alive, &COUNT.most] {
            counter.store(0, Ordering::SeqCst);
        }
        COUNT.decoded.store(0, Ordering::SeqCst);
        let cluster = Cluster::start().await;
        for index in 0..N {
            let stored = secret(&format!("s-{index:04}"));
            cluster.control.create_direct(stored).unwrap();
        }
        let factory = cluster
            .builder()
            .config(quick().watch_list(mode))
            .build()
            .unwrap();
        let secrets = factory.informer::<Counted>();
        let (plain, resynced) = (Recorder::new(), Recorder::new());
        secrets.add_event_handler(plain.handler()).unwrap();
        let hourly = HandlerOptions::new().resync_period(Duration::from_secs(3600));
        secrets
            .add_event_handler_with(resynced.handler(), hourly)
            .unwrap();
        factory.start().unwrap();
        plain.until_events(N).await;
        resynced.until_events(N).await;
        let before = handles(&secrets);
        assert_eq!(COUNT.decoded.load(Ordering::SeqCst), N as u64);

        relist(&cluster).await;
        // A handler with a resync period receives all objects, other handlers receive none.
        resynced.until_events(2 * N).await;
        within("a watch", cluster.control.await_watches("secrets", 1)).await;
        assert_eq!(plain.read(|notes| notes.events.len()), N);
        let after = handles(&secrets);
        assert_eq!(before.len(), after.len());
        for (key, handle) in &before {
            assert!(Arc::ptr_eq(handle, &after[key]), "{key} has another handle");
        }
        assert_eq!(COUNT.decoded.load(Ordering::SeqCst), N as u64);
        assert_eq!(usize::try_from(COUNT.most.load(Ordering::SeqCst)), Ok(N));
        let metrics = secrets.metrics();
        assert_eq!((metrics.lists, metrics.unchanged_objects), (2, N as u64));
        assert_eq!(
            (metrics.decoded_objects, metrics.notifications),
            (N as u64, N as u64)
        );

        // Only the changed object is decoded.
        let mut changed = secret("s-0500");
        changed["metadata"]["labels"] = json!({ "new": "yes" });
        cluster.control.disconnect_watches();
        cluster.control.update_direct(changed).unwrap();
        plain.until_events(N + 1).await;
        assert_eq!(COUNT.decoded.load(Ordering::SeqCst), N as u64 + 1);
        factory.shutdown().await;
    }
}

fn handles(informer: &SharedInformer<Counted>) -> BTreeMap<ObjectKey, Arc<Counted>> {
    let snapshot = informer.snapshot();
    let entries = snapshot.iter();
    entries
        .map(|entry| (entry.key.clone(), Arc::clone(&entry.handle)))
        .collect()
}

/// Expires the informer's resourceVersion, which forces a relist.
async fn relist(cluster: &Cluster) {
    let expired = Fault::Status {
        code: 410,
        reason: "Expired".to_owned(),
        message: "too old resource version".to_owned(),
        retry_after: None,
    };
    let watch = Matcher::any().resource("secrets").verb(Verb::Watch);
    within("a watch", cluster.control.await_watches("secrets", 1)).await;
    cluster.control.fail_next(1, watch, expired);
    cluster.control.disconnect_watches();
}

// === tasks ===

/// After a shutdown no task of the factory is left, nor after a drop without a shutdown.
///
/// F-12, F-13.
#[test]
fn f12_no_task_is_left() {
    // Tasks of the server, and of connections to it, must not count.
    let elsewhere = runtime();
    let cluster = elsewhere.block_on(Cluster::start());
    for shut_down in [true, false] {
        let runtime = runtime();
        let alive = || runtime.metrics().num_alive_tasks();
        assert_eq!(alive(), 0);
        runtime.block_on(async {
            let client = client_elsewhere(elsewhere.handle(), &cluster);
            let of_client = alive();
            let factory = informer::SharedInformerFactory::builder(client)
                .config(quick())
                .build()
                .unwrap();
            let maps = factory.informer::<ConfigMap>();
            let pods = factory.informer::<Pod>();
            let recorder = Recorder::new();
            maps.add_event_handler(recorder.handler()).unwrap();
            let stream = maps.events(HandlerOptions::new()).unwrap();
            factory.start().unwrap();
            within("sync", factory.wait_for_cache_sync()).await.unwrap();
            assert!(
                alive() >= of_client + 2 * 3,
                "reflector, controller, processor; twice"
            );
            if shut_down {
                within("the shutdown", factory.shutdown()).await;
                assert!(maps.is_stopped() && pods.is_stopped());
                // The tasks are joined. The runtime takes a moment to update its count.
                until("the end of all but the client's", || alive() == of_client).await;
            }
            drop((factory, stream));
            let ended =
                async { tokio::join!(maps.wait_until_stopped(), pods.wait_until_stopped()) };
            within("the informers' end", ended).await;
            drop((maps, pods));
            until("the tasks' end", || alive() == 0).await;
        });
    }
    elsewhere.block_on(cluster.server.shutdown());
}

/// Returns a client whose requests and connections run on another runtime.
fn client_elsewhere(elsewhere: &tokio::runtime::Handle, cluster: &Cluster) -> kube::Client {
    let (elsewhere, client) = (elsewhere.clone(), cluster.client.clone());
    let send = tower::service_fn(move |request| {
        let client = client.clone();
        let sent = elsewhere.spawn(async move { client.send(request).await });
        async move { sent.await?.map_err(BoxError::from) }
    });
    kube::Client::new(send, "default")
}

type BoxError = Box<dyn std::error::Error + Send + Sync>;

/// Waits for a number of tasks, which a runtime does not announce.
async fn until(what: &str, condition: impl Fn() -> bool) {
    let yielding = async {
        while !condition() {
            tokio::task::yield_now().await;
        }
    };
    within(what, yielding).await;
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_multi_thread()
        .worker_threads(1)
        .enable_all()
        .build()
        .unwrap()
}

/// Resyncs send no request, and show the cached handles.
///
/// Y-01, Y-06, Y-08, H-20.
#[tokio::test]
async fn y01_a_resync_makes_no_request() {
    let cluster = Cluster::start().await;
    cluster.create("a", "1");
    let factory = cluster
        .builder()
        .resync_period(Duration::from_secs(1))
        .build()
        .unwrap();
    let maps = factory.informer::<ConfigMap>();
    let (resynced, never) = (Recorder::new(), Recorder::new());
    maps.add_event_handler(resynced.handler()).unwrap();
    let options = HandlerOptions::new().resync_period(Duration::ZERO);
    maps.add_event_handler_with(never.handler(), options)
        .unwrap();
    factory.start().unwrap();
    until_cached(&maps, "a=1").await;
    within("a watch", cluster.control.await_watches("configmaps", 1)).await;
    let requests = cluster.control.requests().len();
    resynced.until_events(3).await;
    assert_eq!(
        resynced.events(),
        [
            "add default/a initial",
            "update default/a resync",
            "update default/a resync"
        ]
    );
    // The recorder has compared the old handle with the one that it kept.
    resynced.read(|notes| assert_eq!(notes.illegal, [""; 0]));
    assert_eq!(never.events(), ["add default/a initial"]);
    assert_eq!(cluster.control.requests().len(), requests);
    assert_eq!(maps.metrics().decoded_objects, 1);
    factory.shutdown().await;
}

/// A leader renews its lease by one request, without reading it first.
#[tokio::test]
async fn a_lease_is_renewed_by_one_request() {
    let cluster = Cluster::start().await;
    let elector = LeaderElector::new(cluster.client.clone(), "default", "operator", "x")
        .retry_period(Duration::from_millis(5));
    let leadership = within("the lease", elector.acquire()).await.unwrap();
    let renewals = Matcher::any().resource("leases").verb(Verb::Update);
    within("renewals", cluster.control.await_nth_request(renewals, 10)).await;
    leadership.release().await;
    let sent = |verb| cluster.control.count(verb, "leases");
    assert_eq!((sent(Verb::Get), sent(Verb::Create)), (1, 1));
}
