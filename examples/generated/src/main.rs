//! Uses informer-gen in build.rs.
//!
//! ```console
//! $ cargo run -p informer-example-generated
//! ```
//!
//! `build.rs` selects the kinds: Deployment, and the kinds that `crds/` defines. It writes an
//! informer and a lister for each kind. `include_informers!` includes them, and the factory gets a
//! method for each kind.

use std::error::Error;

use informer::{ObjectKey, Selector, SharedInformerFactory};
use informer_apiserver::ApiServer;
use serde_json::{Value, json};

use crate::informers::SharedInformerFactoryExt as _;

mod api;

// Generated code passes strict lints.
#[deny(warnings, missing_docs)]
mod informers {
    //! Output of `build.rs`.
    informer::include_informers!();
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    // Manifest that the informers were generated from.
    let definition: Value = serde_saphyr::from_str(include_str!("../crds/websites.yaml"))?;
    let server = ApiServer::builder()
        .object(&definition)
        .object(&website(
            "shop",
            "shop.example.com",
            "shop",
            Some("shop-tls"),
        ))
        .object(&website("blog", "blog.example.com", "press", None))
        .object(&deployment("shop-blue", "shop"))
        .object(&deployment("shop-green", "shop"))
        .object(&deployment("wordpress", "press"))
        .start()
        .await?;
    let client = informer::connect(server.kube_config())?;

    let factory = SharedInformerFactory::builder(client).build()?;
    let websites = factory.web().v1().websites().lister();
    let deployments = factory.apps().v1().deployments().lister();
    factory.start()?;
    factory.wait_for_cache_sync().await?;

    let all = websites.namespace("default").list(&Selector::everything());
    println!("{} websites, {} Deployments", all.len(), deployments.len());
    // The indices that build.rs declares are methods of the listers.
    for website in websites.by_host("shop.example.com") {
        println!("{} is served by", website.spec.host);
        for deployment in deployments.by_app(&website.spec.deployment) {
            println!("  {}", ObjectKey::of(&*deployment));
        }
    }

    // So is the way back of the reference: the Secret need not be cached, nor exist.
    let certificate = ObjectKey::namespaced("default", "shop-tls");
    for website in websites.by_secret(&certificate) {
        println!("{certificate} is for {}", website.spec.host);
    }

    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

fn website(name: &str, host: &str, deployment: &str, certificate: Option<&str>) -> Value {
    json!({
        "apiVersion": "web.example.com/v1",
        "kind": "Website",
        "metadata": { "name": name },
        "spec": { "host": host, "deployment": deployment, "certificate": certificate },
    })
}

fn deployment(name: &str, app: &str) -> Value {
    let labels = json!({ "app": app });
    json!({
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "metadata": { "name": name, "labels": labels },
        "spec": {
            "selector": { "matchLabels": labels },
            "template": { "metadata": { "labels": labels } },
        },
    })
}
