//! Caches pods with an informer.
//!
//! ```console
//! $ cargo run --example quickstart
//! ```
//!
//! An informer is a cache of one resource that follows the API server. It lists once and then
//! watches, so a program can read objects as often as it likes, without requests. The API server of
//! this example runs in this process. A real program uses `kube::Config::infer().await?`.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::{ObjectKey, ResourceVersion, Selector, SharedInformerFactory};
use informer_apiserver::{ApiServer, Verb};
use k8s_openapi::api::core::v1::Pod;
use kube::Api;
use kube::api::PostParams;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder()
        .create_namespaces(true)
        .object(&pod("default", "web-1", "web"))
        .object(&pod("default", "db-1", "db"))
        .object(&pod("staging", "web-1", "web"))
        .start()
        .await?;
    let client = informer::connect(server.kube_config())?;

    // One factory for the program. All callers get the same informer of pods.
    let factory = SharedInformerFactory::builder(client.clone()).build()?;
    let pods = factory.core().v1().pods();

    factory.start()?;
    factory.wait_for_cache_sync().await?;
    let lister = pods.lister();
    println!("{} pods are cached", lister.len());

    // Listers read the cache: they neither wait nor copy. A pod is an `Arc<Pod>`.
    let web: Selector = "app=web".parse()?;
    println!("\nwith the labels {web}, in all namespaces:");
    print(&lister.list(&web));
    println!("\nin the namespace default:");
    let default = lister.namespace("default");
    print(&default.list(&Selector::everything()));
    let staging = lister.namespace("staging");
    let exists = staging.get("db-1").is_some();
    println!("\nstaging/db-1 exists: {exists}");

    // The cache follows the server. To read its own write, a program waits for the version.
    let api: Api<Pod> = Api::namespaced(client, "staging");
    let new = serde_json::from_value(pod("staging", "db-1", "db"))?;
    let created = api.create(&PostParams::default(), &new).await?;
    let version = ResourceVersion::of(&created);
    pods.wait_for_resource_version(&version, Duration::from_secs(10))
        .await?;
    let exists_now = staging.get("db-1").is_some();
    println!("after a user created it: {exists_now}");

    let watches = server.control().count(Verb::Watch, "pods");
    let gets = server.control().count(Verb::Get, "pods");
    println!("\nrequests for pods: {watches} watch, {gets} gets");

    // Stops all tasks, and waits for them. The cached objects stay readable.
    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

fn print(pods: &[Arc<Pod>]) {
    for pod in pods {
        println!("  {}", ObjectKey::of(&**pod));
    }
}

fn pod(namespace: &str, name: &str, app: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": namespace,
            "name": name,
            "labels": { "app": app },
        },
        "spec": {
            "containers": [{ "name": app, "image": app }],
        },
    })
}
