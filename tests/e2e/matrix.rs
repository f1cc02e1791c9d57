//! Documented parts fit each other: a small operator with each pair of them, and with all.
//!
//! Each part is a line of [`Part`]; a new part is added there.

use std::collections::BTreeSet;
use std::error::Error;
use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures::FutureExt as _;
use futures::future::BoxFuture;
use informer::debug::Service;
use informer::finalizer::FinalizerStep;
use informer::leader_election::LeaderElector;
use informer::relations::OwnedObjects;
use informer::shards::{ShardBy, Shards};
use informer::storage::{PackedObject, TieredObject};
use informer::{
    Action, Controller, InformerConfig, InformerOptions, Manager, ObjectKey, Packed, Session,
    SharedInformer, SharedInformerFactory, Storage, Tiered, Typed, finalizer, predicate,
};
use informer_runtime::storage::HasController;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::api::{DeleteParams, Patch, PatchParams};
use kube::{Api, Client, CustomResource, CustomResourceExt as _, Resource as _, ResourceExt as _};
use parking_lot::Mutex;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::support::{Cluster, within};

/// Number of operators that run at the same time.
const AT_ONCE: usize = 4;

#[derive(CustomResource, Serialize, Deserialize, Clone, Debug, JsonSchema)]
#[kube(group = "example.com", version = "v1", kind = "Site", namespaced)]
pub(crate) struct SiteSpec {
    text: String,
}

/// Part of an operator that a guide describes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Part {
    /// Cleans up by itself; otherwise the server deletes what a site owns.
    Finalizer,
    /// Ignores updates that leave the generation as it is.
    Changed,
    /// Ignores updates of owned objects that leave their data as they are.
    RelationChanged,
    /// Caches only some sites.
    Filter,
    Session,
    Shards,
    Retained,
    Debug,
    Namespaces,
    Packed,
    Tiered,
    Lease,
    Manager,
}

const PARTS: [Part; 13] = [
    Part::Finalizer,
    Part::Changed,
    Part::RelationChanged,
    Part::Filter,
    Part::Session,
    Part::Shards,
    Part::Retained,
    Part::Debug,
    Part::Namespaces,
    Part::Packed,
    Part::Tiered,
    Part::Lease,
    Part::Manager,
];

type Parts = BTreeSet<Part>;
type Ended = Result<(), Box<dyn Error + Send + Sync>>;

/// Site as an informer of any storage stores it.
trait Read: Send + Sync + 'static {
    fn read(self: Arc<Self>) -> BoxFuture<'static, Arc<Site>>;
}

impl Read for Site {
    fn read(self: Arc<Self>) -> BoxFuture<'static, Arc<Site>> {
        async move { self }.boxed()
    }
}

impl Read for PackedObject<Site> {
    fn read(self: Arc<Self>) -> BoxFuture<'static, Arc<Site>> {
        async move { self.decode().unwrap() }.boxed()
    }
}

impl Read for TieredObject<Site> {
    fn read(self: Arc<Self>) -> BoxFuture<'static, Arc<Site>> {
        async move { self.load().await.unwrap() }.boxed()
    }
}

struct Context {
    client: Client,
    parts: Parts,
    session: Session,
    pages: OwnedObjects<Site, ConfigMap>,
    cleaned_up: Mutex<BTreeSet<String>>,
}

impl Context {
    async fn apply(&self, site: &Site) -> kube::Result<()> {
        if site.metadata.deletion_timestamp.is_some() {
            return Ok(());
        }
        let pages = self.pages.of(site);
        let text = Some(&site.spec.text);
        let is_right =
            |page: &Arc<ConfigMap>| page.data.as_ref().and_then(|data| data.get("text")) == text;
        if pages.iter().any(is_right) {
            return Ok(());
        }
        let (name, namespace) = (site.name_any(), site.namespace().unwrap());
        let page = json!({
            "apiVersion": "v1", "kind": "ConfigMap",
            "metadata": { "name": name, "ownerReferences": [site.controller_owner_ref(&())] },
            "data": { "text": site.spec.text },
        });
        let (params, page) = (PatchParams::apply("matrix").force(), Patch::Apply(page));
        if self.parts.contains(&Part::Session) {
            let api = self.session.api::<ConfigMap>(&namespace);
            api.patch(&name, &params, &page).await?;
        } else {
            let api = Api::<ConfigMap>::namespaced(self.client.clone(), &namespace);
            api.patch(&name, &params, &page).await?;
        }
        Ok(())
    }

    async fn clean_up(&self, site: &Site) -> kube::Result<()> {
        let (name, namespace) = (site.name_any(), site.namespace().unwrap());
        let api = Api::<ConfigMap>::namespaced(self.client.clone(), &namespace);
        match api.delete(&name, &DeleteParams::default()).await {
            Err(kube::Error::Api(status)) if status.code == 404 => {}
            deleted => drop(deleted?),
        }
        self.cleaned_up.lock().insert(name);
        Ok(())
    }
}

async fn reconcile<T: Read>(
    site: Arc<T>,
    context: Arc<Context>,
) -> Result<Action, Box<dyn Error + Send + Sync>> {
    let site = site.read().await;
    if !context.parts.contains(&Part::Finalizer) {
        context.apply(&site).await?;
        return Ok(Action::Done);
    }
    let namespace = site.namespace().unwrap();
    let sites = Api::<Site>::namespaced(context.client.clone(), &namespace);
    let action = finalizer(&sites, "example.com/matrix", site, async |step| {
        match step {
            FinalizerStep::Apply(site) => context.apply(&site).await?,
            FinalizerStep::Cleanup(site) => context.clean_up(&site).await?,
        }
        Ok::<_, kube::Error>(Action::Done)
    });
    Ok(action.await?)
}

/// Operator with some parts, and its cluster.
struct Operator {
    cluster: Cluster,
    factory: SharedInformerFactory,
    shards: Option<Shards>,
    context: Arc<Context>,
    end: CancellationToken,
}

impl Operator {
    async fn new(parts: Parts) -> Self {
        let definition = informer_apiserver::ApiServer::builder().object(&Site::crd());
        let cluster = Cluster::with(definition).await;
        let client = cluster.client.clone();
        let mut shards = None;
        let mut config = InformerConfig::new();
        if parts.contains(&Part::Retained) {
            config = config.retain_deleted(Duration::from_secs(600));
        }
        let mut builder = SharedInformerFactory::builder(client.clone()).config(config);
        if parts.contains(&Part::Namespaces) {
            builder = builder.namespaces(["default", "other"]);
        }
        if parts.contains(&Part::Shards) {
            let group = Shards::builder(client.clone(), "matrix");
            let joined = group.by(ShardBy::Namespace).slices(4).join().await.unwrap();
            builder = builder.shards(&joined);
            shards = Some(joined);
        }
        let factory = builder.build().unwrap();
        let resource = factory.informer::<Site>().resource().clone();
        let context = Context {
            session: Session::new(&factory),
            pages: OwnedObjects::new(&resource, &factory),
            cleaned_up: Mutex::default(),
            client,
            parts,
        };
        Self {
            cluster,
            factory,
            shards,
            context: Arc::new(context),
            end: CancellationToken::new(),
        }
    }

    fn has(&self, part: Part) -> bool {
        self.context.parts.contains(&part)
    }

    /// Plays an operator with this storage, and its user.
    async fn play<S: Storage<Site> + Default>(self)
    where
        S::Object: Read + HasController,
    {
        let mut options = InformerOptions::new();
        if self.has(Part::Filter) {
            options = options.filter("shown", |site: &Site| site.spec.text != "hidden");
        }
        let sites = self.factory.stored_as::<S>().informer_with(options);
        let mut tasks = JoinSet::new();
        tasks.spawn(self.run(self.controller(&sites)));
        self.be_a_user(&sites).await;
        self.end.cancel();
        let ended = within("the end", tasks.join_next()).await;
        ended.unwrap().unwrap().unwrap();
        self.cluster.server.shutdown().await;
    }

    fn controller<S: Storage<Site>>(
        &self,
        sites: &SharedInformer<Site, S>,
    ) -> Controller<Site, Box<dyn Error + Send + Sync>, S>
    where
        S::Object: HasController,
    {
        let mut controller = Controller::new("sites", sites).workers(2);
        let pages = &self.context.pages;
        controller = if self.has(Part::RelationChanged) {
            controller.relations(&pages.changed(|old, new| old.data != new.data))
        } else {
            controller.relations(pages)
        };
        if self.has(Part::Changed) {
            controller = controller.changed(predicate::generation_changed);
        }
        if self.has(Part::Session) {
            controller = controller.session(&self.context.session);
        }
        if let Some(shards) = &self.shards {
            controller = controller.shards(shards);
        }
        controller
    }

    /// Returns the program: by a manager, or by hand.
    fn run<S: Storage<Site>>(
        &self,
        controller: Controller<Site, Box<dyn Error + Send + Sync>, S>,
    ) -> BoxFuture<'static, Ended>
    where
        S::Object: Read,
    {
        let (factory, context) = (self.factory.clone(), Arc::clone(&self.context));
        let (shards, ends) = (self.shards.clone(), self.end.clone().cancelled_owned());
        let has_page = self.has(Part::Debug);
        let has_lease = self.has(Part::Lease);
        if self.has(Part::Manager) {
            let mut manager = Manager::new(&factory).shutdown_on(ends);
            if has_page {
                manager = manager.serve(Service::new(&factory), "127.0.0.1:0");
            }
            if has_lease {
                manager = manager.lease("sites").identity("me");
            }
            if let Some(shards) = &shards {
                manager = manager.shards(shards);
            }
            let manager = manager.controller(controller, context, reconcile::<S::Object>);
            return async move { Ok(manager.run().await?) }.boxed();
        }
        async move {
            let mut controller = controller.shutdown_on(ends);
            let page = Service::new(&factory).controller(&controller.handle());
            if has_page {
                page.serve("127.0.0.1:0").await?;
            }
            factory.start()?;
            factory.wait_for_cache_sync().await?;
            let mut leadership = None;
            if has_lease {
                let client = factory.client().clone();
                let elector = LeaderElector::new(client, "default", "sites", "me");
                let leads = elector.acquire().await?;
                controller = controller.while_leading(&leads);
                leadership = Some(leads);
            }
            controller.run(context, reconcile::<S::Object>).await?;
            if let Some(leadership) = leadership {
                leadership.release().await;
            }
            if let Some(shards) = shards {
                shards.leave().await;
            }
            factory.shutdown().await;
            Ok(())
        }
        .boxed()
    }

    /// Changes sites and pages, and waits after each change until everything is right.
    async fn be_a_user<S: Storage<Site>>(&self, sites: &SharedInformer<Site, S>) {
        let (first, second) = (path("sites", "default", "a"), path("sites", "other", "b"));
        let page_of = |namespace, name| path("configmaps", namespace, name);
        let (first_page, second_page) = (page_of("default", "a"), page_of("other", "b"));
        let (third, third_page) = (path("sites", "other", "c"), page_of("other", "c"));
        let control = &self.cluster.control;
        let is = |text: &'static str| move |page: &Value| page["data"]["text"] == text;
        for (name, namespace, text) in [
            ("c", "other", "hidden"),
            ("a", "default", "1"),
            ("b", "other", "1"),
        ] {
            let metadata = json!({ "name": name, "namespace": namespace });
            control
                .create_direct(json!({
                    "apiVersion": "example.com/v1", "kind": "Site",
                    "metadata": metadata, "spec": { "text": text },
                }))
                .unwrap();
        }
        within("the first page", control.await_object(&first_page, is("1"))).await;
        within(
            "the second page",
            control.await_object(&second_page, is("1")),
        )
        .await;

        let change = |site: &mut Value| site["spec"]["text"] = "2".into();
        control.modify(&first, change).unwrap();
        within("a changed site", control.await_object(&first_page, is("2"))).await;

        control.delete_direct(&second_page).unwrap();
        within(
            "a deleted page",
            control.await_object(&second_page, is("1")),
        )
        .await;
        let spoil = |page: &mut Value| page["data"]["text"] = "3".into();
        control.modify(&second_page, spoil).unwrap();
        within("a spoilt page", control.await_object(&second_page, is("1"))).await;

        if self.has(Part::Filter) {
            assert!(control.get(&third_page).is_none(), "left out");
        } else {
            let hidden = control.await_object(&third_page, is("hidden"));
            within("a page without a filter", hidden).await;
        }
        let show = |site: &mut Value| site["spec"]["text"] = "1".into();
        control.modify(&third, show).unwrap();
        within("a third page", control.await_object(&third_page, is("1"))).await;

        let uid = control.get(&first).unwrap()["metadata"]["uid"].clone();
        let api = Api::<Site>::namespaced(self.cluster.client.clone(), "default");
        api.delete("a", &DeleteParams::default()).await.unwrap();
        within(
            "a deleted site",
            control.await_object(&first, Value::is_null),
        )
        .await;
        within(
            "its page",
            control.await_object(&first_page, Value::is_null),
        )
        .await;
        assert_eq!(
            self.context.cleaned_up.lock().contains("a"),
            self.has(Part::Finalizer)
        );
        assert!(!control.get(&second).unwrap().is_null(), "left alone");
        if self.has(Part::Retained) {
            let key = ObjectKey::namespaced("default", "a");
            let is_gone = move |sites: &informer::Snapshot<S::Object>| sites.get(&key).is_none();
            let shown = within("the cache", sites.indexer().wait_until(is_gone)).await;
            let uid = informer::lister::Uid::new(uid.as_str().unwrap());
            assert!(shown.get_retained_by_uid(&uid).is_some(), "retained");
        }
    }
}

fn path(resource: &str, namespace: &str, name: &str) -> String {
    let group = match resource {
        "sites" => "apis/example.com/v1",
        _ => "api/v1",
    };
    format!("/{group}/namespaces/{namespace}/{resource}/{name}")
}

async fn play(parts: Parts) {
    let operator = Operator::new(parts).await;
    if operator.has(Part::Packed) {
        operator.play::<Packed>().await;
    } else if operator.has(Part::Tiered) {
        operator.play::<Tiered>().await;
    } else {
        operator.play::<Typed>().await;
    }
}

/// K-41: each pair of parts, and all of them with each storage.
///
/// Seen to fail with a predicate of the relation that says `false`.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn k41_every_part_fits_every_other_one() {
    let mut combinations = Vec::from([Parts::new()]);
    for (at, first) in PARTS.iter().enumerate() {
        for second in PARTS.iter().skip(at + 1) {
            combinations.push([*first, *second].into());
        }
    }
    let without = |storage: Part| PARTS.into_iter().filter(move |part| *part != storage);
    combinations.push(without(Part::Packed).collect());
    combinations.push(without(Part::Tiered).collect());
    let is_possible = |parts: &Parts| {
        let storages = [Part::Packed, Part::Tiered];
        !storages.iter().all(|storage| parts.contains(storage))
    };
    combinations.retain(is_possible);
    assert_eq!(combinations.len(), 1 + 13 * 12 / 2 - 1 + 2);

    let mut failed = Vec::new();
    let mut waiting = combinations.into_iter();
    let mut running = JoinSet::new();
    loop {
        while running.len() < AT_ONCE
            && let Some(parts) = waiting.next()
        {
            running.spawn(async move {
                // A failed combination does not hide the others.
                let played = AssertUnwindSafe(play(parts.clone())).catch_unwind().await;
                (parts, played.is_ok())
            });
        }
        let Some(ended) = running.join_next().await else {
            break;
        };
        let (parts, is_right) = ended.unwrap();
        if !is_right {
            failed.push(parts);
        }
    }
    assert!(failed.is_empty(), "{}", Named(&failed));
}

/// Combinations by name.
struct Named<'p>(&'p [Parts]);

impl fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|parts| write!(f, "{parts:?} "))
    }
}
