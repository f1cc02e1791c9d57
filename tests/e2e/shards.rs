//! Replicas as processes, which are killed and suspended.

use std::collections::{BTreeMap, BTreeSet};
use std::env;
use std::fs;
use std::io;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer::shards::{ShardBy, Shards};
use informer::{Controller, Event, Selector, SharedInformer, SharedInformerFactory};
use informer_apiserver::ApiServer;
use informer_apiserver::envtest::Environment;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Patch, PatchParams, PostParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt as _};
use serde_json::json;

use crate::assets::assets;
use crate::support::{Cluster, until_any_changed};

/// Variables that make [`replica_process`] a replica: the kubeconfig, and the name.
const KUBECONFIG: &str = "INFORMER_TEST_KUBECONFIG";
const NAME: &str = "INFORMER_TEST_REPLICA";
const OBJECTS: usize = 300;

/// Living processes by name.
struct Processes(BTreeMap<&'static str, Child>);

/// State of a replica.
struct Context {
    api: Api<ConfigMap>,
    shards: Shards,
    name: String,
}

/// Process that is started by the other tests; otherwise it does nothing.
#[tokio::test]
async fn replica_process() {
    let (Ok(config), Ok(name)) = (env::var(KUBECONFIG), env::var(NAME)) else {
        return;
    };
    let config = Kubeconfig::from_yaml(&config).unwrap();
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(config, &options).await;
    let client = informer::connect(config.unwrap()).unwrap();
    let shards = Shards::builder(client.clone(), "replicas")
        .by(ShardBy::Uid)
        .slices(20)
        .identity(&name)
        .lease_duration(Duration::from_secs(3))
        .renew_deadline(Duration::from_secs(2))
        .retry_period(Duration::from_millis(200));
    let shards = shards.join().await.unwrap();
    let factory = SharedInformerFactory::builder(client.clone()).namespace("default");
    let factory = factory.shards(&shards).build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    factory.start().unwrap();
    // The process does not outlive the test.
    let parent = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    let context = Context {
        api: Api::default_namespaced(client),
        shards: shards.clone(),
        name,
    };
    let controller = Controller::new("maps", &maps).workers(4).shards(&shards);
    let controller = controller.shutdown_on(async { drop(parent.await) });
    controller.run(Arc::new(context), reconcile).await.unwrap();
}

/// Writes the replica and the fence into a config map.
async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> kube::Result<()> {
    let Some(fence) = context.shards.fence(&*map) else {
        return Ok(());
    };
    if owner(&map) == Some(context.name.as_str()) && self::fence(&map) == i64::from(fence) {
        return Ok(());
    }
    let data = json!({ "owner": context.name, "fence": fence.to_string() });
    let patch = Patch::Merge(json!({ "data": data }));
    let (name, params) = (map.name_any(), PatchParams::default());
    context.api.patch(&name, &params, &patch).await.map(drop)
}

fn owner(map: &ConfigMap) -> Option<&str> {
    Some(map.data.as_ref()?.get("owner")?)
}

fn fence(map: &ConfigMap) -> i64 {
    let fence = map.data.as_ref().and_then(|data| data.get("fence"));
    fence.and_then(|fence| fence.parse().ok()).unwrap_or(-1)
}

// === impl Processes ===

impl Processes {
    fn start(names: [&'static str; 5], kubeconfig: &str) -> Self {
        let start = |name| {
            let mut process = Command::new(env::current_exe().unwrap());
            process.args(["--exact", "shards::replica_process"]);
            process.env(KUBECONFIG, kubeconfig).env(NAME, name);
            process.stdin(Stdio::piped()).stdout(Stdio::null());
            (name, process.spawn().unwrap())
        };
        Self(names.map(start).into())
    }

    fn kill(&mut self, name: &str) {
        let mut process = self.0.remove(name).unwrap();
        process.kill().unwrap();
        process.wait().unwrap();
    }

    fn signal(&self, name: &str, signal: &str) {
        let id = self.0[name].id().to_string();
        let sent = Command::new("kill").args([signal, &id]).status().unwrap();
        assert!(sent.success());
    }
}

impl Drop for Processes {
    fn drop(&mut self) {
        for process in self.0.values_mut() {
            // It may have ended already.
            let _ended = process.kill().and_then(|()| process.wait());
        }
    }
}

/// Waits until the named replicas, and no others, own all objects.
async fn until_owned_by<'n>(
    what: &str,
    maps: &SharedInformer<ConfigMap>,
    names: impl IntoIterator<Item = &'n str>,
) {
    let names: BTreeSet<&str> = names.into_iter().collect();
    let condition = || {
        let listed = maps.lister().list(&Selector::everything());
        let owners: Option<BTreeSet<&str>> = listed.iter().map(|map| owner(map)).collect();
        listed.len() == OBJECTS && owners.is_some_and(|owners| owners == names)
    };
    until_any_changed(what, [&**maps], condition).await;
}

/// P-01, P-02. With the server's feature and without it, on both servers.
#[cfg(unix)]
#[tokio::test]
async fn p01_five_processes_own_each_object_once_through_kills_and_suspensions() {
    for has_feature in [true, false] {
        let server = ApiServer::builder().sharded_list_and_watch(has_feature);
        let cluster = Cluster::with(server).await;
        own_each_object_once(cluster.client.clone(), &cluster.server.kubeconfig()).await;
        cluster.server.shutdown().await;
        let Some(assets) = assets() else { continue };
        let gate = format!("--feature-gates=ShardedListAndWatch={has_feature}");
        let real = Environment::start_with(&assets, &[&gate]).await.unwrap();
        let kubeconfig = fs::read_to_string(real.write_kubeconfig().unwrap()).unwrap();
        let client = informer::connect(real.kube_config()).unwrap();
        own_each_object_once(client, &kubeconfig).await;
        real.stop().await;
    }
}

#[cfg(unix)]
async fn own_each_object_once(client: Client, kubeconfig: &str) {
    let (api, params) = (
        Api::default_namespaced(client.clone()),
        PostParams::default(),
    );
    for number in 0..OBJECTS {
        let mut map = ConfigMap::default();
        map.metadata.name = Some(format!("map-{number}"));
        api.create(&params, &map).await.unwrap();
    }
    let factory = SharedInformerFactory::builder(client).namespace("default");
    let factory = factory.build().unwrap();
    let maps = factory.informer::<ConfigMap>();
    let overlaps = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&overlaps);
    let count = move |event: Event<ConfigMap>| {
        if let Event::Updated(change) = event {
            let is_new = owner(&change.old) != owner(&change.new);
            let is_behind = fence(&change.new) <= fence(&change.old);
            counted.fetch_add(usize::from(is_new && is_behind), Ordering::Relaxed);
        }
    };
    maps.add_event_handler(count).unwrap();
    factory.start().unwrap();
    let mut processes = Processes::start(["a", "b", "c", "d", "e"], kubeconfig);
    until_owned_by("five owners", &maps, ["a", "b", "c", "d", "e"]).await;
    processes.signal("a", "-STOP");
    until_owned_by("a is suspended", &maps, ["b", "c", "d", "e"]).await;
    processes.kill("b");
    processes.signal("a", "-CONT");
    until_owned_by("a goes on, b is dead", &maps, ["a", "c", "d", "e"]).await;
    assert_eq!(overlaps.load(Ordering::Relaxed), 0);
    drop(processes);
    factory.shutdown().await;
}
