//! Follows several clusters with one controller.
//!
//! ```console
//! $ cargo run --example two_clusters
//! ```
//!
//! Each cluster has its own factory. All factories fill one queue, whose items contain the cluster
//! of the key. A changed `ReplicaSet`, or a change of one of its Pods, is reconciled in its own
//! cluster.

use std::collections::BTreeSet;
use std::convert::Infallible;
use std::error::Error;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::apps::v1::ReplicaSetLister;
use informer::workqueue::{enqueue_into, enqueue_owner};
use informer::{ObjectKey, SharedInformerFactory, WorkQueue};
use informer_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::ReplicaSet;
use serde_json::json;
use tokio::sync::mpsc;

/// Item of the queue.
type Item = (&'static str, ObjectKey);

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
        let keys = queue.map_key(move |key| (name, key));
        let sets = factory.apps().v1().replica_sets();
        let pods = factory.core().v1().pods();
        sets.add_event_handler(enqueue_into(keys.clone()))?;
        pods.add_event_handler(enqueue_owner::<ReplicaSet>(keys))?;
        factory.start()?;
        factory.wait_for_cache_sync().await?;
        let sets = sets.lister();
        Ok(Self {
            name,
            server,
            factory,
            sets,
        })
    }

    async fn stop(self) {
        self.factory.shutdown().await;
        self.server.shutdown().await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let queue: WorkQueue<Item> = WorkQueue::rate_limited("replicasets");
    let east = Cluster::start("east", &queue).await?;
    let west = Cluster::start("west", &queue).await?;

    // A user creates a ReplicaSet in one cluster. In the other cluster, the user creates a Pod of a
    // missing ReplicaSet.
    east.server.control().create_direct(json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet",
        "metadata": { "name": "api", "namespace": "default" },
    }))?;
    let owner = json!({
        "apiVersion": "apps/v1", "kind": "ReplicaSet", "name": "web", "uid": "1", "controller": true,
    });
    west.server.control().create_direct(json!({
        "apiVersion": "v1", "kind": "Pod",
        "metadata": { "name": "web-1", "namespace": "default", "ownerReferences": [owner] },
    }))?;

    let (sender, mut seen) = mpsc::channel(8);
    let listers = [&east, &west].map(|cluster| (cluster.name, cluster.sets.clone()));
    let reconcile = move |(cluster, key): Item| {
        let lister = listers.iter().find(|(name, _)| *name == cluster);
        let exists = lister.is_some_and(|(_, sets)| sets.with_key(&key, |_| ()).is_some());
        let sender = sender.clone();
        async move {
            let state = if exists { "exists" } else { "does not exist" };
            // The receiver lives as long as the workers.
            sender
                .send(format!("{cluster}: ReplicaSet {key} {state}"))
                .await
                .ok();
            Ok::<(), Infallible>(())
        }
    };
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
    tokio::join!(queue.run_workers(4, reconcile), report);
    east.stop().await;
    west.stop().await;
    Ok(())
}
