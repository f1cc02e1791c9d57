//! Keeps thousands of unchanged objects from delaying a change.
//!
//! ```console
//! $ cargo run --example priority_queue
//! ```
//!
//! Uses a work queue with priorities. At the start of a controller, and in a resync, every object
//! is enqueued. `enqueue_into` gives these items a low priority, and gives changes the default
//! priority, so that a change is processed next. An item that has waited for ten seconds gets every
//! fifth turn, so changes cannot starve the other items.
//!
//! `run_workers` works as for any queue: it retries failed items with growing delays, treats a
//! panic as a failure, and shuts down gracefully.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use informer::k8s::SharedInformerFactoryExt as _;
use informer::k8s::core::v1::ConfigMapLister;
use informer::workqueue::EnqueueInto;
use informer::workqueue::enqueue_into;
use informer::{Event, EventHandler, ObjectKey, Origin, SharedInformerFactory, WorkQueue};
use informer_apiserver::ApiServer;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Api;
use kube::api::{Patch, PatchParams};
use serde_json::json;
use tokio::sync::mpsc;

/// Number of objects at the start of the controller.
const FLOOD: usize = 300;
/// Object that a user changes, the last in the queue.
const LAST: &str = "map-300";
const WORKERS: usize = 4;

/// Enqueues each event, and prints the event if it is a change.
struct Enqueue {
    queue: EnqueueInto,
    changes: mpsc::Sender<()>,
}

impl EventHandler<ConfigMap> for Enqueue {
    async fn on_event(&mut self, event: Event<ConfigMap>) {
        let is_change = event.origin() == Origin::Live;
        self.queue.on_event(event).await;
        if is_change {
            let _ = self.changes.send(()).await;
        }
    }
}

/// State of a controller next to its queue.
#[derive(Clone)]
struct Controller {
    maps: ConfigMapLister,
    colour: &'static str,
    /// Number of the current turn.
    turn: Arc<AtomicUsize>,
}

impl Controller {
    async fn reconcile(self, key: ObjectKey) -> Result<(), kube::Error> {
        let turn = self.turn.fetch_add(1, Ordering::Relaxed) + 1;
        let map = self.maps.get_by_key(&key);
        if map.is_some_and(|map| colour(&map) == Some(self.colour)) {
            println!("  {key} is {}: turn {turn} of {FLOOD}", self.colour);
        }
        // Stands for the requests of a real controller.
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(())
    }
}

// One thread makes the turns deterministic. The workers alternate at each `.await`.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn Error>> {
    let mut builder = ApiServer::builder();
    for number in 1..=FLOOD {
        builder = builder.object(&json!({
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": { "name": format!("map-{number:03}") },
        }));
    }
    let server = builder.start().await?;
    let client = informer::connect(server.kube_config())?;
    let factory = SharedInformerFactory::builder(client).build()?;
    let maps = factory.core().v1().config_maps();
    factory.start()?;
    factory.wait_for_cache_sync().await?;
    println!("{} ConfigMaps are cached", maps.lister().len());

    println!("\nfirst in, first out:");
    flood(&factory, &WorkQueue::rate_limited("fifo"), "red").await?;
    println!("\nby priority:");
    flood(&factory, &WorkQueue::priority("by-priority"), "green").await?;
    println!("\nfailed items are retried:");
    failures(&WorkQueue::priority("failures")).await;

    factory.shutdown().await;
    server.shutdown().await;
    Ok(())
}

/// Starts a controller, and changes an object before the workers start.
async fn flood(
    factory: &SharedInformerFactory,
    queue: &WorkQueue<ObjectKey>,
    colour: &'static str,
) -> Result<(), Box<dyn Error>> {
    let maps = factory.core().v1().config_maps();
    let (changes, mut next_change) = mpsc::channel(1);
    let enqueue = Enqueue {
        queue: enqueue_into(queue),
        changes,
    };
    let handler = maps.add_event_handler(enqueue)?;
    handler.wait_for_sync().await?;
    println!("  {} keys are queued", queue.len());
    let api: Api<ConfigMap> = Api::default_namespaced(factory.client().clone());
    let patch = Patch::Merge(json!({ "data": { "colour": colour } }));
    api.patch(LAST, &PatchParams::default(), &patch).await?;
    next_change.recv().await;
    let queued = queue.len();
    println!("  a user paints {LAST} {colour}: {queued} keys are queued");

    let controller = Controller {
        maps: maps.lister(),
        colour,
        turn: Arc::default(),
    };
    let workers = queue.run_workers(WORKERS, move |key| controller.clone().reconcile(key));
    // Accepts no new items, and returns after the last reconciliation.
    let (drained, ()) = tokio::join!(queue.shut_down_with_drain(), workers);
    let done = queue.metrics().work_duration.count();
    println!("  drained: {drained}, {done} reconciled");
    handler.remove().await;
    Ok(())
}

/// Controller that fails twice for one key, and panics once for another.
#[derive(Clone)]
struct Failing {
    queue: WorkQueue<ObjectKey>,
    done: mpsc::Sender<()>,
}

impl Failing {
    #[expect(clippy::panic, reason = "the workers have to survive a panic")]
    async fn reconcile(self, key: ObjectKey) -> Result<(), String> {
        let before = self.queue.num_requeues(&key);
        match (key.name(), before) {
            ("flaky", 0 | 1) => Err(format!("{key} fails")),
            ("cursed", 0) => panic!("{key} panics"),
            _ => {
                println!("  {key} is done, after {before} failures");
                let _ = self.done.send(()).await;
                Ok(())
            }
        }
    }
}

/// Runs a controller until all of its keys have succeeded.
async fn failures(queue: &WorkQueue<ObjectKey>) {
    // Suppresses the panic message on stderr.
    std::panic::set_hook(Box::new(|_| ()));
    let (done, mut finished) = mpsc::channel(2);
    let controller = Failing {
        queue: queue.clone(),
        done,
    };
    let workers = queue.run_workers(WORKERS, move |key| controller.clone().reconcile(key));
    let keys = ["cursed", "flaky", "fine"].map(|name| ObjectKey::namespaced("default", name));
    for key in &keys {
        queue.add(key.clone());
    }
    let end = async {
        for _ in &keys {
            finished.recv().await;
        }
        queue.shut_down_with_drain().await
    };
    let ((), drained) = tokio::join!(workers, end);
    let metrics = queue.metrics();
    println!(
        "  drained: {drained}, failures: {}, panics among them: {}",
        metrics.failures, metrics.panics
    );
    let forgotten = keys.iter().all(|key| queue.num_requeues(key) == 0);
    println!("  the rate limiter forgot the items that succeeded: {forgotten}");
}

fn colour(map: &ConfigMap) -> Option<&str> {
    map.data.as_ref()?.get("colour").map(String::as_str)
}
