//! Work, counted: requests, decodes, tasks.

use std::sync::Arc;
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::leader_election::LeaderElector;
use informer::{HandlerOptions, Selector, WatchListMode};
use informer_apiserver::{Matcher, Verb};
use k8s_openapi::api::core::v1::{ConfigMap, Pod};

use crate::support::{Cluster, MODES, Recorder, key, quick, sync, within};

/// A type is listed once and watched once, for any number of users.
///
/// F-01, F-03, R-04, L-01.
#[tokio::test]
async fn f01_one_list_and_one_watch_however_many_handlers_listers_and_clones() {
    for mode in MODES {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let factory = cluster.factory_in(mode);
        let recorders: Vec<Recorder<ConfigMap>> = (0..5).map(|_| Recorder::new()).collect();
        let mut informers = Vec::new();
        for recorder in &recorders {
            let informer = factory.clone().informer::<ConfigMap>();
            informer.add_event_handler(recorder.handler()).unwrap();
            informers.push((informer.lister(), informer.clone(), informer));
        }
        let generated = factory.core().v1().config_maps();
        sync(&factory).await;
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
            sync(&factory).await;
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
