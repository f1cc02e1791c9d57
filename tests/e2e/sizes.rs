//! Futures of users: they may be as large as they like, in a debug build, on threads of tokio's
//! default stack.

#![expect(
    clippy::large_futures,
    clippy::large_stack_arrays,
    reason = "the subject of these tests"
)]

use std::convert::Infallible;
use std::hint::black_box;
use std::sync::Arc;

use informer::debug::Service;
use informer::finalizer::{FinalizerError, FinalizerStep};
use informer::shards::{ShardBy, Shards};
use informer::{
    Action, Controller, ObjectKey, Session, SharedInformerFactory, WorkQueue, async_handler,
    finalizer,
};
use k8s_openapi::api::core::v1::ConfigMap;
use kube::Client;
use tokio::runtime::{Builder, Runtime};
use tokio::task::JoinSet;

use crate::support::{Cluster, sync, value, within};

/// Size of a future: a hundred requests of kube in one function have as much.
const LARGE: usize = 256 << 10;

/// Stack of a thread of tokio, and of a test.
const STACK: usize = 2 << 20;

fn runtime() -> Runtime {
    Builder::new_multi_thread()
        .worker_threads(2)
        .thread_stack_size(STACK)
        .enable_all()
        .build()
        .unwrap()
}

/// Holds as many bytes as a large function does, over an await.
async fn large(result: usize) -> usize {
    let held = black_box([1_u8; LARGE]);
    tokio::task::yield_now().await;
    result + usize::from(held[black_box(7)]) - 1
}

struct Context {
    client: Client,
    session: Session,
}

async fn reconcile(map: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, FinalizerError> {
    let api = context.session.api::<ConfigMap>("default");
    let plain = kube::Api::namespaced(context.client.clone(), "default");
    large(1).await;
    finalizer(&plain, "example.com/large", map, async |step| {
        if let FinalizerStep::Apply(map) = step
            && value(&map) != "done"
        {
            let done = serde_json::json!({ "data": { "v": "done" } });
            let name = map.metadata.name.as_deref().unwrap_or_default();
            let patch = kube::api::Patch::Merge(done);
            api.patch(name, &kube::api::PatchParams::default(), &patch)
                .await?;
        }
        large(1).await;
        Ok::<_, kube::Error>(Action::Done)
    })
    .await
}

/// A controller with a session, shards, a finalizer and a debug page reconciles by a future of this
/// size.
#[test]
fn a_controller_calls_a_future_of_any_size() {
    runtime().block_on(async {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let shards = Shards::builder(cluster.client.clone(), "large")
            .by(ShardBy::Uid)
            .slices(4)
            .join()
            .await
            .unwrap();
        let factory = SharedInformerFactory::builder(cluster.client.clone())
            .namespace("default")
            .shards(&shards)
            .build()
            .unwrap();
        let maps = factory.informer::<ConfigMap>();
        let session = Session::new(&factory);
        let controller = Controller::new("large", &maps)
            .session(&session)
            .shards(&shards);
        let queue = controller.handle().queue().clone();
        let page = Service::new(&factory).controller(&controller.handle());
        let serving = page.serve("127.0.0.1:0");
        let context = Arc::new(Context {
            client: cluster.client.clone(),
            session,
        });
        factory.start().unwrap();
        let mut tasks = JoinSet::new();
        tasks.spawn(controller.run(context, reconcile));
        let is_done = maps.indexer().wait_until(|maps| {
            maps.get(&crate::support::key("a")).is_some_and(|map| {
                let is_held = map
                    .metadata
                    .finalizers
                    .as_deref()
                    .is_some_and(|all| !all.is_empty());
                value(&map) == "done" && is_held
            })
        });
        within("the write of a large future", is_done).await;
        queue.shut_down();
        let ended = within("the end", tasks.join_next()).await;
        ended.unwrap().unwrap().unwrap();
        drop(serving);
        shards.leave().await;
        factory.shutdown().await;
        cluster.server.shutdown().await;
    });
}

/// So do the other functions that take futures: `run_keys`, `run_workers` and `async_handler`.
#[test]
fn keys_items_and_events_may_lead_to_futures_of_any_size() {
    runtime().block_on(async {
        let cluster = Cluster::start().await;
        cluster.create("a", "1");
        let factory = cluster.factory();
        let maps = factory.informer::<ConfigMap>();
        let (told, mut seen) = tokio::sync::mpsc::channel(10);
        let events = told.clone();
        maps.add_event_handler(async_handler(move |_event| {
            let events = events.clone();
            async move {
                large(1).await;
                events.send("event").await.unwrap();
            }
        }))
        .unwrap();
        let controller = Controller::<_, Infallible>::new("keys", &maps);
        let keys = controller.handle().queue().clone();
        let call = move |_: ObjectKey, told: Arc<tokio::sync::mpsc::Sender<&'static str>>| async move {
            large(1).await;
            told.send("key").await.unwrap();
            Ok(Action::Done)
        };
        let mut tasks = JoinSet::new();
        let context = Arc::new(told.clone());
        tasks.spawn(async move { controller.run_keys(context, call).await.unwrap() });
        let items: WorkQueue<u32> = WorkQueue::rate_limited("items");
        items.add(1);
        let workers = items.clone();
        tasks.spawn(async move {
            let work = move |_| {
                let told = told.clone();
                async move {
                    large(1).await;
                    told.send("item").await.unwrap();
                    Ok::<_, Infallible>(Action::Done)
                }
            };
            workers.run_workers(1, work).await;
        });
        sync(&factory).await;
        let mut all = Vec::new();
        while all.len() < 3 {
            all.extend(within("a call", seen.recv()).await);
        }
        all.sort_unstable();
        assert_eq!(all, ["event", "item", "key"]);
        keys.shut_down();
        items.shut_down();
        within("the ends", tasks.join_all()).await;
        factory.shutdown().await;
    });
}
