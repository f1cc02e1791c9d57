//! Objects whose bodies leave and come back.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use futures::FutureExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::{Tiered, TieredObject};
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
            answer: Mutex::new(Ok(config("1", "one"))),
            requests: AtomicUsize::new(0),
            answers: Semaphore::new(100),
        });
        let account = Arc::new(Account::new(Budget::bytes(1 << 20)));
        let of_fetch = Arc::clone(&server);
        let fetch = move |_, _| {
            let server = Arc::clone(&of_fetch);
            async move {
                server.requests.fetch_add(1, Ordering::Relaxed);
                server.answers.acquire().await.unwrap().forget();
                let answer = server.answer.lock().clone();
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
        let kept = object.settle(Vec::new());
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

#[test]
fn the_values_of_indices_are_taken_once() {
    let world = World::new(Tiered::new());
    let raw = RawObject::from_value(&config("1", "one")).unwrap();
    let object: Arc<Object> = Arc::new(world.storage.make(&raw, None).unwrap());
    drop(Arc::new(world.storage.make(&raw, None).unwrap()) as Arc<Object>);
    let kept = object.settle(vec![Box::new(7_u8)]);
    world
        .storage
        .loads
        .keep(Part::Body, kept.into_iter().collect());
    assert_eq!(object.take_index_values().len(), 1);
    assert_eq!(object.take_index_values().len(), 0);
}
