//! Declares what a Website owns, mentions and selects, and lets the relations answer and enqueue.
//!
//! ```console
//! $ cargo run --example relations
//! ```

use std::collections::{BTreeMap, BTreeSet};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::relations::RelatedObject;
use informer::{Informer, ObjectKey, SharedInformerFactory, WorkQueue};
use informer_apiserver::ApiServer;
use k8s_openapi::api::apps::v1::Deployment;
use k8s_openapi::api::core::v1::{ConfigMap, Pod, Secret};
use k8s_openapi::api::networking::v1::IngressClass;
use kube::api::{DeleteParams, Patch, PatchParams, PostParams};
use kube::{Api, Client, CustomResource, CustomResourceExt as _, Resource as _};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::time::timeout;

#[derive(CustomResource, Informer, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Website", namespaced)]
#[informer(
    owns(Deployment),
    references(
        // A path goes through lists and options by itself. Through other structs it has the names
        // in Rust. Two paths are one relation.
        Secret = spec.tls.secret_name,
        Secret = "spec.pullSecret",
        ConfigMap = "spec.configName",
        // A cluster-scoped object.
        IngressClass = "spec.className"
    ),
    selects(Pod = "spec.backends")
)]
#[serde(rename_all = "camelCase")]
struct WebsiteSpec {
    tls: Vec<Tls>,
    pull_secret: Option<String>,
    config_name: String,
    class_name: String,
    /// Labels of the Pods that serve the site.
    backends: BTreeMap<String, String>,
}

#[derive(Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Tls {
    secret_name: String,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder()
        .object(&Website::crd())
        .object(&website("shop", &["shop-tls", "wildcard-tls"]))
        .object(&website("blog", &["wildcard-tls"]))
        .object(&secret("wildcard-tls"))
        .object(&pod("shop-1", "shop"))
        .start()
        .await?;
    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client.clone()).build()?;

    let sites = factory.websites();
    let graph = sites.related(&factory);
    let queue = WorkQueue::rate_limited("websites");
    graph.enqueue_into(&queue)?;
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    queued(&queue, &["blog", "shop"], "at the start").await?;

    // From a Website to what it mentions, owns and selects.
    let lister = sites.lister();
    let shop = lister.namespace("default").get("shop").ok_or("no shop")?;
    for secret in graph.secrets_of(&shop) {
        println!("shop mentions {}", describe(&secret));
    }
    let owned = graph.deployments_of(&shop);
    println!("shop owns {} Deployments", owned.len());
    let selected = graph.pods_of(&shop);
    println!("shop selects {} Pods", selected.len());

    // From a Secret or a Pod to the Websites.
    let wildcard = ObjectKey::namespaced("default", "wildcard-tls");
    let mentioning = names(&lister.by_secret(&wildcard));
    println!("{wildcard} is mentioned by {mentioning}");
    let pods = factory.core().v1().pods().lister();
    let pod = pods.namespace("default").get("shop-1").ok_or("no Pod")?;
    let selecting = names(&lister.selecting(&pod));
    println!("shop-1 is selected by {selecting}");

    // Whatever changes, the right Websites are queued.
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let missing = serde_json::from_value(secret("shop-tls"))?;
    secrets.create(&PostParams::default(), &missing).await?;
    queued(&queue, &["shop"], "a missing Secret appears").await?;
    secrets
        .delete("wildcard-tls", &DeleteParams::default())
        .await?;
    queued(&queue, &["blog", "shop"], "a shared Secret is deleted").await?;

    let deployments: Api<Deployment> = Api::default_namespaced(client.clone());
    let deployment = deployment_of(&shop)?;
    deployments
        .create(&PostParams::default(), &deployment)
        .await?;
    queued(&queue, &["shop"], "an owned Deployment appears").await?;

    let pods: Api<Pod> = Api::default_namespaced(client.clone());
    let moved = Patch::Merge(json!({
        "metadata": {"labels": {"app": "blog"}},
    }));
    pods.patch("shop-1", &PatchParams::default(), &moved)
        .await?;
    queued(&queue, &["blog", "shop"], "a Pod moves to another site").await?;

    factory.shutdown().await;
    only_referenced(client).await?;
    server.shutdown().await;
    Ok(())
}

/// Caches only the Secrets that Websites mention.
async fn only_referenced(client: Client) -> Result<(), Box<dyn Error>> {
    let secrets: Api<Secret> = Api::default_namespaced(client.clone());
    let foreign = serde_json::from_value(secret("foreign"))?;
    secrets.create(&PostParams::default(), &foreign).await?;

    let factory = SharedInformerFactory::builder(client).build()?;
    let sites = factory.websites();
    let cache = sites.referenced::<Secret>(&factory).build()?;
    factory.start()?;
    cache.wait_for_sync().await?;
    println!("only what is referenced:");
    for name in ["shop-tls", "wildcard-tls", "foreign"] {
        match cache.try_get(&ObjectKey::namespaced("default", name)) {
            Ok(_) => println!("  {name} is cached"),
            Err(reason) => println!("  {reason}"),
        }
    }
    factory.shutdown().await;
    Ok(())
}

/// Takes keys off the queue until each of these Websites was queued, and prints them. Objects of
/// the initial lists queue Websites, too.
async fn queued(
    queue: &WorkQueue<ObjectKey>,
    sites: &[&str],
    event: &str,
) -> Result<(), Box<dyn Error>> {
    let mut missing: BTreeSet<&str> = sites.iter().copied().collect();
    while !missing.is_empty() {
        let next = timeout(Duration::from_secs(10), queue.get());
        let item = next.await?.ok_or("the queue was shut down")?;
        missing.remove(item.name());
    }
    println!("{event}: {} queued", sites.join(" and "));
    Ok(())
}

/// Prints a related object: its key, or the reason for which it is not available.
fn describe<H>(related: &RelatedObject<H>) -> String {
    match &related.object {
        Ok(_) => related.key.to_string(),
        Err(reason) => reason.to_string(),
    }
}

fn names(sites: &[Arc<Website>]) -> String {
    let mut names = Vec::new();
    for site in sites {
        names.extend(site.metadata.name.as_deref());
    }
    names.join(" ")
}

fn website(name: &str, secrets: &[&str]) -> Value {
    let mut tls = Vec::new();
    for secret in secrets {
        tls.push(json!({ "secretName": secret }));
    }
    json!({
        "apiVersion": "example.com/v1",
        "kind": "Website",
        "metadata": {"namespace": "default", "name": name},
        "spec": {
            "tls": tls,
            "configName": "settings",
            "className": "public",
            "backends": {"app": name},
        },
    })
}

fn secret(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Secret",
        "metadata": {"namespace": "default", "name": name},
    })
}

fn pod(name: &str, app: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "namespace": "default",
            "name": name,
            "labels": {"app": app},
        },
        "spec": {
            "containers": [{"name": "main", "image": "nginx"}],
        },
    })
}

fn deployment_of(site: &Website) -> Result<Deployment, Box<dyn Error>> {
    let labels = json!({"app": site.metadata.name});
    let deployment = json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": {
            "name": site.metadata.name,
            "ownerReferences": [site.controller_owner_ref(&())],
        },
        "spec": {
            "selector": {"matchLabels": labels},
            "template": {
                "metadata": {"labels": labels},
                "spec": {
                    "containers": [{"name": "main", "image": "nginx"}],
                },
            },
        },
    });
    Ok(serde_json::from_value(deployment)?)
}
