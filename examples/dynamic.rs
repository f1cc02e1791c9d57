//! Caches a resource without a Rust type.
//!
//! ```console
//! $ cargo run --example dynamic
//! ```
//!
//! The API server describes the resource at run time. The objects are JSON, or metadata only.
//! Metadata needs the least memory, and suffices for names, labels and owners.

use std::error::Error;

use informer::{GroupVersionResource, ObjectKey, Selector, SharedInformerFactory};
use informer_apiserver::ApiServer;
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::Api;
use kube::api::PostParams;
use kube::core::DynamicObject;
use serde_json::{Value, json};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder().start().await?;
    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client.clone()).build()?;
    factory.start()?;

    // Plural, version and group, as in `kubectl get widgets.v1.example.com`.
    let name = GroupVersionResource::new("example.com", "v1", "widgets");
    if let Err(error) = factory.discover(&name).await {
        println!("before the definition is installed: {error}");
    }
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let widget_definition = serde_json::from_value(definition())?;
    definitions
        .create(&PostParams::default(), &widget_definition)
        .await?;
    let widgets = factory.discover(&name).await?;
    println!(
        "after: kind {}, {:?}",
        widgets.api_resource.kind, widgets.scope
    );

    let api: Api<DynamicObject> = Api::default_namespaced_with(client, &widgets.api_resource);
    for (name, colour) in [("one", "red"), ("two", "blue"), ("three", "red")] {
        let mut widget = DynamicObject::new(name, &widgets.api_resource);
        widget.data = json!({ "spec": { "colour": colour } });
        api.create(&PostParams::default(), &widget).await?;
    }

    // The factory is running, so these two informers start immediately.
    let objects = factory.dynamic(widgets.clone());
    let metadata = factory.metadata(widgets);
    let by_colour = objects.add_index("spec.colour", colour_of)?;
    factory.wait_for_cache_sync().await?;

    println!("objects, by colour:");
    for colour in by_colour.values() {
        for widget in by_colour.get(&colour) {
            let key = ObjectKey::of(&*widget);
            println!("  {colour}: {} {}", key.name(), widget.data);
        }
    }
    println!("metadata only:");
    // The scope is known only at run time, so the namespace lister may be an error.
    let lister = metadata.lister().try_namespace("default")?.into_owned();
    lister.for_each(&Selector::everything(), |widget| {
        let key = ObjectKey::of(widget);
        let version = widget.metadata.resource_version.as_deref();
        println!(
            "  {} at version {}",
            key.name(),
            version.unwrap_or_default()
        );
    });
    if let Err(error) = objects.lister().get_cluster_scoped("one") {
        println!("without a namespace: {error}");
    }

    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

fn colour_of(widget: &DynamicObject) -> Option<String> {
    let colour = widget.data.pointer("/spec/colour")?.as_str()?;
    Some(colour.to_owned())
}

fn definition() -> Value {
    let schema = json!({ "type": "object", "x-kubernetes-preserve-unknown-fields": true });
    json!({
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": { "name": "widgets.example.com" },
        "spec": {
            "group": "example.com",
            "scope": "Namespaced",
            "names": { "kind": "Widget", "plural": "widgets", "singular": "widget" },
            "versions": [{
                "name": "v1",
                "served": true,
                "storage": true,
                "schema": { "openAPIV3Schema": schema },
            }],
        },
    })
}
