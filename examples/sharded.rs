//! Shares the objects of a cluster among replicas, while one is killed and another one is added.
//!
//! ```console
//! $ cargo run --example sharded
//! ```
//!
//! Each replica is a process. It caches its part of 3000 config maps, and writes its name into each,
//! with the fence of the object's slice. This process serves the API, and prints who owns what after
//! each change. An owner whose fence is not greater than that of the owner before is an overlap. The
//! exit status is 0 if all objects have a living owner in the end, and there was no overlap.
//! docs/scaling.md explains the rest.

use std::collections::BTreeMap;
use std::env;
use std::error::Error;
use std::io;
use std::process::{Child, Command, ExitCode, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer::shards::{ShardBy, Shards};
use informer::{Controller, Event, Selector, SharedInformer, SharedInformerFactory};
use informer_apiserver::ApiServer;
use k8s_openapi::api::coordination::v1::Lease;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{ListParams, Patch, PatchParams};
use kube::config::{KubeConfigOptions, Kubeconfig};
use kube::{Api, Client, Config, ResourceExt as _};
use serde_json::json;
use tokio::time::{Instant, sleep};

const OBJECTS: usize = 3000;
const SLICES: u16 = 32;
/// Variable that gives a replica the kubeconfig of the server.
const KUBECONFIG: &str = "SHARDED_KUBECONFIG";
/// Time for each change of the replicas: more than the lease duration.
const PATIENCE: Duration = Duration::from_secs(60);

/// Number of equal readings, 100 ms apart, after which a change is complete.
const UNCHANGED: usize = 10;

type Result<T> = std::result::Result<T, Box<dyn Error + Send + Sync>>;

#[tokio::main]
async fn main() -> Result<ExitCode> {
    match env::args().nth(1) {
        Some(name) => work(name).await.map(|()| ExitCode::SUCCESS),
        None => lead().await,
    }
}

// === replica ===

/// State that all calls of `reconcile` share.
struct Context {
    api: Api<ConfigMap>,
    shards: Shards,
    /// Name of this replica.
    identity: String,
}

/// Reconciles a part of the config maps until the process is told to end.
async fn work(name: String) -> Result<()> {
    let kubeconfig: Kubeconfig = serde_json::from_str(&env::var(KUBECONFIG)?)?;
    let options = KubeConfigOptions::default();
    let config = Config::from_custom_kubeconfig(kubeconfig, &options).await?;
    let client = informer::connect(config)?;
    let shards = Shards::builder(client.clone(), "sharded")
        .by(ShardBy::Uid)
        .slices(SLICES)
        .identity(name)
        .lease_duration(Duration::from_secs(3))
        .renew_deadline(Duration::from_secs(2))
        .retry_period(Duration::from_millis(300))
        .join()
        .await?;
    let factory = SharedInformerFactory::builder(client.clone())
        .shards(&shards)
        .build()?;
    let maps = factory.informer::<ConfigMap>();
    factory.start()?;
    let context = Context {
        api: Api::default_namespaced(client),
        identity: shards.status().identity.to_string(),
        shards: shards.clone(),
    };
    // The process does not outlive the one that has started it.
    let parent = tokio::task::spawn_blocking(|| io::copy(&mut io::stdin(), &mut io::sink()));
    let controller = Controller::new("maps", &maps)
        .workers(8)
        .shards(&shards)
        .shutdown_on(async { drop(parent.await) });
    let ended = controller.run(Arc::new(context), reconcile).await;
    shards.leave().await;
    factory.shutdown().await;
    Ok(ended?)
}

/// Writes this replica into a config map of its part.
async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> kube::Result<()> {
    let Some(fence) = context.shards.fence(&*map) else {
        return Ok(());
    };
    if owner(&map) == Some(&context.identity) && fence_of(&map) == i64::from(fence) {
        return Ok(());
    }
    let patch = Patch::Merge(json!({
        "data": { "owner": context.identity, "fence": fence.to_string() },
    }));
    context
        .api
        .patch(&map.name_any(), &PatchParams::default(), &patch)
        .await?;
    Ok(())
}

fn owner(map: &ConfigMap) -> Option<&String> {
    map.data.as_ref()?.get("owner")
}

/// Returns the fence of the owner; less than each fence if no replica has owned the object.
fn fence_of(map: &ConfigMap) -> i64 {
    let data = map.data.as_ref();
    match data.and_then(|data| data.get("fence")) {
        Some(fence) => fence.parse().unwrap_or(-1),
        None => -1,
    }
}

// === process that serves the API ===

/// Living replicas by name.
struct Replicas {
    kubeconfig: String,
    processes: BTreeMap<&'static str, Child>,
}

/// Part of a replica.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Share {
    slices: usize,
    objects: usize,
}

/// Parts of the living replicas, by name.
type Shares = BTreeMap<String, Share>;

async fn lead() -> Result<ExitCode> {
    let server = ApiServer::builder()
        .sharded_list_and_watch(true)
        .start()
        .await?;
    for number in 0..OBJECTS {
        server.control().create_direct(json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "namespace": "default", "name": format!("map-{number}") },
        }))?;
    }
    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client.clone()).build()?;
    let maps = factory.informer::<ConfigMap>();
    let overlaps = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&overlaps);
    maps.add_event_handler(move |event: Event<ConfigMap>| {
        if let Event::Updated(change) = event
            && is_overlap(&change.old, &change.new)
        {
            counted.fetch_add(1, Ordering::Relaxed);
        }
    })?;
    factory.start()?;
    let mut replicas = Replicas {
        kubeconfig: server.kubeconfig(),
        processes: BTreeMap::new(),
    };
    for name in ["a", "b", "c"] {
        replicas.start(name)?;
    }
    replicas
        .settle("a, b and c have started", &client, &maps)
        .await?;
    replicas.kill("b")?;
    replicas.settle("b was killed", &client, &maps).await?;
    replicas.start("d")?;
    let shares = replicas.settle("d was added", &client, &maps).await?;
    let owned = owned_objects(&shares);
    let found = overlaps.load(Ordering::Relaxed);
    println!("owners: {owned} of {OBJECTS}, overlaps: {found}");
    drop(replicas);
    factory.shutdown().await;
    server.shutdown().await;
    if owned == OBJECTS && found == 0 {
        Ok(ExitCode::SUCCESS)
    } else {
        Ok(ExitCode::FAILURE)
    }
}

/// Reports whether a replica has written although the owner before may still write.
fn is_overlap(old: &ConfigMap, new: &ConfigMap) -> bool {
    owner(old) != owner(new) && fence_of(new) <= fence_of(old)
}

fn owned_objects(shares: &Shares) -> usize {
    shares.values().map(|share| share.objects).sum()
}

// === impl Replicas ===

impl Replicas {
    fn start(&mut self, name: &'static str) -> Result<()> {
        let replica = Command::new(env::current_exe()?)
            .arg(name)
            .env(KUBECONFIG, &self.kubeconfig)
            .stdin(Stdio::piped())
            .spawn()?;
        self.processes.insert(name, replica);
        Ok(())
    }

    fn kill(&mut self, name: &str) -> Result<()> {
        if let Some(mut replica) = self.processes.remove(name) {
            replica.kill()?;
            replica.wait()?;
        }
        Ok(())
    }

    /// Waits until each object has a living owner, and the shares are even. Prints the shares.
    async fn settle(
        &self,
        change: &str,
        client: &Client,
        maps: &SharedInformer<ConfigMap>,
    ) -> Result<Shares> {
        let least = usize::from(SLICES) / self.processes.len();
        let deadline = Instant::now() + PATIENCE;
        let mut shares = Shares::new();
        let mut unchanged = 0;
        // What has not settled in time is seen in the shares.
        while unchanged < UNCHANGED && Instant::now() < deadline {
            sleep(Duration::from_millis(100)).await;
            let before = shares;
            shares = self.shares(client, maps).await?;
            let is_even = shares.values().all(|share| share.slices >= least);
            if shares == before && is_even && owned_objects(&shares) == OBJECTS {
                unchanged += 1;
            } else {
                unchanged = 0;
            }
        }
        println!("{change}:\n{:>9}{:>9}{:>9}", "replica", "slices", "objects");
        for (name, Share { slices, objects }) in &shares {
            println!("{name:>9}{slices:>9}{objects:>9}");
        }
        Ok(shares)
    }

    /// Returns the slices and objects of each living replica.
    async fn shares(&self, client: &Client, maps: &SharedInformer<ConfigMap>) -> Result<Shares> {
        let mut shares = Shares::new();
        for name in self.processes.keys() {
            shares.insert((*name).to_owned(), Share::default());
        }
        let leases: Api<Lease> = Api::default_namespaced(client.clone());
        for lease in leases.list(&ListParams::default()).await? {
            if !lease.name_any().starts_with("sharded-slice-") {
                continue;
            }
            let holder = lease.spec.and_then(|spec| spec.holder_identity);
            if let Some(share) = shares.get_mut(name_of(holder.as_ref())) {
                share.slices += 1;
            }
        }
        for map in maps.lister().list(&Selector::everything()) {
            if let Some(share) = shares.get_mut(name_of(owner(&map))) {
                share.objects += 1;
            }
        }
        Ok(shares)
    }
}

/// Returns the name of a replica: an identity is the name, a dash and a random suffix.
fn name_of(identity: Option<&String>) -> &str {
    let Some(identity) = identity else {
        return "";
    };
    identity.split('-').next().unwrap_or_default()
}

impl Drop for Replicas {
    fn drop(&mut self) {
        for replica in self.processes.values_mut() {
            // The process may have ended already.
            let _ended = replica.kill().and_then(|()| replica.wait());
        }
    }
}
