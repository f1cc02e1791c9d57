//! Shares an informer between controllers of `kube::runtime`.
//!
//! ```console
//! $ cargo run --example kube_runtime --features kube-runtime
//! ```
//!
//! Two controllers reconcile the same config maps. With an `Api`, each controller would list, watch
//! and store all of them. With one informer, they share one watch and the objects.

use std::collections::BTreeSet;
use std::error::Error;
use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt as _;
use informer::kube_runtime::{KubeRuntimeExt as _, SharedObject};
use informer::{HandlerOptions, ObjectKey, SharedInformer, SharedInformerFactory};
use informer_apiserver::{ApiServer, Verb};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{Api, PostParams};
use kube::core::ObjectMeta;
use kube::runtime::Controller;
use kube::runtime::controller::Action;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

/// Context of a reconciler.
struct Context {
    name: &'static str,
    /// Informer for reads of other objects.
    maps: SharedInformer<ConfigMap>,
    seen: mpsc::Sender<Seen>,
}

/// Report of a reconciliation, with the number of cached objects.
struct Seen {
    controller: &'static str,
    key: ObjectKey,
    of: usize,
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let server = ApiServer::builder().start().await?;
    let control = server.control();
    let client = informer::connect(server.kube_config())?;
    let api: Api<ConfigMap> = Api::default_namespaced(client.clone());
    create(&api, "one").await?;
    create(&api, "two").await?;

    let factory = SharedInformerFactory::builder(client).build()?;
    let maps = factory.informer::<ConfigMap>();
    let (sender, mut seen) = mpsc::channel(16);
    let mut controllers = JoinSet::new();
    for name in ["audit", "backup"] {
        let (trigger, reader) = maps.controller_source(HandlerOptions::new().name(name))?;
        let context = Context {
            name,
            maps: maps.clone(),
            seen: sender.clone(),
        };
        let controller = Controller::for_stream(trigger, reader);
        let reconciled = controller.run(reconcile, error_policy, Arc::new(context));
        controllers.spawn(reconciled.for_each(|_| ready(())));
    }
    factory.start()?;
    factory.wait_for_cache_sync().await?;

    println!("existing objects:");
    show(&mut seen, 4).await?;
    println!("a third object:");
    create(&api, "three").await?;
    show(&mut seen, 2).await?;

    let lists = control.count(Verb::List, "configmaps");
    let watches = control.count(Verb::Watch, "configmaps");
    let open = control.watch_count("configmaps");
    println!("requests to the API server: lists: {lists}, watches: {watches}; open now: {open}");
    if (lists, watches, open) != (0, 1, 1) {
        return Err("the controllers do not share one watch".into());
    }

    // The controllers' triggers end with the informer, and the controllers end with their triggers.
    factory.shutdown().await;
    while let Some(ended) = controllers.join_next().await {
        ended?;
    }
    println!("both controllers have ended");
    server.shutdown().await;
    Ok(())
}

/// `SharedObject` is the cached object itself. With `Arc<ConfigMap>`, each object would be copied.
async fn reconcile(
    map: Arc<SharedObject<ConfigMap>>,
    context: Arc<Context>,
) -> Result<Action, mpsc::error::SendError<Seen>> {
    let seen = Seen {
        controller: context.name,
        key: ObjectKey::of(&*map),
        of: context.maps.lister().len(),
    };
    context.seen.send(seen).await?;
    Ok(Action::await_change())
}

fn error_policy(
    _: Arc<SharedObject<ConfigMap>>,
    _: &mpsc::error::SendError<Seen>,
    _: Arc<Context>,
) -> Action {
    Action::await_change()
}

/// Prints the next reconciliations, sorted, because the controllers run concurrently.
async fn show(seen: &mut mpsc::Receiver<Seen>, count: usize) -> Result<(), Box<dyn Error>> {
    let mut lines = BTreeSet::new();
    while lines.len() < count {
        let next = timeout(Duration::from_secs(30), seen.recv()).await?;
        let Seen {
            controller,
            key,
            of,
        } = next.ok_or("the controllers have ended")?;
        lines.insert(format!("  {controller} reconciles {key}, one of {of}"));
    }
    for line in lines {
        println!("{line}");
    }
    Ok(())
}

async fn create(api: &Api<ConfigMap>, name: &str) -> Result<(), kube::Error> {
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.to_owned()),
            ..ObjectMeta::default()
        },
        ..ConfigMap::default()
    };
    api.create(&PostParams::default(), &map).await.map(drop)
}
