//! Informers whose objects' bodies are evicted.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering};

use futures::StreamExt as _;
use k8s_openapi::api::core::v1::ConfigMap;
use proptest::prelude::*;
use serde::{Deserialize, Deserializer, Serialize};
use tokio::time::timeout;

use super::support::{Running, SECOND, config, value};
use crate::event::Event;
use crate::object::{Object, ObjectKey, ResourceInfo, Selector};
use crate::processor::HandlerOptions;
use crate::reflector::Peers;
use crate::shared_informer::{InformerConfig, InformerOptions, Parts, SharedInformer};
use crate::source::{FakeControllerSource, Request, SourceError};
use crate::storage::{Account, Budget, LoadError, ObjectError, Storage as _, Tiered, Transform};
use crate::wire::ApiStatus;

/// Creates an informer of a factory with this budget.
fn informer(
    source: &FakeControllerSource,
    budget: usize,
    config: InformerConfig,
) -> SharedInformer<ConfigMap, Tiered> {
    informer_of(source, budget, config)
}

fn informer_of<K: Object<DynamicType = ()>>(
    source: &FakeControllerSource,
    budget: usize,
    config: InformerConfig,
) -> SharedInformer<K, Tiered> {
    let peers = Peers {
        account: Arc::new(Account::new(Budget::bytes(budget))),
        ..Peers::default()
    };
    let parts = Parts {
        name: None,
        resource: ResourceInfo::of_type::<K>(),
        sources: vec![(None, Arc::new(source.clone()))],
        config,
        peers,
        metrics: Arc::default(),
        coverage: Arc::default(),
    };
    SharedInformer::from_parts(Tiered::new(), parts)
}

/// Returns text that does not compress, another one for each object and value.
fn noise(name: &str, value: u64, bytes: usize) -> String {
    let number: u64 = name.trim_start_matches('c').parse().unwrap();
    let mut random = fastrand::Rng::with_seed(number * 1000 + value);
    std::iter::repeat_with(|| random.alphanumeric())
        .take(bytes)
        .collect()
}

fn noisy(name: &str, value: u64, bytes: usize) -> serde_json::Value {
    let mut object = config(name, &value.to_string());
    object["data"]["noise"] = noise(name, value, bytes).into();
    object
}

/// Creates a source of objects with 10 KB each, without streaming lists.
fn source_of(objects: u64) -> FakeControllerSource {
    let source = FakeControllerSource::new();
    source.set_supports_watch_list(false);
    for number in 0..objects {
        source
            .add(&noisy(&format!("c{number}"), number % 3, 10_000))
            .unwrap();
    }
    source
}

/// Returns the number of lists, streaming lists included.
fn lists(source: &FakeControllerSource) -> usize {
    let is_list = |request: &Request| match request {
        Request::List(_) => true,
        Request::Watch(options) => options.send_initial_events,
    };
    let requests = source.requests().into_iter();
    requests.filter(is_list).count()
}

/// Keys, labels and indices that exist are exact although most bodies were evicted, even those of
/// the first list, and each object can be loaded.
#[tokio::test(start_paused = true)]
async fn lists_selectors_and_indices_are_exact_without_bodies() {
    let source = source_of(30);
    let informer = informer(&source, 100_000, InformerConfig::new());
    let by_value = informer
        .add_index("value", |object: &ConfigMap| [value(object)])
        .unwrap();
    let by_path = informer
        .add_path_index("data.value".parse().unwrap())
        .unwrap();
    let running = Running::synced(&informer).await;
    let evicted = informer.storage().memory().evicted;
    assert!(evicted >= 20, "{evicted}");
    assert_eq!(informer.len(), 30);
    let lister = informer.lister();
    assert_eq!(
        lister.list(&"value=1".parse::<Selector>().unwrap()).len(),
        10
    );
    assert_eq!((by_value.get("2").len(), by_path.get("2").len()), (10, 10));
    assert!(informer.state().index_failures("value").unwrap().is_empty());
    let before = lists(&source);
    let mut gone = 0;
    for object in lister.list(&Selector::everything()) {
        gone += usize::from(object.body().is_none());
        let loaded = object.load().await.unwrap();
        assert_eq!(Some(value(&loaded).as_str()), object.label("value"));
    }
    assert!(gone >= evicted - 1);
    assert_eq!(
        lists(&source) - before,
        gone,
        "one request for each body that was gone"
    );
    assert_eq!(informer.metrics().load_duration.count(), gone as u64);
    assert!(informer.metrics().packed.unwrap().evicted > 0);
    running.stop().await;
}

/// Indices that are added when bodies were evicted are filled by one list for all, within the budget.
/// Objects and handlers are not affected. Until then, the index names the objects that it lacks.
#[tokio::test(start_paused = true)]
async fn late_indices_over_evicted_bodies_are_filled_by_one_list() {
    for streams in [false, true] {
        let source = source_of(30);
        source.set_supports_watch_list(streams);
        let informer = informer(&source, 100_000, InformerConfig::new());
        let events = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&events);
        let handler = move |_: Event<_>| {
            count.fetch_add(1, Ordering::Relaxed);
        };
        let _handler = informer.add_event_handler(handler).unwrap();
        let mut running = Running::synced(&informer).await;
        let (objects, before) = (
            informer.lister().list(&Selector::everything()),
            lists(&source),
        );
        let by_label = informer.add_label_index("value").unwrap();
        assert_eq!(by_label.get("0").len(), 10, "labels stay");
        let by_value = informer
            .add_index("late", |object: &ConfigMap| [value(object)])
            .unwrap();
        let by_path = informer.add_path_index("data.value".parse().unwrap());
        let by_path = by_path.unwrap();
        let failures = informer.state().index_failures("late").unwrap();
        assert!((20..30).contains(&failures.evicted().len()));
        let cause = failures.latest()[0].cause.to_string();
        assert!(
            cause.ends_with("the body was evicted; await `load`"),
            "{cause}"
        );
        let complete = async { tokio::join!(by_value.wait_complete(), by_path.wait_complete()) };
        timeout(60 * SECOND, complete).await.unwrap();
        for number in ["0", "1", "2"] {
            let found = (by_value.get(number).len(), by_path.get(number).len());
            assert_eq!(found, (10, 10));
        }
        assert!(informer.state().index_failures("late").unwrap().is_empty());
        assert!(informer.storage().memory().packed_bytes <= 80_000);
        let now = informer.lister().list(&Selector::everything());
        let mut both = objects.iter().zip(&now);
        assert!(both.all(|(before, now)| Arc::ptr_eq(before, now)));
        let last = source.add(&noisy("c30", 7, 10)).unwrap();
        let reached = informer.wait_for_resource_version(&last, 60 * SECOND);
        reached.await.unwrap();
        assert_eq!((by_value.get("7").len(), by_path.get("7").len()), (1, 1));
        assert_eq!(lists(&source) - before, 1);
        assert!(running.is_running().await);
        assert_eq!(events.load(Ordering::Relaxed), 31, "one for each object");
        running.stop().await;
    }
}

/// An update replaces the values of an index although its body is evicted at once, and a deletion
/// removes them. Handlers receive handles.
#[tokio::test(start_paused = true)]
async fn changes_of_evicted_objects_are_indexed_and_notified() {
    let source = source_of(30);
    let informer = informer(&source, 40_000, InformerConfig::new());
    let by_path = informer
        .add_path_index("data.value".parse().unwrap())
        .unwrap();
    let (sender, mut events) = tokio::sync::mpsc::channel(256);
    let handler = move |event: Event<_>| sender.try_send(event).unwrap();
    let _handler = informer.add_event_handler(handler).unwrap();
    let running = Running::synced(&informer).await;
    source.modify(&noisy("c0", 7, 30_000)).unwrap();
    let last = source.delete(&noisy("c1", 1, 10_000)).unwrap();
    informer
        .wait_for_resource_version(&last, 10 * SECOND)
        .await
        .unwrap();
    assert_eq!(by_path.keys("7"), [ObjectKey::namespaced("ns", "c0")]);
    assert_eq!((by_path.get("0").len(), by_path.get("1").len()), (9, 9));
    let loaded = by_path.get("7")[0].load().await.unwrap();
    assert_eq!(loaded.data.as_ref().unwrap()["noise"].len(), 30_000);
    for _ in 0..30 {
        assert!(matches!(events.recv().await.unwrap(), Event::Added(_)));
    }
    assert!(matches!(events.recv().await.unwrap(), Event::Updated(_)));
    let Event::Deleted(deleted) = events.recv().await.unwrap() else {
        panic!("not a deletion");
    };
    if deleted.object.body().is_none() {
        assert!(matches!(
            deleted.object.load().await,
            Err(LoadError::Gone(_))
        ));
    }
    running.stop().await;
}

/// Events that wait for a slow handler hold handles, whose bodies are evicted like all others.
#[tokio::test(start_paused = true)]
async fn a_mailbox_of_large_objects_shrinks_to_headers() {
    const EVENTS: usize = 100;
    const BUDGET: usize = 512 << 10;
    let source = source_of(0);
    let informer = informer(&source, BUDGET, InformerConfig::new());
    let options = HandlerOptions::new().capacity(NonZeroUsize::new(2 * EVENTS).unwrap());
    let mut events = informer
        .events(options.capacity_bytes(NonZeroUsize::MAX))
        .unwrap();
    let mut running = Running::synced(&informer).await;
    let mut object = noisy("c0", 0, 64 << 10);
    source.add(&object).unwrap();
    for number in 1..EVENTS {
        object["data"]["value"] = number.to_string().into();
        source.modify(&object).unwrap();
        if number % 10 == 9 {
            assert!(running.is_running().await);
            let held = informer.storage().memory().total();
            assert!(held <= BUDGET, "{held}");
        }
    }
    let memory = informer.storage().memory();
    assert_eq!(memory.objects, EVENTS);
    assert_eq!(events.registration().stats().pending, EVENTS);
    assert!(memory.evicted >= EVENTS - BUDGET / (32 << 10), "{memory:?}");
    let mut last = events.next().await.unwrap();
    for _ in 1..EVENTS {
        last = events.next().await.unwrap();
    }
    let loaded = last.object().load().await.unwrap();
    assert_eq!(value(&loaded), (EVENTS - 1).to_string());
    running.stop().await;
}

/// A loaded body has the form of a stored one: without cut fields, and transformed.
#[tokio::test(start_paused = true)]
async fn a_loaded_body_is_cut_and_transformed_like_a_stored_one() {
    let source = source_of(2);
    let transform = Transform::new("mark", |object: &mut ConfigMap| {
        object
            .data
            .get_or_insert_default()
            .insert("marked".into(), "yes".into());
        Ok(())
    });
    let config = InformerOptions::<ConfigMap, Tiered>::new()
        .drop_fields("data.value".parse().unwrap())
        .transform(transform.serializable())
        .config;
    let informer = informer(&source, 1, config);
    let running = Running::synced(&informer).await;
    let object = informer.lister().namespace("ns").get("c0").unwrap();
    assert!(object.body().is_none());
    assert!(Tiered::decode(&object).is_err());
    let loaded = object.load().await.unwrap();
    let keys: Vec<_> = loaded.data.as_ref().unwrap().keys().collect();
    assert_eq!(keys, ["marked", "noise"]);
    running.stop().await;
}

/// The error of a load tells what the caller can act on.
#[tokio::test(start_paused = true)]
async fn a_forbidden_load_and_a_deleted_object_have_errors_of_their_own() {
    let source = source_of(1);
    let informer = informer(&source, 1, InformerConfig::new());
    let running = Running::synced(&informer).await;
    let object = informer.lister().namespace("ns").get("c0").unwrap();
    source.list_error(SourceError::from(ApiStatus::new(
        403,
        "Forbidden",
        "no get",
    )));
    let error = object.load().await.unwrap_err();
    assert!(matches!(error, LoadError::Forbidden { .. }));
    assert!(
        error
            .to_string()
            .contains("ns/c0 is forbidden; grant the verb `get`"),
        "{error}"
    );
    source.list_error(SourceError::from(ApiStatus::new(500, "Internal", "later")));
    assert!(matches!(object.load().await, Err(LoadError::Failed { .. })));
    source.list_error(None);
    source.lose_next_event();
    source.delete(&noisy("c0", 0, 10_000)).unwrap();
    assert!(matches!(object.load().await, Err(LoadError::Gone(_))));
    running.stop().await;
}

/// `ConfigMap` whose code panics when [`PANIC_IN`] says so.
#[derive(Debug, Clone, Serialize)]
struct Fragile(ConfigMap);

static PANIC_IN: AtomicU8 = AtomicU8::new(0);
const DECODING: u8 = 1;
const TRANSFORM: u8 = 2;

impl<'de> Deserialize<'de> for Fragile {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        assert_ne!(PANIC_IN.load(Ordering::Relaxed), DECODING);
        ConfigMap::deserialize(deserializer).map(Self)
    }
}

crate::tests::resource_of_newtype!(Fragile(ConfigMap));

/// A panic of user code in a load is an error of the load, by name; the next load can succeed.
#[tokio::test(start_paused = true)]
async fn a_panic_of_user_code_in_a_load_is_an_error_of_the_load() {
    let source = source_of(1);
    let transform = Transform::new("fragile", |_: &mut Fragile| {
        assert_ne!(PANIC_IN.load(Ordering::Relaxed), TRANSFORM);
        Ok(())
    });
    let options = InformerOptions::<Fragile, Tiered>::new();
    let config = options.transform(transform.serializable()).config;
    let informer = informer_of::<Fragile>(&source, 1, config);
    let running = Running::synced(&informer).await;
    let object = informer.lister().list(&Selector::everything()).remove(0);
    for (code, expected) in [
        (DECODING, "decoding panicked"),
        (TRANSFORM, "`fragile` failed"),
    ] {
        PANIC_IN.store(code, Ordering::Relaxed);
        let error = object.load().await.unwrap_err();
        let is_object =
            matches!(&error, LoadError::Object(of) if !matches!(of, ObjectError::Decode(_)));
        assert!(
            is_object && error.to_string().ends_with(expected),
            "{error}"
        );
    }
    PANIC_IN.store(0, Ordering::Relaxed);
    assert_eq!(value(&object.load().await.unwrap().0), "0");
    running.stop().await;
}

#[derive(Debug, Clone)]
enum Step {
    Set(u8, u64, usize),
    Delete(u8),
    Read(u8),
    Relist,
    Index,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0_u8..40, 0_u64..1000, 10_usize..100_000).prop_map(|(name, seed, size)| Step::Set(name, seed, size)),
        2 => (0_u8..40).prop_map(Step::Delete),
        4 => (0_u8..40).prop_map(Step::Read),
        1 => Just(Step::Relist),
        1 => Just(Step::Index),
    ]
}

/// Plays the steps. The cache ends equal to the server, whose content `model` repeats.
async fn play(steps: Vec<Step>) {
    let source = FakeControllerSource::new();
    let informer = informer(&source, 1 << 20, InformerConfig::new());
    let by_path = informer.add_path_index("data.value".parse().unwrap());
    let mut indices = vec![by_path.unwrap()];
    let mut running = Running::synced(&informer).await;
    let mut model: BTreeMap<String, (u64, usize)> = BTreeMap::new();
    for step in steps {
        match step {
            Step::Set(name, seed, size) => {
                let name = format!("c{name}");
                let object = noisy(&name, seed, size);
                let is_new = model.insert(name, (seed, size)).is_none();
                let _version = if is_new {
                    source.add(&object)
                } else {
                    source.modify(&object)
                };
            }
            Step::Delete(name) => {
                let name = format!("c{name}");
                if let Some((seed, size)) = model.remove(&name) {
                    source.delete(&noisy(&name, seed, size)).unwrap();
                }
            }
            Step::Read(name) => {
                // The informer runs only while the test waits.
                assert!(running.is_running().await);
                let key = ObjectKey::namespaced("ns", &format!("c{name}"));
                if let Some(object) = informer.lister().get_by_key(&key) {
                    // The object may be gone on the server already.
                    let _read = object.load().await;
                }
            }
            Step::Relist => source.reset_watch(),
            Step::Index => {
                let name = format!("late {}", indices.len());
                let late = informer.add_index(name, |object: &ConfigMap| [value(object)]);
                indices.push(late.unwrap());
            }
        }
        let memory = informer.storage().memory();
        let held = memory.packed_bytes + memory.decoded_bytes;
        assert!(held <= 1 << 20, "{held}");
    }
    let last = source.resource_version();
    if !model.is_empty() {
        informer
            .wait_for_resource_version(&last, 60 * SECOND)
            .await
            .unwrap();
    }
    for index in &indices {
        let complete = timeout(60 * SECOND, index.wait_complete());
        complete.await.unwrap();
    }
    let objects = informer.lister().list(&Selector::everything());
    assert_eq!(objects.len(), model.len());
    for object in objects {
        let (seed, size) = model[object.key().name()];
        let loaded = object.load().await.unwrap();
        assert_eq!(
            loaded.data.as_ref().unwrap()["noise"],
            noise(object.key().name(), seed, size)
        );
        for index in &indices {
            assert!(index.keys(&*seed.to_string()).contains(object.key()));
        }
    }
    running.stop().await;
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// Random operations under a budget of 1 MiB end equal to the server.
    #[test]
    fn random_operations_under_a_budget_end_equal_to_the_server(
        steps in prop::collection::vec(step(), 1..120),
    ) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .start_paused(true)
            .build()
            .unwrap();
        runtime.block_on(play(steps));
    }
}
