//! Objects whose bodies leave and come back.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use informer_test_harness::schedules::{check, spawn};
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use proptest::prelude::*;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Tiered, TieredObject};
use crate::object::ObjectKey;
use crate::storage::budget::{Account, Budget, Evict, Part};
use crate::storage::{Link, LoadError, ObjectError, Storage};
use crate::wire::RawObject;

type Object = TieredObject<ConfigMap>;

/// Storage over a server with one object.
struct World {
    storage: Tiered,
    account: Arc<Account>,
    server: Arc<Server>,
}

struct Server {
    /// Objects by name.
    objects: Mutex<BTreeMap<String, Value>>,
    /// Answer for other names.
    answer: Mutex<Result<Value, LoadError>>,
    requests: AtomicUsize,
    /// Each request takes one.
    answers: Semaphore,
}

fn config(version: &str, text: &str) -> Value {
    json!({
        "metadata": {"namespace": "ns", "name": "a", "uid": "1", "resourceVersion": version,
                     "labels": {"app": "web"}},
        "data": {"text": text},
    })
}

fn text(object: &ConfigMap) -> &str {
    &object.data.as_ref().unwrap()["text"]
}

impl World {
    fn new(storage: Tiered) -> Self {
        let server = Arc::new(Server {
            objects: Mutex::default(),
            answer: Mutex::new(Ok(config("1", "one"))),
            requests: AtomicUsize::new(0),
            answers: Semaphore::new(100),
        });
        let account = Arc::new(Account::new(Budget::bytes(1 << 20)));
        let of_fetch = Arc::clone(&server);
        let fetch = move |key: ObjectKey, _| {
            let server = Arc::clone(&of_fetch);
            async move {
                server.requests.fetch_add(1, Ordering::Relaxed);
                server.answers.acquire().await.unwrap().forget();
                let object = server.objects.lock().get(key.name()).cloned();
                let answer = object.map_or_else(|| server.answer.lock().clone(), Ok);
                answer.map(|object| RawObject::from_value(&object).unwrap())
            }
            .boxed()
        };
        let link = Link {
            account: Arc::clone(&account),
            fetch: Arc::new(fetch),
        };
        Storage::<ConfigMap>::attach(&storage, link);
        Self {
            storage,
            account,
            server,
        }
    }

    /// Returns a settled object.
    fn object(&self, object: &Value) -> Arc<Object> {
        let raw = RawObject::from_value(object).unwrap();
        let object: Arc<Object> = Arc::new(self.storage.make(&raw, None).unwrap());
        let kept = object.settle();
        self.storage
            .loads
            .keep(Part::Body, kept.into_iter().collect());
        object
    }

    fn answers(&self, answer: Result<Value, LoadError>) {
        *self.server.answer.lock() = answer;
    }

    fn requests(&self) -> usize {
        self.server.requests.load(Ordering::Relaxed)
    }
}

#[tokio::test]
async fn a_body_in_memory_needs_no_request() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    assert_eq!(text(&object.load().await.unwrap()), "one");
    assert_eq!(text(&object.body().unwrap().unwrap()), "one");
    assert_eq!((world.requests(), world.storage.memory().evicted), (0, 0));
}

#[tokio::test]
async fn an_evicted_body_comes_back_and_stays() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    let held = world.account.used();
    object.evict(Part::Body);
    assert!(object.body().is_none());
    assert_eq!(
        (object.key().name(), object.label("app")),
        ("a", Some("web"))
    );
    assert!(world.account.used() < held);
    assert_eq!(world.storage.memory().evicted, 1);
    assert!(matches!(object.to_raw(), Err(ObjectError::Evicted { .. })));
    for _ in 0..3 {
        assert_eq!(text(&object.load().await.unwrap()), "one");
    }
    assert_eq!((world.requests(), world.storage.memory().evicted), (1, 0));
    drop(object);
    assert_eq!(world.account.used(), 0);
    let memory = world.storage.memory();
    assert_eq!(
        (memory.objects, memory.packed_bytes, memory.header_bytes),
        (0, 0, 0)
    );
}

#[tokio::test]
async fn concurrent_loads_share_a_request_and_its_result() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    object.evict(Part::Body);
    world.server.answers.forget_permits(100);
    let mut loads: Vec<_> = (0..9).map(|_| Box::pin(object.load())).collect();
    for load in &mut loads {
        assert!(load.now_or_never().is_none());
    }
    drop(loads.pop());
    world.server.answers.add_permits(1);
    let loaded = futures::future::join_all(loads).await;
    let loaded: Vec<_> = loaded.into_iter().map(Result::unwrap).collect();
    assert!(loaded.iter().all(|other| Arc::ptr_eq(other, &loaded[0])));
    assert_eq!((loaded.len(), world.requests()), (8, 1));
}

#[tokio::test]
async fn a_request_that_nobody_awaits_is_cancelled() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    object.evict(Part::Body);
    world.server.answers.forget_permits(100);
    assert!(object.load().now_or_never().is_none());
    world.server.answers.add_permits(1);
    assert_eq!(text(&object.load().await.unwrap()), "one");
    assert_eq!(world.requests(), 2);
}

#[tokio::test]
async fn a_later_version_is_returned_and_not_kept() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    object.evict(Part::Body);
    world.answers(Ok(config("2", "two")));
    assert_eq!(text(&object.load().await.unwrap()), "two");
    assert!(object.body().is_none(), "this version has another body");
}

#[tokio::test]
async fn an_older_version_another_uid_and_failures_are_errors() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("5", "five"));
    object.evict(Part::Body);
    world.answers(Ok(config("4", "four")));
    let error = object.load().await.unwrap_err();
    assert!(
        matches!(&error, LoadError::Failed { source, .. } if source.to_string().contains("older"))
    );
    let mut again = config("6", "six");
    again["metadata"]["uid"] = "2".into();
    world.answers(Ok(again));
    assert!(matches!(object.load().await, Err(LoadError::Gone(_))));
    let refused = LoadError::failed(object.key(), "no network");
    world.answers(Err(refused));
    assert!(matches!(object.load().await, Err(LoadError::Failed { .. })));
    let mut broken = config("5", "");
    broken["data"] = "no map".into();
    world.answers(Ok(broken));
    assert!(matches!(object.load().await, Err(LoadError::Object(_))));
}

#[tokio::test]
async fn a_large_body_is_never_kept() {
    let world = World::new(Tiered::new().max_object(200));
    let large = config("1", &"large ".repeat(100));
    let (small, object) = (world.object(&config("1", "one")), world.object(&large));
    assert!(small.body().is_some() && object.body().is_none());
    world.answers(Ok(large));
    for _ in 0..2 {
        assert!(text(&object.load().await.unwrap()).starts_with("large"));
        assert!(object.body().is_none());
    }
    assert_eq!((world.requests(), world.storage.memory().evicted), (2, 1));
}

#[tokio::test]
async fn what_is_read_often_stays_decoded() {
    let world = World::new(Tiered::new());
    let object = world.object(&config("1", "one"));
    let before = world.account.used();
    let decodings = || Storage::<ConfigMap>::metrics(&world.storage).decoded_objects;
    for _ in 0..10 {
        object.body().unwrap().unwrap();
    }
    assert_eq!(decodings(), Some(3));
    let decoded = world.storage.memory().decoded_bytes;
    assert!(decoded > 0);
    assert_eq!(world.account.used(), before + decoded);
    object.evict(Part::Decoded);
    assert_eq!(
        (world.storage.memory().decoded_bytes, world.account.used()),
        (0, before)
    );
    object.body().unwrap().unwrap();
    assert_eq!(decodings(), Some(4));
}

/// Returns a settled object of text that does not compress, which this owner controls. The server has
/// the object too.
fn owned(world: &World, name: u64, owner: u64, bytes: usize) -> Arc<Object> {
    let mut random = fastrand::Rng::with_seed(name);
    let noise: String = std::iter::repeat_with(|| random.alphanumeric())
        .take(bytes)
        .collect();
    let mut object = config("1", &noise);
    object["metadata"]["name"] = format!("o{name}").into();
    object["metadata"]["uid"] = format!("u{name}").into();
    object["metadata"]["ownerReferences"] = json!([{
        "apiVersion": "batch/v1", "kind": "Job", "name": "j", "uid": format!("j{owner}"),
        "controller": true,
    }]);
    let mut objects = world.server.objects.lock();
    objects.insert(format!("o{name}"), object.clone());
    drop(objects);
    world.object(&object)
}

/// Counts the memory of all bodies and of all templates that anything holds, and compares it with what
/// is counted elsewhere. Returns both.
fn recount(world: &World, objects: &[Arc<Object>]) -> (usize, usize) {
    let bodies: usize = objects.iter().map(|object| object.sizes().0).sum();
    let decoded: usize = objects.iter().map(|object| object.decoded_bytes()).sum();
    let templates: HashMap<_, _> = objects
        .iter()
        .flat_map(|object| object.templates())
        .map(|template| (Arc::as_ptr(&template), template.frame().len()))
        .collect();
    let templates: usize = templates.values().sum();
    let memory = world.storage.memory();
    assert_eq!(memory.packed_bytes, bodies + templates);
    assert_eq!(memory.decoded_bytes, decoded);
    assert_eq!(world.account.used(), bodies + decoded);
    assert_eq!(world.account.templates(), templates);
    (bodies, templates)
}

/// I-17: a budget holds when each object has a controller of its own, as with Jobs and Deployments of one
/// replica: a template is not evicted, so templates have a small share.
#[test]
fn objects_with_a_controller_each_are_evicted_like_others() {
    let world = World::new(Tiered::new());
    let small: Vec<_> = (0..40).map(|name| owned(&world, name, name, 500)).collect();
    let large: Vec<_> = (100..400)
        .map(|name| owned(&world, name, name, 20_000))
        .collect();
    let objects = [small, large].concat();
    let (bodies, templates) = recount(&world, &objects);
    assert!(bodies + templates <= 1 << 20, "{bodies} + {templates}");
    assert!(templates <= (1 << 20) / 20, "{templates}");
    let evicted = world.storage.memory().evicted;
    assert!(evicted > 200, "{evicted}");
}

/// `max_object` holds for objects with a controller, too.
#[test]
fn a_large_body_with_a_controller_is_never_kept() {
    let world = World::new(Tiered::new().max_object(1000));
    let small: Vec<_> = (0..40).map(|name| owned(&world, name, 1, 500)).collect();
    let large: Vec<_> = (100..110)
        .map(|name| owned(&world, name, name, 20_000))
        .collect();
    let (_, templates) = recount(&world, &[small, large].concat());
    assert!(templates < 5000, "{templates}");
}

/// The work of a load does not grow with the number of loads in flight, and requests that ended are
/// removed.
#[tokio::test]
async fn pending_loads_cost_a_constant_each() {
    let world = World::new(Tiered::new());
    world.server.answers.forget_permits(100);
    let objects: Vec<_> = (0..1000)
        .map(|name| owned(&world, name, name, 40))
        .collect();
    let mut loads = Vec::new();
    let mut examined = 0;
    for object in &objects {
        object.evict(Part::Body);
        let (pending, limit) = world.storage.loads.pending();
        let mut load = Box::pin(object.load());
        assert!((&mut load).now_or_never().is_none());
        loads.push(load);
        if world.storage.loads.pending().1 != limit {
            examined += pending;
        }
    }
    assert!(examined <= 2 * objects.len(), "{examined}");
    drop(loads);
    // Each of these requests ends at once, because its only reader is gone.
    for name in 1000..1100 {
        let object = owned(&world, name, name, 40);
        object.evict(Part::Body);
        assert!(object.load().now_or_never().is_none());
    }
    let (pending, limit) = world.storage.loads.pending();
    assert!(pending <= limit && limit < 200, "{pending} of {limit}");
}

/// Step of the model.
#[derive(Debug, Clone)]
enum Op {
    /// An object of this owner and size arrives.
    Arrive(u64, usize),
    /// An object leaves the store.
    Leave(usize),
    Evict(usize, bool),
    Load(usize),
    Read(usize),
}

fn op() -> impl Strategy<Value = Op> {
    let size = prop_oneof![Just(40_usize), 300..900_usize, 10_000..60_000_usize];
    prop_oneof![
        6 => (0..12_u64, size).prop_map(|(owner, bytes)| Op::Arrive(owner, bytes)),
        1 => any::<usize>().prop_map(Op::Leave),
        1 => (any::<usize>(), any::<bool>()).prop_map(|(at, decoded)| Op::Evict(at, decoded)),
        4 => any::<usize>().prop_map(Op::Load),
        4 => any::<usize>().prop_map(Op::Read),
    ]
}

proptest! {
    /// I-17: after each step, the account equals a recount of every byte that anything holds, and stays
    /// within the budget: objects with owners, templates, dictionaries, loads, evictions.
    #[test]
    fn the_account_equals_a_recount(ops in prop::collection::vec(op(), 1..300)) {
        let world = World::new(Tiered::new());
        world.server.answers.add_permits(1000);
        let mut objects: Vec<Arc<Object>> = Vec::new();
        for (name, op) in (0_u64..).zip(ops) {
            let at = |at: usize| at % objects.len().max(1);
            match op {
                Op::Arrive(owner, bytes) => objects.push(owned(&world, name, owner, bytes)),
                Op::Leave(number) if !objects.is_empty() => drop(objects.swap_remove(at(number))),
                Op::Evict(number, is_decoded) => {
                    let part = if is_decoded { Part::Decoded } else { Part::Body };
                    if let Some(object) = objects.get(at(number)) {
                        object.evict(part);
                    }
                }
                Op::Load(number) => {
                    if let Some(object) = objects.get(at(number)) {
                        object.load().now_or_never().expect("an answer").unwrap();
                    }
                }
                Op::Read(number) => {
                    let read = objects.get(at(number)).and_then(TieredObject::body);
                    prop_assert!(read.is_none_or(|read| read.is_ok()));
                }
                Op::Leave(_) => {}
            }
            let (bodies, templates) = recount(&world, &objects);
            prop_assert!(bodies + templates <= 1 << 20);
        }
        drop(objects);
        prop_assert_eq!(recount(&world, &[]), (0, 0));
    }
}

/// I-17: a load that meets an eviction leaves the account right, whoever comes first.
#[test]
fn a_load_that_meets_an_eviction_is_counted_once() {
    check(|| async {
        let world = Arc::new(World::new(Tiered::new()));
        let object = owned(&world, 1, 1, 1000);
        object.evict(Part::Body);
        let evictions = Arc::clone(&object);
        let evictor = spawn(async move {
            evictions.evict(Part::Body);
            evictions.evict(Part::Body);
        });
        let loads = Arc::clone(&object);
        let loader = spawn(async move {
            for _ in 0..2 {
                loads.load().await.unwrap();
            }
        });
        evictor.await.unwrap();
        loader.await.unwrap();
        recount(&world, &[Arc::clone(&object)]);
        drop(object);
        assert_eq!(world.account.used(), 0);
    });
}
