//! Seeded runs: a naive controller that creates the children that it does not see, under delayed
//! watches, disconnects, relists, lost answers and crashes.
//!
//! `PROPTEST_CASES` sets the number of runs.

use std::collections::BTreeMap;
use std::io;
use std::sync::Arc;
use std::time::Duration;

use informer_runtime::{InformerOptions, ObjectKey, ResourceInfo};
use k8s_openapi::api::core::v1::{ConfigMap, Secret, ServiceAccount};
use kube::ResourceExt;
use kube::api::DeleteParams;
use serde_json::json;
use tokio::task::JoinSet;

use super::world::{World, child, map, object};
use crate::controller::Controller;
use crate::relations::OwnedObjects;
use crate::session::{Session, SessionApi};
use crate::tests::on_paused_clock;
use crate::tests::server::{Lost, Server};
use crate::workqueue::Action;

const RUNS: usize = 200;
const PARENTS: usize = 2;
const CHILDREN: usize = 3;

pub(super) fn runs() -> usize {
    let runs = std::env::var("PROPTEST_CASES").ok();
    runs.map_or(RUNS, |runs| runs.parse().unwrap())
}

/// Names the seed of a run that fails.
struct Seed(usize);

impl Drop for Seed {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("seed {}", self.0);
        }
    }
}

pub(super) fn run_seed(seed: usize, run: impl Future<Output = ()>) {
    let _seed = Seed(seed);
    on_paused_clock(run);
}

/// Caches and APIs of `reconcile`.
struct Context {
    secrets: OwnedObjects<ConfigMap, Secret>,
    accounts: OwnedObjects<ConfigMap, ServiceAccount>,
    secret_api: SessionApi<Secret>,
    account_api: SessionApi<ServiceAccount>,
}

/// Creates the children that the cache does not show: Secrets with generated names, and a service
/// account with a fixed name. Deletes Secrets that are too many.
async fn reconcile(parent: Arc<ConfigMap>, context: Arc<Context>) -> Result<Action, io::Error> {
    let secrets = context.secrets.of(&parent);
    let accounts = context.accounts.of(&parent);
    for _ in secrets.len()..CHILDREN {
        let meta = json!({ "generateName": "child-", "namespace": "a" });
        let created = context.secret_api.create(&child(&parent, &meta)).await;
        created.map_err(io::Error::other)?;
    }
    if accounts.is_empty() {
        let meta = json!({ "name": parent.name_any(), "namespace": "a" });
        let mut account: ServiceAccount = object(json!({ "metadata": meta }));
        let reference = child(&parent, &json!({})).metadata.owner_references;
        account.metadata.owner_references = reference;
        context
            .account_api
            .create(&account)
            .await
            .map_err(io::Error::other)?;
    }
    Ok(Action::Done)
}

/// Process with a factory and a controller. Dropping it is a crash.
fn process(server: &Server, is_gated: bool) -> JoinSet<()> {
    let factory = server.factory();
    let maps = factory.informer::<ConfigMap>();
    let owner = ResourceInfo::of_type::<ConfigMap>();
    // Without the gate, the session is of another factory, so that nothing is noted or consistent.
    let noting = if is_gated {
        factory.clone()
    } else {
        server.factory()
    };
    let session = Session::new(&noting).within(Duration::from_secs(2));
    let context = Context {
        secrets: OwnedObjects::new(&owner, &factory),
        accounts: OwnedObjects::new(&owner, &factory),
        secret_api: session.api("a"),
        account_api: session.api("a"),
    };
    let mut controller = Controller::new("maps", &maps)
        .relations(&context.secrets)
        .relations(&context.accounts)
        .workers(2);
    if is_gated {
        controller = controller.session(&session);
    }
    let mut tasks = JoinSet::new();
    tasks.spawn(async move {
        factory.start().unwrap();
        controller.run(Arc::new(context), reconcile).await.unwrap();
    });
    tasks
}

/// Returns the numbers of Secrets of the parents, and of conflicts about service accounts.
async fn run(seed: usize, is_gated: bool) -> (Vec<usize>, usize) {
    let mut rng = fastrand::Rng::with_seed(seed as u64);
    let server = Server::new(rng.u64(..));
    server.delay(Duration::from_millis(rng.u64(0..1500)));
    let parents: Vec<_> = (0..PARENTS).map(|number| format!("p{number}")).collect();
    for name in &parents {
        let key = ObjectKey::namespaced("a", name);
        server.put("configmaps", &key, Some(json!({})));
    }
    let mut running = process(&server, is_gated);
    for round in 0..rng.usize(4..12) {
        tokio::time::sleep(Duration::from_millis(rng.u64(0..1200))).await;
        match rng.u8(0..10) {
            0 => server.disconnect(),
            1 => server.compact(),
            2 => server.lose(Lost::Request),
            3 => server.lose(Lost::Answer),
            4 => server.hold(["secrets", "serviceaccounts", "configmaps"][rng.usize(0..3)]),
            5 => server.freeze_watch_cache(),
            6 => {
                running.shutdown().await;
                running = process(&server, is_gated);
            }
            _ => {
                let key = ObjectKey::namespaced("a", &parents[rng.usize(0..PARENTS)]);
                let data = json!({ "data": { "value": round.to_string() } });
                server.put("configmaps", &key, Some(data));
            }
        }
        if rng.bool() {
            server.release();
        }
    }
    server.release();
    for _ in 0..30 {
        tokio::time::sleep(Duration::from_secs(2)).await;
        server.bookmark();
    }
    running.shutdown().await;
    let mut children: BTreeMap<String, usize> = BTreeMap::new();
    for secret in server.objects("secrets") {
        let owner = &secret["metadata"]["ownerReferences"][0]["name"];
        *children
            .entry(owner.as_str().unwrap().to_owned())
            .or_default() += 1;
    }
    let counts = parents
        .iter()
        .map(|name| children.get(name).copied().unwrap_or_default());
    (counts.collect(), server.objects("serviceaccounts").len())
}

/// N-02, K-01.
#[test]
fn n02_a_naive_controller_with_a_session_makes_exactly_its_children() {
    let (mut gated, mut naive, mut wrong) = (0, 0, 0);
    let runs = runs();
    for seed in 0..runs {
        run_seed(seed, async {
            let (children, accounts) = run(seed, true).await;
            assert_eq!(children, [CHILDREN; PARENTS]);
            assert_eq!(accounts, PARENTS);
            gated += children.iter().sum::<usize>();
            if seed % 10 == 0 {
                let (children, _) = run(seed, false).await;
                naive += children.iter().sum::<usize>();
                wrong += usize::from(children != [CHILDREN; PARENTS]);
            }
        });
    }
    let expected = CHILDREN * PARENTS;
    let without = runs.div_ceil(10);
    println!(
        "{runs} runs with a session: {gated} children of {}; {without} runs without: {naive} of {}, \
         {wrong} runs wrong",
        expected * runs,
        expected * without
    );
    assert!(
        naive > expected * without + wrong,
        "{naive} children in {without} runs"
    );
    assert!(wrong > without / 4, "{wrong} of {without} runs");
}

/// N-02, N-04. Random writes and reads: no read lacks an earlier write, in any form.
#[test]
fn n02_no_read_lacks_an_earlier_write() {
    for seed in 0..runs() / 4 {
        run_seed(seed, model(seed));
    }
}

async fn model(seed: usize) {
    let mut rng = fastrand::Rng::with_seed(seed as u64);
    let world = World::over(Server::new(rng.u64(..)));
    let session = world.session.clone().within(Duration::from_secs(60));
    let typed = world.factory.informer::<ConfigMap>().lister();
    let metadata = world
        .factory
        .metadata(ResourceInfo::of_type::<ConfigMap>())
        .lister();
    let selected = InformerOptions::<ConfigMap>::new().label_selector("app=1".parse().unwrap());
    let selected = world.factory.informer_with(selected).lister();
    world.start().await;
    world.server.delay(Duration::from_millis(rng.u64(1..3000)));
    // Value of each object that exists.
    let mut model: BTreeMap<String, String> = BTreeMap::new();
    for _ in 0..rng.usize(5..30) {
        let name = format!("x{}", rng.u8(0..3));
        let value = rng.u8(0..2).to_string();
        let exists = model.contains_key(&name);
        match rng.u8(0..6) {
            0 | 1 if !exists => {
                world.api.create(&map(&name, &value)).await.unwrap();
                model.insert(name, value);
            }
            0 | 1 => {
                world.api.replace(&map(&name, &value)).await.unwrap();
                model.insert(name, value);
            }
            2 if exists => {
                world
                    .api
                    .delete(&name, &DeleteParams::default())
                    .await
                    .unwrap();
                model.remove(&name);
            }
            3 => world.server.disconnect(),
            4 => world.server.compact(),
            _ => tokio::time::sleep(Duration::from_millis(rng.u64(0..2000))).await,
        }
        let expected: Vec<&String> = model.keys().collect();
        match rng.u8(0..4) {
            0 => {
                let view = session.read(&typed).await.unwrap();
                let snapshot = view.snapshot();
                let shown = snapshot
                    .iter()
                    .map(|map| (map.name_any(), map.data.as_ref().unwrap()["value"].clone()));
                assert_eq!(shown.collect::<BTreeMap<_, _>>(), model);
            }
            1 => {
                let view = session.read(&metadata).await.unwrap();
                let snapshot = view.snapshot();
                let names: Vec<_> = snapshot.iter().map(ResourceExt::name_any).collect();
                assert_eq!(names.iter().collect::<Vec<_>>(), expected);
            }
            2 => {
                let view = session.read(&selected).await.unwrap();
                let snapshot = view.snapshot();
                let names: Vec<_> = snapshot.iter().map(ResourceExt::name_any).collect();
                let mut matching = model.iter().filter(|(_, value)| *value == "1");
                assert!(names.iter().eq(matching.by_ref().map(|(name, _)| name)));
            }
            _ => {}
        }
    }
    world.server.delay(Duration::ZERO);
    tokio::time::sleep(Duration::from_secs(30)).await;
    world.server.bookmark();
    tokio::time::sleep(Duration::from_secs(5)).await;
    session.read(&typed).await.unwrap();
    assert!(session.unseen().is_empty(), "{session:?}");
}
