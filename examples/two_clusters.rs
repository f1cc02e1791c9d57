//! Follows several clusters with one controller.
//!
//! ```console
//! $ cargo run --example two_clusters
//! ```
//!
//! Each cluster has its own factory. All factories fill one queue, whose items contain the cluster
//! of the key. A changed `ReplicaSet`, or a change of one of its Pods, is reconciled in its own
//! cluster.

use std::collections::{BTreeSet, HashMap};
use std::convert::Infallible;
use std::error::Error;
use std::sync::Arc;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::apps::v1::ReplicaSetLister;
use informer::workqueue::{enqueue_into, enqueue_owner};
use informer::{ObjectKey, SharedInformerFactory, WorkQueue};
use informer_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::ReplicaSet;
use serde_json::json;
use tokio::sync::mpsc;

/// Item of the queue.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
struct Item {
    cluster: &'static str,
    key: ObjectKey,
}

struct Cluster {
    name: &'static str,
    server: ApiServer,
    factory: SharedInformerFactory,
    sets: ReplicaSetLister,
}

impl Cluster {
    /// Starts a cluster whose replica sets and pods fill the queue.
    async fn start(name: &'static str, queue: &WorkQueue<Item>) -> Result<Self, Box<dyn Error>> {
        let server = ApiServer::builder().start().await?;
        let client = informer::connect(server.kube_config())?;
        let factory = SharedInformerFactory::builder(client).build()?;
        let keys = queue.map_key(move |key| Item { cluster: name, key });
        let sets = factory.apps().v1().replica_sets();
        let pods = factory.core().v1().pods();
        sets.add_event_handler(enqueue_into(keys.clone()))?;
        pods.add_event_handler(enqueue_owner::<ReplicaSet>(keys))?;
        factory.start()?;
        factory.wait_for_cache_sync().await?;
        Ok(Self {
            name,
            server,
            factory,
            sets: sets.lister(),
        })
    }

    async fn stop(self) {
        self.factory.shutdown().await;
        self.server.shutdown().await;
    }
}

/// State that all calls of `reconcile` share.
struct Context {
    /// Listers by the name of their cluster.
    sets: HashMap<&'static str, ReplicaSetLister>,
    lines: mpsc::Sender<String>,
}

/// Reports whether the `ReplicaSet` exists in its cluster.
async fn reconcile(item: Item, context: Arc<Context>) -> Result<(), Infallible> {
    let Item { cluster, key } = item;
    let found = context
        .sets
        .get(cluster)
        .and_then(|sets| sets.get_by_key(&key));
    let state = if found.is_some() {
        "exists"
    } else {
        "does not exist"
    };
    let line = format!("{cluster}: ReplicaSet {key} {state}");
    // The receiver lives as long as the workers.
    context.lines.send(line).await.ok();
    Ok(())
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let queue: WorkQueue<Item> = WorkQueue::rate_limited("replicasets");
    let east = Cluster::start("east", &queue).await?;
    let west = Cluster::start("west", &queue).await?;

    // A user creates a ReplicaSet in one cluster. In the other cluster, the user creates a Pod of a
    // missing ReplicaSet.
    east.server.control().create_direct(json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "metadata": { "name": "api", "namespace": "default" },
    }))?;
    let owner = json!({
        "apiVersion": "apps/v1",
        "kind": "ReplicaSet",
        "name": "web",
        "uid": "1",
        "controller": true,
    });
    west.server.control().create_direct(json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": "web-1", "namespace": "default", "ownerReferences": [owner] },
    }))?;

    let (lines, mut seen) = mpsc::channel(8);
    let sets = [&east, &west].map(|cluster| (cluster.name, cluster.sets.clone()));
    let context = Arc::new(Context {
        sets: HashMap::from(sets),
        lines,
    });
    let workers = queue.run_workers(4, move |item| reconcile(item, Arc::clone(&context)));
    let report = async {
        let mut lines = BTreeSet::new();
        while lines.len() < 2 {
            lines.extend(seen.recv().await);
        }
        for line in lines {
            println!("{line}");
        }
        queue.shut_down();
    };
    tokio::join!(workers, report);
    east.stop().await;
    west.stop().await;
    Ok(())
}
