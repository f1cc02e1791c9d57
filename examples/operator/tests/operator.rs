//! Scenarios of the operator. Each runs on an embedded API server, and on the real kube-apiserver
//! if `KUBEBUILDER_ASSETS` is set.

// The helpers are part of the tests, which clippy has to know.
#![cfg(test)]

#[path = "../../../apiserver/tests/support/assets.rs"]
mod assets;

use std::net::SocketAddr;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use informer::debug::Service;
use informer::{Action, ObjectKey, SharedInformerFactory, Snapshot};
use informer_apiserver::envtest::Environment;
use informer_apiserver::{ApiServer, Fault, Matcher, Verb};
use informer_example_operator::controller::{
    Context, Document, DocumentInformerFactory as _, DocumentSpec, Error, FINALIZER, error_policy,
    manager, reconcile,
};
use k8s_openapi::api::core::v1::{Event, Namespace};
use k8s_openapi::apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition;
use kube::api::{DeleteParams, ListParams, Patch, PatchParams, PostParams};
use kube::runtime::conditions::{is_crd_established, is_deleted};
use kube::runtime::wait::{Condition, await_condition};
use kube::{Api, Client, CustomResourceExt as _, ResourceExt as _};
use serde_json::json;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

/// Namespace with its documents.
struct World {
    factory: SharedInformerFactory,
    documents: Api<Document>,
    events: Api<Event>,
    context: Arc<Context>,
}

type Scenario = (&'static str, fn(World) -> BoxFuture<'static, ()>);

/// Creates a test of each scenario, and `SCENARIOS`, the table for the real server.
macro_rules! scenarios {
    ($(async fn $name:ident($world:ident: World) $body:block)*) => {
        $(
            #[tokio::test]
            async fn $name() {
                let server = ApiServer::builder().object(&Document::crd()).start().await.unwrap();
                let client = informer::connect(server.kube_config()).unwrap();
                scenario::$name(World::new(client, stringify!($name)).await).await;
                server.shutdown().await;
            }
        )*

        mod scenario {
            use super::*;
            $(pub(super) async fn $name($world: World) $body)*
        }

        const SCENARIOS: &[Scenario] = &[
            $((stringify!($name), |world| scenario::$name(world).boxed()),)*
        ];
    };
}

scenarios! {
    async fn a_document_gets_its_finalizer_and_a_status(world: World) {
        let document = world.create("x", "a title", false).await;
        let action = world.reconcile(document).await.unwrap();
        assert_eq!(action, Action::RequeueAfter(Duration::from_secs(300)));
        let document = world.documents.get("x").await.unwrap();
        assert_eq!(document.finalizers(), [FINALIZER]);
        assert!(!document.status.unwrap().hidden);
        assert!(world.reasons().await.is_empty());
    }

    async fn a_document_to_hide_is_hidden_and_reported_by_an_event(world: World) {
        let document = world.finalized("x", "a title", true).await;
        assert!(document.status.as_ref().unwrap().hidden);
        assert_eq!(world.reasons().await, ["HideRequested"]);
        world.reconcile(document).await.unwrap();
        assert_eq!(world.reasons().await, ["HideRequested"], "the document is hidden already");
    }

    async fn a_deleted_document_goes_after_its_event(world: World) {
        let document = world.finalized("x", "a title", false).await;
        world.documents.delete("x", &DeleteParams::default()).await.unwrap();
        let deleted = world.documents.get("x").await.unwrap();
        world.reconcile(deleted).await.unwrap();
        assert_eq!(world.reasons().await, ["DeleteRequested"]);
        world.until("x", is_deleted(&document.uid().unwrap())).await;
    }

    async fn an_illegal_document_fails_and_is_counted(world: World) {
        let document = world.create("x", "illegal", false).await;
        let error = world.reconcile(document).await.unwrap_err();
        let action = error_policy(&world.context.metrics, &error);
        assert_eq!(action, Action::Requeue);
        let page = world.context.metrics.page();
        assert!(page.contains(r#"doc_controller_failures_total{error="finalizer"} 1"#), "{page}");
        assert!(world.documents.get("x").await.unwrap().status.is_none());
    }

    async fn the_controller_follows_a_document_and_ends_on_shutdown(world: World) {
        let user = async {
            let document = world.create("x", "a title", true).await;
            let hidden = |document: Option<&Document>| {
                document.is_some_and(|document| {
                    document.status.as_ref().is_some_and(|status| status.hidden)
                })
            };
            world.until("x", hidden).await;
            world.documents.delete("x", &DeleteParams::default()).await.unwrap();
            world.until("x", is_deleted(&document.uid().unwrap())).await;
            assert_eq!(world.reasons().await, ["DeleteRequested", "HideRequested"]);
            let page = world.context.metrics.page();
            assert!(page.contains(r#"workqueue_adds_total{name="documents"}"#), "{page}");
        };
        world.run_during(user).await;
        world.factory.shutdown().await;
    }
}

#[tokio::test]
async fn the_real_server_behaves_equally() {
    let Some(assets) = assets::assets() else {
        return;
    };
    let environment = Environment::start(&assets).await.unwrap();
    let client = informer::connect(environment.kube_config()).unwrap();
    let definitions: Api<CustomResourceDefinition> = Api::all(client.clone());
    let definition = definitions
        .create(&PostParams::default(), &Document::crd())
        .await
        .unwrap();
    let name = definition.name_any();
    await_condition(definitions, &name, is_crd_established())
        .await
        .unwrap();
    let mut failed = Vec::new();
    for (name, scenario) in SCENARIOS {
        let world = World::new(client.clone(), name).await;
        // A failed scenario does not hide the others.
        if AssertUnwindSafe(scenario(world))
            .catch_unwind()
            .await
            .is_err()
        {
            failed.push(name);
        }
    }
    environment.stop().await;
    assert!(failed.is_empty(), "{failed:?}");
}

/// The readiness probe of the operator, whose definition is installed after its start.
#[tokio::test]
async fn readyz_tells_what_the_operator_waits_for() {
    let server = ApiServer::builder().start().await.unwrap();
    let client = informer::connect(server.kube_config()).unwrap();
    let factory = SharedInformerFactory::builder(client).build().unwrap();
    let metrics = Context::new(&factory).metrics;
    metrics.collector.add_factory("operator", &factory);
    let documents = factory.documents();
    let debug = Service::new(&factory).registry(metrics.registry());
    let address = debug.serve("127.0.0.1:0").await.unwrap();
    let ready = async || get(address, "/readyz").await;
    let line = "[-] documents.v1.example.com: pending for 0 s\nnot ready\n";
    assert_eq!(ready().await, (503, line.to_owned()));
    factory.start().unwrap();
    documents.wait_for_sync().await.unwrap_err();
    let (status, body) = ready().await;
    let line = "[-] documents.v1.example.com: degraded for ";
    assert!(status == 503 && body.starts_with(line), "{status} {body}");
    let reason = "not served: is its CustomResourceDefinition installed?";
    assert!(body.contains(reason), "{body}");
    assert_eq!(body.lines().count(), 2, "{body}");
    let definition = serde_json::to_value(Document::crd()).unwrap();
    server.control().create_direct(definition).unwrap();
    documents.wait_until_served().await.unwrap();
    let (status, body) = ready().await;
    let line = "[+] documents.v1.example.com: synced for ";
    assert!(status == 200 && body.starts_with(line), "{status} {body}");
    assert!(body.ends_with("\nready\n"), "{body}");
    assert_eq!(get(address, "/livez").await, (200, "ok\n".to_owned()));
    let (status, page) = get(address, "/metrics").await;
    assert_eq!(status, 200);
    assert!(page.contains(r#"state="synced"} 1"#), "{page}");
    assert!(page.ends_with("# EOF\n"), "{page}");
    assert!(page.contains("doc_controller_duration_seconds"), "{page}");
    assert_eq!(get(address, "/missing").await.0, 404);
    factory.shutdown().await;
    server.shutdown().await;
}

/// The event of another change arrives before that of the status, which the operator has written.
#[tokio::test]
async fn a_document_is_hidden_once_though_the_watch_is_late() {
    let server = ApiServer::builder().object(&Document::crd());
    let server = server.start().await.unwrap();
    let control = server.control();
    let late = Fault::Slow {
        bytes: usize::MAX,
        pause: Duration::from_millis(200),
    };
    let watch = Matcher::any().verb(Verb::Watch).resource("documents");
    control.fail_next(1, watch, late);
    let client = informer::connect(server.kube_config()).unwrap();
    let world = World::new(client, "late").await;
    let user = async {
        let mut document = document("x", "a title", true);
        document.finalizers_mut().push(FINALIZER.to_owned());
        let params = PostParams::default();
        let created = world.documents.create(&params, &document).await.unwrap();
        let uid = created.uid().unwrap();
        let label = Patch::Merge(json!({ "metadata": { "labels": { "changed": "too" } } }));
        let params = PatchParams::default();
        world.documents.patch("x", &params, &label).await.unwrap();
        let documents = world.factory.documents();
        let key = ObjectKey::namespaced("late", "x");
        let is_hidden = move |shown: &Snapshot<Document>| {
            let document = shown.get(&key);
            document.is_some_and(|document| document.status.is_some())
        };
        documents.indexer().wait_until(is_hidden).await;
        let params = DeleteParams::default();
        world.documents.delete("x", &params).await.unwrap();
        world.until("x", is_deleted(&uid)).await;
    };
    world.run_during(user).await;
    assert_eq!(world.reasons().await, ["DeleteRequested", "HideRequested"]);
    // The recorder patches an event that it has sent before.
    assert_eq!(control.count(Verb::Patch, "events"), 0);
    world.factory.shutdown().await;
    server.shutdown().await;
}

/// Sends a request. Returns the status and the body of the response.
async fn get(address: SocketAddr, path: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.unwrap();
    let request = format!("GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    stream.write_all(request.as_bytes()).await.unwrap();
    let mut response = String::new();
    stream.read_to_string(&mut response).await.unwrap();
    let (head, body) = response.split_once("\r\n\r\n").unwrap();
    let status = head.split(' ').nth(1).unwrap();
    (status.parse().unwrap(), body.to_owned())
}

fn document(name: &str, title: &str, hide: bool) -> Document {
    let (title, content) = (title.to_owned(), "some text".to_owned());
    let spec = DocumentSpec {
        title,
        hide,
        content,
    };
    Document::new(name, spec)
}

impl World {
    async fn new(client: Client, scenario: &str) -> Self {
        let namespace = scenario.replace('_', "-");
        let namespace = namespace
            .get(..63)
            .unwrap_or(&namespace)
            .trim_end_matches('-');
        let mut object = Namespace::default();
        object.metadata.name = Some(namespace.to_owned());
        let namespaces: Api<Namespace> = Api::all(client.clone());
        namespaces
            .create(&PostParams::default(), &object)
            .await
            .unwrap();
        let factory = SharedInformerFactory::builder(client.clone())
            .build()
            .unwrap();
        Self {
            documents: Api::namespaced(client.clone(), namespace),
            events: Api::namespaced(client, namespace),
            context: Arc::new(Context::new(&factory)),
            factory,
        }
    }

    async fn create(&self, name: &str, title: &str, hide: bool) -> Document {
        let document = document(name, title, hide);
        self.documents
            .create(&PostParams::default(), &document)
            .await
            .unwrap()
    }

    /// Creates a document, and reconciles it once.
    async fn finalized(&self, name: &str, title: &str, hide: bool) -> Document {
        let document = self.create(name, title, hide).await;
        self.reconcile(document).await.unwrap();
        self.documents.get(name).await.unwrap()
    }

    async fn reconcile(&self, document: Document) -> Result<Action, Error> {
        reconcile(Arc::new(document), Arc::clone(&self.context)).await
    }

    /// Runs the operator while `user` acts, and ends it then.
    async fn run_during(&self, user: impl Future<Output = ()>) {
        let (stop, stopped) = oneshot::channel::<()>();
        let context = Context::clone(&self.context);
        let running = manager(&self.factory, context)
            .shutdown_on(async { drop(stopped.await) })
            .run();
        let (ended, ()) = futures::join!(running, user.map(|()| drop(stop)));
        ended.unwrap();
    }

    /// Waits until the condition holds for a document.
    async fn until(&self, name: &str, condition: impl Condition<Document>) {
        let condition = await_condition(self.documents.clone(), name, condition);
        let limit = Duration::from_secs(60);
        tokio::time::timeout(limit, condition)
            .await
            .unwrap()
            .unwrap();
    }

    /// Returns the reasons of the events, from core/v1.
    async fn reasons(&self) -> Vec<String> {
        let events = self.events.list(&ListParams::default()).await.unwrap();
        let mut reasons: Vec<_> = events
            .into_iter()
            .filter_map(|event| event.reason)
            .collect();
        reasons.sort();
        reasons
    }
}
