//! Finds objects by an index.
//!
//! ```console
//! $ cargo run --example indexes
//! ```
//!
//! An index is a function that returns the values of an object: none, one or several. A lookup
//! visits the matching objects only. An index has the type of its values.

use std::error::Error;
use std::sync::Arc;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::{Index, ObjectKey, SharedInformerFactory};
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::DeleteParams;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder()
        .object(&pod("web-1", "node-1", &["nginx", "envoy"], 10))
        .object(&pod("web-2", "node-2", &["nginx"], 10))
        .object(&pod("db-1", "node-1", &["postgres", "envoy"], 900))
        .start()
        .await?;
    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client.clone()).build()?;
    let pods = factory.core().v1().pods();

    let by_node: Index<Pod, String> = pods.add_index("spec.nodeName", node_of)?;
    let by_image: Index<Pod, String> = pods.add_index("image", images_of)?;
    factory.start()?;
    factory.wait_for_cache_sync().await?;

    println!("by node:");
    for node in by_node.values() {
        println!("  {node}: {}", names(&by_node.get(&node)));
    }
    println!("by image, with several images in a pod:");
    for image in by_image.values() {
        println!("  {image}: {}", names(&by_image.get(&image)));
    }

    // The same indices by name and string, for names that are known only at run time. An unknown
    // name is an error.
    let found = pods.lister().by_index("spec.nodeName", "node-2")?;
    println!("by text, spec.nodeName = node-2: {}", names(&found));
    if let Err(error) = pods.lister().by_index("nodeName", "node-2") {
        println!("by text, nodeName = node-2: {error}");
    }

    // An index can be added at any time. Its values can be numbers, which are sorted.
    let by_priority: Index<Pod, i32> = pods.add_index("spec.priority", priority_of)?;
    println!("by an index added at run time:");
    for priority in by_priority.values() {
        println!("  {priority}: {}", names(&by_priority.get(&priority)));
    }

    // A snapshot shows one moment: its objects and indices stay consistent while the cache changes.
    let before = pods.snapshot();
    let api: Api<Pod> = Api::default_namespaced(client);
    api.delete("db-1", &DeleteParams::default()).await?;
    let gone = ObjectKey::namespaced("default", "db-1");
    let after = pods
        .indexer()
        .wait_until(move |now| now.get(&gone).is_none())
        .await;
    println!("on node-1, before and after a pod was deleted:");
    for snapshot in [before, after] {
        if let Some(by_node) = snapshot.index::<String>("spec.nodeName") {
            let count = snapshot.len();
            let found = names(&by_node.get("node-1"));
            println!("  {count} pods, by index: {found}");
        }
    }

    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

/// Returns the value of a pod. It has at most one, so the function returns an `Option`.
fn node_of(pod: &Pod) -> Option<String> {
    let spec = pod.spec.as_ref()?;
    spec.node_name.clone()
}

/// Returns the values of a pod. It may have several, and the function returns any iterable.
fn images_of(pod: &Pod) -> Vec<String> {
    let Some(spec) = &pod.spec else {
        return Vec::new();
    };
    let images = spec.containers.iter().map(|container| &container.image);
    images.flatten().cloned().collect()
}

fn priority_of(pod: &Pod) -> Option<i32> {
    pod.spec.as_ref()?.priority
}

fn names(pods: &[Arc<Pod>]) -> String {
    let names = pods.iter().filter_map(|pod| pod.metadata.name.as_deref());
    names.collect::<Vec<_>>().join(", ")
}

fn pod(name: &str, node: &str, images: &[&str], priority: i32) -> Value {
    let mut containers = Vec::new();
    for image in images {
        containers.push(json!({ "name": image, "image": image }));
    }
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": { "name": name },
        "spec": {
            "nodeName": node,
            "priority": priority,
            "containers": containers,
        },
    })
}
