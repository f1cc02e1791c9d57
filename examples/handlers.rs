//! Handles changes of objects.
//!
//! ```console
//! $ cargo run --example handlers
//! ```
//!
//! A handler is a type, a closure, several closures, or a stream. Each handler has its own task and
//! a bounded mailbox. Handlers can be added and removed at any time, and a new handler starts with
//! the cached objects.

use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use informer::handler::Deleted;
use informer::k8s::SharedInformerFactoryExt as _;
use informer::{Event, EventHandler, EventHandlerFuncs, HandlerOptions, filtered};
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{DeleteParams, Patch, PatchParams};
use serde_json::json;
use tokio::sync::mpsc;

/// Handler with a state, which also awaits. Methods that it does not implement do nothing.
struct Audit {
    lines: mpsc::Sender<String>,
}

impl EventHandler<ConfigMap> for Audit {
    async fn on_add(&mut self, map: Arc<ConfigMap>, is_in_initial_list: bool) {
        let line = format!("added, {}; initial: {is_in_initial_list}", colour(&map));
        let _ = self.lines.send(line).await;
    }

    async fn on_update(&mut self, old: Arc<ConfigMap>, new: Arc<ConfigMap>) {
        let line = format!("updated, from {} to {}", colour(&old), colour(&new));
        let _ = self.lines.send(line).await;
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let map = json!({
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": { "name": "paint" },
        "data": { "colour": "red" },
    });
    let server = ApiServer::builder().object(&map).start().await?;
    let client = informer::connect(server.kube_config())?;
    let api: Api<ConfigMap> = Api::default_namespaced(client.clone());
    let factory = informer::SharedInformerFactory::builder(client).build()?;
    let maps = factory.core().v1().config_maps();
    // Handlers send their events to `main`, which prints them in a defined order.
    let (lines, mut seen) = mpsc::channel(16);

    println!("A type that implements EventHandler:");
    let audit = Audit {
        lines: lines.clone(),
    };
    let audited = maps.add_event_handler(audit)?;
    factory.start()?;
    audited.wait_for_sync().await?; // `on_add` has returned for the whole initial list
    paint(&api, "green").await?;
    show(&mut seen, 2).await;
    audited.remove().await; // no call runs after this line

    println!("\nA closure added later, with a resync every second:");
    let sender = lines.clone();
    let closure = move |event: Event<ConfigMap>| {
        let line = format!("{}: {}", event.origin(), event.key());
        let _ = sender.try_send(line);
    };
    let resync = HandlerOptions::new().resync_period(Duration::from_secs(1));
    let resynced = maps.add_event_handler_with(closure, resync)?;
    show(&mut seen, 2).await;
    resynced.remove().await;

    println!("\nA closure for each kind of event, filtered to blue maps:");
    let add = lines.clone();
    let delete = lines;
    let funcs = EventHandlerFuncs::new()
        .on_add(move |map: Arc<ConfigMap>, _| {
            let line = format!("added, {}", colour(&map));
            let _ = add.try_send(line);
        })
        .on_delete(move |deleted: Deleted<ConfigMap>| {
            let line = format!("deleted, was {}", colour(&deleted.object));
            let _ = delete.try_send(line);
        });
    let is_blue = |map: &ConfigMap| colour(map) == "blue";
    let blue = maps.add_event_handler(filtered(is_blue, funcs))?;
    paint(&api, "blue").await?;
    paint(&api, "yellow").await?;
    show(&mut seen, 2).await;
    blue.remove().await;

    println!("\nA stream:");
    let mut events = maps.events(HandlerOptions::new())?;
    api.delete("paint", &DeleteParams::default()).await?;
    while let Some(event) = events.next().await {
        match event {
            Event::Added(added) => println!("  added, {}", colour(&added.object)),
            Event::Updated(updated) => println!("  updated, to {}", colour(&updated.new)),
            Event::Deleted(deleted) => {
                println!("  deleted, was {}", colour(&deleted.object));
                break;
            }
        }
    }

    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

async fn paint(api: &Api<ConfigMap>, colour: &str) -> Result<ConfigMap, kube::Error> {
    let patch = Patch::Merge(json!({ "data": { "colour": colour } }));
    api.patch("paint", &PatchParams::default(), &patch).await
}

/// Prints the next lines of the handlers.
async fn show(seen: &mut mpsc::Receiver<String>, count: usize) {
    for _ in 0..count {
        if let Some(line) = seen.recv().await {
            println!("  {line}");
        }
    }
}

fn colour(map: &ConfigMap) -> &str {
    let colour = map.data.as_ref().and_then(|data| data.get("colour"));
    colour.map_or("none", String::as_str)
}
